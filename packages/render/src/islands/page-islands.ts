/**
 * Marks the islands of one page: elements of an author's components that stay interactive. The marks let the
 * browser find slots and built-in components again. HTML outside of islands is unchanged.
 */
import type { DiagnosticCode } from '../model/finding-codes.ts';
import type { FilePlace } from '../model/diagnostic.ts';
import type { Child, ElementCall } from '../components/contract.ts';
import { Props } from '../components/props.ts';
import { ObjectValue, type Value } from '../evaluate/values.ts';
import { element } from '../text/html.ts';
import type { IslandModule, PageIslandsResult } from '../model/page.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface IslandNeeds {
  classNames: readonly string[];
  /** Addresses of pages and files as the code writes them. */
  addresses: readonly string[];
  /** Addresses of pictures of other hosts. */
  pictures: readonly string[];
  /** Other hosts, as sources of a Content-Security-Policy. */
  hosts: readonly string[];
  /** Built-in components with their literal properties. */
  builtins: readonly { name: string; props: Record<string, Json>; hasChildren: boolean }[];
}

export interface IslandSlot {
  /** Negative for content that the document was given. */
  slot: number;
  /** The slot that contains it. */
  inside: number | undefined;
  render: () => string;
}

export interface IslandSource {
  module: string;
  piece: number;
  /** The values of a snippet's properties that the piece reads. */
  props: Json;
  /** Properties of a snippet that are content, by slot. */
  content: Record<string, number>;
  /** The element's children are one slot. */
  isWhole: boolean;
  /** The prefix of ids that the code generates. */
  idSpace: number;
  modules: readonly IslandModule[];
  /** Called once, for the modules that are new on the page. */
  needs: () => IslandNeeds;
  slots: readonly IslandSlot[];
  place: FilePlace | undefined;
}

export interface IslandHost {
  /** The ending of page addresses that are composed in the browser. */
  pageEnding: string;
  outsideContents<Result>(work: () => Result): Result;
  useClasses(names: string): string;
  /** The address of a page or file relative to the page; undefined when there is none. Reports nothing. */
  quietAddress(written: string): string | undefined;
  /** The output file of a picture of another host. */
  quietPicture(address: string): string | undefined;
  renderElement(call: ElementCall): string;
  report(code: DiagnosticCode, message: string, place: FilePlace | undefined): void;
}

/** Longer properties of built-in components are not compared in the browser. */
const maxComparedCharacters = 500;
const maxAddresses = 500;
const maxHiddenParts = 200;
/** Further ones show their first state without becoming interactive. */
const maxIslands = 2000;
/**
 * The HTML parser moves custom elements between rows and cells before the table. So rows cannot be islands,
 * and neither can elements with a slot or a built-in component among rows.
 */
const breaksTable =
  /^\s*<(?:tr|td|th|tbody|thead|tfoot|caption|colgroup|col)\b|(?:<(?:table|tbody|thead|tfoot|tr)\b[^>]*>|<\/(?:tr|td|th|tbody|thead|tfoot)>)\s*<docyard-/;

interface MarkedPart {
  call: ElementCall;
  /** The built-in components inside that the part renders, by path. */
  inner: Map<string, ElementCall>;
}

/** The island that is being rendered. */
interface IslandState {
  source: IslandSource;
  /** Content as written into the island, once per occurrence. */
  written: Set<string>;
  /** The slots that the first state shows. */
  shown: Set<number>;
}

export class PageIslands {
  readonly #host: IslandHost;
  readonly #modules = new Map<string, IslandModule>();
  readonly #hosts = new Set<string>();
  readonly #addresses = new Map<string, string>();
  readonly #hidden: string[] = [];
  readonly #parts = new Set<string>();
  readonly #holes = new WeakMap<readonly Child[], { part: MarkedPart; path: string; call: ElementCall }>();
  #count = 0;
  #inside: IslandState | undefined;

  constructor(host: IslandHost) {
    this.#host = host;
  }

  get inside(): boolean {
    return this.#inside !== undefined;
  }

  render(source: IslandSource, content: () => string): string {
    const number = this.#count++;
    const state: IslandState = { source, written: new Set(), shown: new Set() };
    const html = withoutWrappers(this.#within(state, content), state.written);
    if (breaksTable.test(html)) return this.#still(html, 'it renders rows or cells of a table', source);
    if (number >= maxIslands)
      return this.#still(html, `the page has more than ${maxIslands} interactive components`, source);
    for (const slot of hiddenSlots(state)) this.#hideSlot(number, slot);
    this.#provide(state);
    const { module, piece, props, content: passed, isWhole, idSpace } = source;
    const data = {
      number,
      module,
      piece,
      ...(isEmpty(props) ? {} : { props }),
      ...(isEmpty(passed) ? {} : { content: passed }),
      ...(isWhole ? { isWhole } : {}),
      ...(idSpace === 0 ? {} : { idSpace }),
    };
    return element('docyard-island', { 'data-island': JSON.stringify(data) }, html);
  }

  /** The first state without marks. */
  #still(html: string, why: string, { place }: IslandSource): string {
    this.#host.report('handler_dropped', `A component shows its first state only: ${why}`, place);
    return html.replaceAll(
      /<\/?docyard-(?:slot|part)\b[^<>]*>| data-island-slot="[-\d]{1,40}"|<!--\|-->/g,
      '',
    );
  }

  slot(first: number, last: number): string {
    const state = this.#inside;
    const shown = state?.source.slots.filter(({ slot }) => slot >= first && slot <= last) ?? [];
    if (!state || shown.length === 0) return '';
    for (const { slot } of shown) state.shown.add(slot);
    const html = shown.map(({ render }) => this.#within(undefined, render)).join(slotBoundary);
    const written = slotHtml(html, first === last ? `${first}` : `${first}-${last}`);
    state.written.add(written);
    return written;
  }

  /** Notes where an address of the first state resolved to: code may have composed it. */
  noteAddress(written: string, address: string | undefined): string | undefined {
    if (this.#inside) this.#noteAddress(written, () => address);
    return address;
  }

  builtin(call: ElementCall, html: () => string): string {
    if (!this.#inside) return html();
    const part: MarkedPart = { call, inner: new Map() };
    this.#markHoles(part, call, '');
    const content = html();
    const description = JSON.stringify([call.name, comparedProps(part)]);
    this.#parts.add(description);
    return element('docyard-part', { 'data-part': description }, content);
  }

  children(children: readonly Child[], html: string): string {
    const hole = this.#inside && this.#holes.get(children);
    if (!hole) return html;
    if (hole.path !== '') hole.part.inner.set(hole.path, hole.call);
    return element('docyard-slot', { 'data-hole': hole.path }, html);
  }

  result(): PageIslandsResult | undefined {
    if (this.#modules.size === 0) return undefined;
    const data = { addresses: Object.fromEntries(this.#addresses), ending: this.#host.pageEnding };
    const parts = element('template', { 'data-islands': JSON.stringify(data) }, this.#hidden.join(''));
    return { modules: [...this.#modules.values()], parts: `${parts}\n`, hosts: [...this.#hosts].toSorted() };
  }

  #within<Result>(state: IslandState | undefined, work: () => Result): Result {
    const around = this.#inside;
    this.#inside = state;
    try {
      return work();
    } finally {
      this.#inside = around;
    }
  }

  /**
   * Some components, such as tabs, inspect and render their descendants. So the children of every nested
   * component get a path, and the component that renders them determines which part they belong to.
   */
  #markHoles(part: MarkedPart, call: ElementCall, path: string): void {
    if (call.children.length) this.#holes.set(call.children, { part, path, call });
    const inner = call.children.flatMap((child) =>
      child.kind === 'element' && /^[A-Z]|^document:/.test(child.call.name) ? [child.call] : [],
    );
    inner.forEach((each, index) =>
      this.#markHoles(part, each, path === '' ? `${index}` : `${path}.${index}`),
    );
  }

  #hideSlot(owner: number, { slot, render }: IslandSlot): void {
    if (this.#hidden.length >= maxHiddenParts) return;
    const html = this.#host.outsideContents(() => this.#within(undefined, render));
    this.#hidden.push(slotHtml(html, `${slot}`, owner));
  }

  /** Ships what the island's code needs, unless another island of the page did. */
  #provide(state: IslandState): void {
    const { modules, needs: needsOfModules } = state.source;
    if (modules.every(({ id }) => this.#modules.has(id))) return;
    for (const module of modules) this.#modules.set(module.id, module);
    const needs = needsOfModules();
    for (const host of needs.hosts) this.#hosts.add(host);
    if (needs.classNames.length) this.#host.useClasses(needs.classNames.join(' '));
    for (const written of needs.addresses) this.#noteAddress(written, () => this.#host.quietAddress(written));
    for (const written of needs.pictures) this.#noteAddress(written, () => this.#host.quietPicture(written));
    for (const each of needs.builtins) this.#hideBuiltIn(each, state);
  }

  #noteAddress(written: string, resolve: () => string | undefined): void {
    if (this.#addresses.has(written) || this.#addresses.size >= maxAddresses) return;
    const address = resolve();
    if (address !== undefined && address !== written) this.#addresses.set(written, address);
  }

  #hideBuiltIn({ name, props, hasChildren }: IslandNeeds['builtins'][number], state: IslandState): void {
    const known = JSON.stringify([name, props]);
    if (this.#parts.has(known) || this.#hidden.length >= maxHiddenParts) return;
    this.#parts.add(known);
    const children: Child[] = hasChildren ? [{ kind: 'text', text: '…' }] : [];
    const call = { name, props: new Props(valueOf(props) as ObjectValue), children };
    const render = (): string => this.#within(state, () => this.#host.renderElement(call));
    this.#hidden.push(this.#host.outsideContents(render));
  }
}

/** Separates adjacent slots that are shown together, so that the browser can show them apart. */
const slotBoundary = '<!--|-->';

function slotHtml(html: string, slot: string, owner?: number): string {
  return element('docyard-slot', { 'data-island-slot': slot, 'data-of': owner }, html);
}

/**
 * Content that the browser may show and the first state does not. Code that shows the inside of some content
 * may show the inside of the rest too.
 */
function hiddenSlots({ source: { slots }, shown }: IslandState): IslandSlot[] {
  const inside = new Map(slots.map(({ slot, inside: around }) => [slot, around]));
  const around = (slot: number): number[] => {
    const outer = inside.get(slot);
    return outer === undefined ? [] : [outer, ...around(outer)];
  };
  const opened = new Set([...shown].flatMap(around));
  const isMissing = ({ slot }: IslandSlot): boolean =>
    !shown.has(slot) && !opened.has(slot) && !around(slot).some((outer) => shown.has(outer));
  const missing = slots.filter(isMissing);
  if (opened.size === 0) return missing.filter((each) => each.inside === undefined);
  const hasInside = new Set(missing.map((each) => each.inside));
  return missing.filter(({ slot }) => !hasInside.has(slot) && around(slot).length <= 1);
}

/**
 * A slot that is the only child of an element needs no wrapper. Lists, tables, summaries and drawings would
 * not allow one.
 */
function withoutWrappers(html: string, slots: ReadonlySet<string>): string {
  let result = html;
  for (const slot of slots) {
    const start = result.indexOf(slot);
    const around = /<([a-z][a-z0-9]*)(\s[^<>]*)?>$/i.exec(result.slice(Math.max(0, start - 5000), start));
    const after = result.slice(start + slot.length);
    if (start < 0 || !around || !after.startsWith(`</${around[1]}>`)) continue;
    const [open, name = '', attributes = ''] = around;
    const content = slot.slice(slot.indexOf('>') + 1, slot.lastIndexOf('<'));
    const mark = /data-island-slot="[-\d]+"/.exec(slot)?.[0] ?? '';
    result = `${result.slice(0, start - open.length)}<${name}${attributes} ${mark}>${content}${after}`;
  }
  return result;
}

function comparedProps({ call, inner }: MarkedPart): Record<string, Json> {
  const compared = new Map<string, Json>();
  const add = ({ props }: ElementCall, prefix: string): void => {
    for (const [name, value] of props.values.entries) {
      const json = jsonOf(value);
      const isLong = typeof json === 'string' && json.length > maxComparedCharacters;
      if (json !== undefined && name !== 'children' && !isLong) compared.set(prefix + name, json);
    }
  };
  add(call, '');
  for (const [path, each] of inner) add(each, `${path}/`);
  return Object.fromEntries(compared);
}

/** Undefined for functions and elements, which are not compared. */
export function jsonOf(value: Value): Json | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (Array.isArray(value)) {
    const items = value.map(jsonOf);
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  if (!(value instanceof ObjectValue)) return undefined;
  const entries = [...value.entries].map(([key, item]) => [key, jsonOf(item)] as const);
  return entries.every((entry): entry is [string, Json] => entry[1] !== undefined)
    ? Object.fromEntries(entries)
    : undefined;
}

function valueOf(json: Json): Value {
  if (Array.isArray(json)) return json.map(valueOf);
  if (typeof json !== 'object' || json === null) return json;
  return new ObjectValue(Object.entries(json).map(([key, item]) => [key, valueOf(item)] as const));
}

function isEmpty(props: Json): boolean {
  return typeof props === 'object' && props !== null && Object.keys(props).length === 0;
}
