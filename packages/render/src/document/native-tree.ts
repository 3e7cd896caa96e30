/**
 * Reads the native parser's tree from its buffer lazily: the package's own reader creates an object for every
 * field and position. It depends on the buffer layout of one parser version; a test compares it with the
 * package's reader.
 */
import {
  type Places,
  altAt,
  field,
  header,
  identifierAt,
  isLeaf,
  kind,
  labelAt,
  langAt,
  magic,
  markdownKind,
  metaAt,
  names,
  none,
  titleAt,
  urlAt,
  valueAt,
} from './native-layout.ts';
import { NativeStrings } from './native-strings.ts';
import type { JsxAttribute, Node, SurveyedTree } from './tree.ts';

/** Deeper nodes are not read. */
export function readNativeTree(bytes: Uint8Array, maxDepth: number): SurveyedTree {
  return new Arena(bytes).tree(maxDepth);
}

/** The parser puts this in place of spaces in code. */
const phantomSpace = '\u{f002}';

class Arena {
  readonly words: Uint32Array;
  readonly #bytes: Uint8Array;
  readonly #nodeWords: number;
  readonly #nodes: number;
  readonly #children: number;
  readonly #data: number;
  readonly #strings: NativeStrings;
  readonly #declarations: Node[] = [];
  #depth = 0;
  #maxDepth = 0;
  #isPlain = true;

  constructor(given: Uint8Array) {
    const bytes = given.byteOffset % 4 === 0 ? given : given.slice();
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
    const at = (place: number): number => words[place] ?? 0;
    if (at(header.magic) !== magic || at(header.kind) !== markdownKind || at(header.nodeBytes) % 4 !== 0)
      throw new Error('The native parser returned a tree with an unknown layout');
    this.words = words;
    this.#bytes = bytes;
    this.#nodeWords = at(header.nodeBytes) >> 2;
    this.#nodes = at(header.nodes) >> 2;
    this.#children = at(header.children) >> 2;
    this.#data = at(header.data);
    this.#strings = new NativeStrings(bytes, at(header.pool), at(header.poolBytes));
  }

  tree(maxDepth: number): SurveyedTree {
    this.#maxDepth = maxDepth;
    const tree = this.#build(0, 1);
    return { tree, depth: this.#depth, isPlain: this.#isPlain, declarations: this.#declarations };
  }

  #build(id: number, depth: number): NativeNode {
    const { words } = this;
    const at = this.#nodes + id * this.#nodeWords;
    const type = (words[at + field.type] ?? 0) & 0xff;
    const node =
      type === kind.flowElement || type === kind.textElement
        ? new NativeElement(this, at, type)
        : new NativeNode(this, at, type);
    if (type === kind.module || type === kind.definition || type === kind.footnoteDefinition)
      this.#declarations.push(node);
    if (type >= kind.flowElement) this.#isPlain = false;
    if (depth > this.#depth) this.#depth = depth;
    if (isLeaf[type] === 1) return node;
    const count = depth > this.#maxDepth ? 0 : (words[at + field.childCount] ?? 0);
    const first = this.#children + (words[at + field.firstChild] ?? 0);
    const children: NativeNode[] = [];
    for (let place = first; place < first + count; place++) {
      children.push(this.#build(words[place] ?? 0, depth + 1));
    }
    node.children = children;
    return node;
  }

  number(at: number): number {
    if (at % 4 === 0) return this.words[at >> 2] ?? 0;
    return (
      (this.byte(at) | (this.byte(at + 1) << 8) | (this.byte(at + 2) << 16) | (this.byte(at + 3) << 24)) >>> 0
    );
  }

  byte(at: number): number {
    return this.#bytes[at] ?? 0;
  }

  dataOf(node: number): number {
    return this.#data + (this.words[node + field.data] ?? 0);
  }

  hasData(node: number): boolean {
    return (this.words[node + field.dataBytes] ?? 0) > 0;
  }

  textOf(node: number, offset: number): string {
    if (offset + 8 > (this.words[node + field.dataBytes] ?? 0)) return '';
    return this.text(this.dataOf(node) + offset);
  }

  text(at: number): string {
    return this.#strings.slice(this.number(at), this.number(at + 4));
  }

  /** Each attribute takes 20 bytes: kind, name and value. */
  attributesOf(node: number): JsxAttribute[] {
    const attributes: JsxAttribute[] = [];
    if ((this.words[node + field.dataBytes] ?? 0) < 16) return attributes;
    const data = this.dataOf(node);
    const end = data + 16 + this.number(data + 8) * 20;
    for (let at = data + 16; at < end; at += 20) {
      const type = 'mdxJsxAttribute';
      const written = this.byte(at);
      const name = this.text(at + 4);
      const value = this.text(at + 12);
      if (written === 0) attributes.push({ type, name, value: null });
      else if (written === 1) attributes.push({ type, name, value });
      else if (written === 2)
        attributes.push({
          type,
          name,
          value: { type: 'mdxJsxAttributeValueExpression', value: withSpaces(value) },
        });
      else attributes.push({ type: 'mdxJsxExpressionAttribute', value: withSpaces(value) });
    }
    return attributes;
  }
}

function withSpaces(text: string): string {
  return text.includes(phantomSpace) ? text.replaceAll(phantomSpace, ' ') : text;
}

class NativeNode implements Node {
  readonly type: string;
  children: Node[] | undefined = undefined;
  readonly value: string | undefined;
  readonly #arena: Arena;
  /** The position of the node's fields, in 32-bit words. */
  readonly #at: number;
  readonly #kind: number;

  constructor(arena: Arena, at: number, type: number) {
    this.type = names[type] ?? `unknown(${type})`;
    this.#arena = arena;
    this.#at = at;
    this.#kind = type;
    const value = this.#text(valueAt);
    this.value = value !== undefined && type >= kind.flowElement ? withSpaces(value) : value;
  }

  get position(): Node['position'] {
    const { words } = this.#arena;
    const at = this.#at;
    const line = words[at + field.line] ?? 0;
    // Synthetic nodes have no position.
    if (line === 0) return undefined;
    const start = { line, column: words[at + field.column] ?? 0, offset: words[at + field.start] ?? 0 };
    return { start, end: { offset: words[at + field.end] ?? 0 } };
  }

  /** Undefined for node types without that string. */
  #text(places: Places): string | undefined {
    const offset = places[this.#kind] ?? none;
    return offset === none ? undefined : this.#arena.textOf(this.#at, offset);
  }

  #byte(offset: number): number {
    return this.#arena.byte(this.#arena.dataOf(this.#at) + offset);
  }

  get depth(): number | undefined {
    if (this.#kind !== kind.heading) return undefined;
    return this.#arena.hasData(this.#at) ? this.#byte(0) : 1;
  }

  get lang(): string | null | undefined {
    return emptyAsNull(this.#text(langAt));
  }

  get meta(): string | null | undefined {
    return emptyAsNull(this.#text(metaAt));
  }

  get url(): string | undefined {
    return this.#text(urlAt);
  }

  get title(): string | null | undefined {
    return emptyAsNull(this.#text(titleAt));
  }

  get alt(): string | undefined {
    return this.#text(altAt);
  }

  get identifier(): string | undefined {
    return this.#text(identifierAt);
  }

  get label(): string | undefined {
    return this.#text(labelAt);
  }

  get ordered(): boolean | undefined {
    return this.#kind === kind.list ? this.#byte(4) !== 0 : undefined;
  }

  get start(): number | null | undefined {
    if (this.#kind !== kind.list) return undefined;
    return this.ordered ? this.#arena.number(this.#arena.dataOf(this.#at)) : null;
  }

  get spread(): boolean | undefined {
    if (this.#kind === kind.list) return this.#byte(5) !== 0;
    return this.#kind === kind.listItem ? this.#byte(1) !== 0 : undefined;
  }

  get checked(): boolean | null | undefined {
    if (this.#kind !== kind.listItem) return undefined;
    const box = this.#byte(0);
    return box === 2 ? null : box === 1;
  }

  get align(): (string | null)[] | undefined {
    if (this.#kind !== kind.table) return undefined;
    const data = this.#arena.dataOf(this.#at);
    const count = this.#arena.number(data);
    return Array.from({ length: count }, (_, index) => columns[this.#arena.byte(data + 4 + index)] ?? null);
  }
}

function emptyAsNull(text: string | undefined): string | null | undefined {
  return text === '' ? null : text;
}

const columns = [null, 'left', 'right', 'center'];

class NativeElement extends NativeNode {
  readonly name: string | null;
  readonly attributes: JsxAttribute[];

  constructor(arena: Arena, at: number, type: number) {
    super(arena, at, type);
    this.name = arena.textOf(at, 0) || null;
    this.attributes = arena.attributesOf(at);
  }
}
