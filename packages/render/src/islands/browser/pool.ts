/**
 * The exported nodes of an island: slots, built-in components and headings, which components claim. Nodes
 * that are needed twice are copied from the exported state.
 */
import { linkAddress } from './addresses.ts';

export interface Properties {
  /** `title` is its own, `0/title` that of the first component inside it. */
  read(name: string): unknown;
  /** Its own properties that are data. */
  names: readonly string[];
}

export interface ShownPart {
  readonly stored: StoredPart;
  nodes: Node[];
  /** Where children go, by the path of their component. */
  holes: Map<string, Element>;
  show(wanted: Properties): void;
}

interface PartDescription {
  name: string;
  props: Record<string, unknown>;
  /** Properties whose text occurs verbatim in the part, so that it can be replaced. */
  replaceable: ReadonlySet<string>;
}

interface StoredPart extends PartDescription {
  /** As exported: copied, never shown. */
  source: Element;
  /** Nodes of the page that no component has claimed. */
  ready: Node[] | undefined;
}

/** Adjacent page content, by slot numbers. */
export interface SlotRange {
  first: number;
  last: number;
}

export type Fill = (element: Element | null) => (() => void) | undefined;

interface StoredSlot {
  /** As exported: copied, never shown. */
  source: readonly Node[];
  /** Nodes of the page that no component has claimed. */
  ready: Node[] | undefined;
}

/** The comment between adjacent slots that are shown together. */
const slotBoundary = '|';

export function slotText({ first, last }: SlotRange): string {
  return first === last ? `${first}` : `${first}-${last}`;
}

export function rangeOf(element: Element): SlotRange {
  const [, first, last] = /^(-?\d+)(?:-(\d+))?$/.exec(element.getAttribute('data-island-slot') ?? '') ?? [];
  return { first: Number(first ?? 0), last: Number(last ?? first ?? 0) };
}

function groupsOf(nodes: readonly Node[]): Node[][] {
  const groups: Node[][] = [[]];
  for (const node of nodes)
    if (node.nodeType === Node.COMMENT_NODE && node.nodeValue === slotBoundary) groups.push([]);
    else groups.at(-1)?.push(node);
  return groups;
}

/** Initializes copies: tabs, buttons, nested islands. */
export type Wake = (root: Element) => void;

const marked = '[data-island-slot], docyard-part[data-part]';

export class Pool {
  readonly headings = new Map<string, string>();
  readonly anchored = new Set<string>();
  readonly #slots = new Map<number, StoredSlot>();
  readonly #fills = new Map<string, Fill>();
  readonly #idSpace: number;
  #ids = 0;
  readonly #parts: StoredPart[] = [];
  readonly #wake: Wake;

  constructor(root: Element, exported: Element, hidden: readonly Element[], idSpace: number, wake: Wake) {
    this.#wake = wake;
    this.#idSpace = idSpace;
    this.#readHeadings(root);
    const sources = ownMarks(exported);
    ownMarks(root).forEach((element, index) => this.#store(element, sources[index] ?? element, true));
    for (const element of hidden) this.#store(element, element, false);
    // Detached last and from the inside out, so that nested marks are found.
    for (const element of ownMarks(root).toReversed()) element.replaceChildren();
  }

  nextId(): string {
    return `_r${this.#idSpace}_${this.#ids++}_`;
  }

  has(slot: number): boolean {
    return this.#slots.has(slot);
  }

  /** A ref for the element that shows content: it fills the element and returns its previous nodes. */
  fill(range: SlotRange): Fill {
    const key = slotText(range);
    const known = this.#fills.get(key) ?? this.#filling(range);
    this.#fills.set(key, known);
    return known;
  }

  take({ first, last }: SlotRange): Node[] {
    const nodes: Node[] = [];
    for (let slot = first; slot <= last; slot++) {
      if (slot > first) nodes.push(document.createComment(slotBoundary));
      nodes.push(...this.#takeSlot(slot));
    }
    return nodes;
  }

  #filling(range: SlotRange): Fill {
    return (element) => {
      if (!element) return undefined;
      const nodes = this.take(range);
      const isFilled =
        nodes.length === element.childNodes.length &&
        nodes.every((node, index) => node === element.childNodes[index]);
      if (!isFilled) element.replaceChildren(...nodes);
      return () => {
        this.#giveBack(range, nodes);
        // An element that lost its content is emptied, unless it is about to be filled again.
        queueMicrotask(() => {
          if (this.#isFree(range))
            for (const node of nodes) if (node.parentNode === element) element.removeChild(node);
        });
      };
    };
  }

  #giveBack({ first }: SlotRange, nodes: readonly Node[]): void {
    groupsOf(nodes).forEach((group, index) => {
      const stored = this.#slots.get(first + index);
      if (stored) stored.ready ??= group;
    });
  }

  #isFree({ first, last }: SlotRange): boolean {
    for (let slot = first; slot <= last; slot++) if (!this.#slots.get(slot)?.ready) return false;
    return true;
  }

  #takeSlot(slot: number): Node[] {
    const stored = this.#slots.get(slot);
    if (!stored) return [];
    const nodes = stored.ready ?? this.#copy(stored.source);
    stored.ready = undefined;
    return nodes;
  }

  /** The part with the same properties, or the most similar one; undefined when none has this name. */
  part(name: string, wanted: Properties, before: ShownPart | undefined): ShownPart | undefined {
    let best: StoredPart | undefined;
    let highest = Number.NEGATIVE_INFINITY;
    for (const part of this.#parts) {
      if (part.name !== name) continue;
      // Replaced text persists, so another part must score higher to replace the shown one.
      const score = likeness(part, wanted) + (part === before?.stored ? 0.5 : part.ready ? 0.25 : 0);
      if (score > highest) [best, highest] = [part, score];
    }
    if (!best || best === before?.stored) return before;
    return best.ready ? this.#shown(best, best.ready) : this.#copyOf(best);
  }

  #shown(part: StoredPart, nodes: Node[]): ShownPart {
    part.ready = undefined;
    return shownPart(part, nodes);
  }

  #copyOf(part: StoredPart): ShownPart {
    const copy = document.importNode(part.source, true);
    const shown = shownPart(part, [...copy.childNodes]);
    this.#wake(copy);
    shown.nodes = [...copy.childNodes];
    return shown;
  }

  #store(element: Element, source: Element, isShown: boolean): void {
    if (element.hasAttribute('data-island-slot')) return this.#storeSlots(element, source, isShown);
    const ready = isShown ? [...element.childNodes] : undefined;
    this.#parts.push({ ...descriptionOf(element, source), source, ready });
  }

  #storeSlots(element: Element, source: Element, isShown: boolean): void {
    const { first } = rangeOf(element);
    const sources = groupsOf([...source.childNodes]);
    groupsOf([...element.childNodes]).forEach((group, index) => {
      const slot = first + index;
      if (!this.#slots.has(slot))
        this.#slots.set(slot, { source: sources[index] ?? group, ready: isShown ? group : undefined });
    });
  }

  /** Copied into an element, so that delegated listeners find it. */
  #copy(source: readonly Node[]): Node[] {
    const copy = document.createElement('docyard-slot');
    copy.append(...source.map((node) => document.importNode(node, true)));
    this.#wake(copy);
    return [...copy.childNodes];
  }

  #readHeadings(root: Element): void {
    for (const heading of root.querySelectorAll('h2[id], h3[id], h4[id], h5[id], h6[id]')) {
      const anchor = heading.querySelector(':scope > .dy-anchor');
      const text = (heading.textContent ?? '').trim();
      this.headings.set(anchor ? text.replace(/#$/, '').trim() : text, heading.id);
      if (anchor) this.anchored.add(heading.id);
    }
  }
}

/** The marks of an island in document order, without those inside slots, which belong to the page. */
export function ownMarks(root: Element): Element[] {
  return [...root.querySelectorAll(marked)].filter((element) => {
    const around = element.parentElement?.closest('[data-island-slot], docyard-island');
    return !around || !root.contains(around) || around === root;
  });
}

function shownPart(stored: StoredPart, nodes: Node[]): ShownPart {
  const holes = new Map<string, Element>();
  const bound: { property: string; set: (value: string) => void }[] = [];
  const properties = [...stored.replaceable].map((property) => ({
    property,
    text: shownText(property, stored.props[property]),
  }));
  const bind = (shown: string, set: (value: string) => void): void => {
    const property = properties.find(({ text }) => text === shown.trim())?.property;
    if (property !== undefined) bound.push({ property, set });
  };
  const visit = (node: Node): void => {
    if (node instanceof Text) bind(node.data, (value) => (node.data = value));
    if (!(node instanceof Element)) return;
    const path = node.getAttribute('data-hole');
    if (path !== null) {
      node.replaceChildren();
      holes.set(path, node);
      return;
    }
    for (const attribute of node.attributes) bind(attribute.value, (value) => (attribute.value = value));
    node.childNodes.forEach(visit);
  };
  nodes.forEach(visit);
  const last = new Map(Object.entries(stored.props));
  const show = ({ read }: Properties): void => {
    for (const { property, set } of bound) {
      const value = read(property);
      if (value !== last.get(property) && (typeof value === 'string' || typeof value === 'number'))
        set(shownText(property, value));
    }
    for (const { property } of bound) last.set(property, read(property));
  };
  return { stored, nodes, holes, show };
}

/** Parts that no island shows at first are described once for all islands of the page. */
const descriptions = new WeakMap<Element, PartDescription>();

function descriptionOf(element: Element, source: Element): PartDescription {
  const known = descriptions.get(element);
  if (known) return known;
  const text = element.getAttribute('data-part') ?? '["",{}]';
  const [name, props] = JSON.parse(text) as [string, PartDescription['props']];
  const description = { name, props, replaceable: replaceableTexts(source, props) };
  descriptions.set(element, description);
  return description;
}

function replaceableTexts(source: Element, props: Record<string, unknown>): Set<string> {
  const shown = new Set<string>();
  for (const element of source.querySelectorAll('*'))
    for (const { value } of element.attributes) shown.add(value);
  const texts = document.createTreeWalker(source, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) shown.add((texts.currentNode as Text).data.trim());
  return new Set(
    Object.keys(props).filter((name) => {
      const text = typeof props[name] === 'string' ? shownText(name, props[name]) : '';
      return text !== '' && shown.has(text);
    }),
  );
}

function shownText(property: string, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  const text = String(value).trim();
  return /(?:^|\/)href$/.test(property) ? (linkAddress(text) ?? '') : text;
}

function likeness({ props, replaceable }: StoredPart, { read, names }: Properties): number {
  // A property that the part was rendered without cannot be added to it.
  let score = -names.filter((name) => !Object.hasOwn(props, name)).length;
  for (const [name, value] of Object.entries(props)) {
    if (JSON.stringify(value) === JSON.stringify(read(name))) score += 1;
    else score -= replaceable.has(name) ? 0.1 : 1;
  }
  return score;
}
