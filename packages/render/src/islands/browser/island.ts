/**
 * Starts islands: a component takes over its exported elements. An island whose code throws returns to the
 * exported state without affecting the others.
 */
import { Component, type ComponentChild, type ComponentChildren, h, render } from 'preact';
import { learnAddresses } from './addresses.ts';
import { content } from './author-elements.ts';
import { followSiteRules } from './elements.ts';
import { PoolContext } from './parts.ts';
import { Pool, ownMarks, rangeOf } from './pool.ts';
import type { Registry } from './registry.ts';

/** The island's attribute. */
interface IslandData {
  number: number;
  module: string;
  piece: number;
  props?: Record<string, unknown>;
  /** Properties that are page content, by slot. */
  content?: Record<string, number>;
  /** The element's children are one slot. */
  isWhole?: boolean;
  idSpace?: number;
}

/** The attribute of the template at the end of the page. */
interface PageData {
  addresses?: Record<string, string>;
  ending?: string;
}

interface ThemeScripts {
  wire?(root: Element): void;
}

const exported = new WeakMap<Element, Element>();
const live = new Set<Element>();

followSiteRules();

/** Stores the islands before any script changes them; copies are made from this state. */
export function rememberIslands(root: ParentNode): void {
  for (const island of islandsIn(root)) exported.set(island, island.cloneNode(true) as Element);
}

export function readPage(): void {
  const { addresses = {}, ending = '' } = JSON.parse(pageTemplate()?.dataset['islands'] ?? '{}') as PageData;
  learnAddresses(addresses, ending);
}

export function startIslands(root: ParentNode, registry: Registry): void {
  for (const island of islandsIn(root)) {
    const data = dataOf(island);
    if (live.has(island) || !registry.has(data.module)) continue;
    try {
      start(island, data, registry);
    } catch (error) {
      console.error(error);
    }
  }
}

export function endIslands(): void {
  for (const island of live) render(null, island);
  live.clear();
}

function start(island: Element, data: IslandData, registry: Registry): void {
  const piece = registry.piece(data.module, data.piece);
  const original = exported.get(island) ?? (island.cloneNode(true) as Element);
  const focused = document.activeElement;
  const pool = new Pool(island, original, hiddenParts(data), data.idSpace ?? 0, (copy) => {
    rememberIslands(copy);
    themeScripts().wire?.(copy);
    startIslands(copy, registry);
  });
  const fail = (error: unknown): void => {
    console.error(error);
    queueMicrotask(() => restore(island, original, pool));
  };
  live.add(island);
  const given = { ...data.props };
  for (const [name, slot] of Object.entries(data.content ?? {})) given[name] = content(slot);
  const Content = (): ComponentChildren => piece(given, content, data.isWhole ?? false);
  const root = h(PoolContext.Provider, { value: pool }, h(Boundary, { fail }, h(Content, {})));
  render(root, island);
  if (focused instanceof HTMLElement && focused.isConnected && focused !== document.activeElement)
    focused.focus({ preventScroll: true });
}

class Boundary extends Component<
  { fail: (error: unknown) => void; children?: ComponentChildren },
  { failed?: true }
> {
  static override getDerivedStateFromError(): { failed: true } {
    return { failed: true };
  }

  override componentDidCatch(error: unknown): void {
    this.props.fail(error);
  }

  override render(): ComponentChild {
    return this.state.failed ? null : (this.props.children as ComponentChild);
  }
}

function restore(island: Element, original: Element, pool: Pool): void {
  render(null, island);
  const copy = original.cloneNode(true) as Element;
  const slots = ownMarks(copy).filter((mark) => mark.hasAttribute('data-island-slot'));
  for (const slot of slots) slot.replaceChildren();
  themeScripts().wire?.(copy);
  for (const slot of slots) slot.replaceChildren(...pool.take(rangeOf(slot)));
  island.replaceChildren(...copy.childNodes);
}

/** Parts that the first state does not show are in a template at the end of the page. */
function hiddenParts({ number }: IslandData): Element[] {
  return [...(pageTemplate()?.content.children ?? [])].filter((part) => {
    const owner = part.getAttribute('data-of');
    return owner === null || owner === String(number);
  });
}

function pageTemplate(): HTMLTemplateElement | null {
  return document.querySelector<HTMLTemplateElement>('template[data-islands]');
}

function islandsIn(root: ParentNode): Element[] {
  return [...root.querySelectorAll('docyard-island')];
}

function dataOf(island: Element): IslandData {
  return JSON.parse(island.getAttribute('data-island') ?? '{}') as IslandData;
}

function themeScripts(): ThemeScripts {
  return (window as { docyard?: ThemeScripts }).docyard ?? {};
}
