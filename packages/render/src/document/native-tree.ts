/**
 * Reads the tree that the native parser leaves in a buffer. The parser's own reader makes an object of every field and every
 * position; here a node holds what each walk asks for and reads the rest when somebody wants it. It knows the layout of
 * one version of the parser; a test holds it against the parser's own reader.
 */
import { isAscii } from 'node:buffer';
import type { JsxAttribute, Node, SurveyedTree } from './tree.ts';

/** What is deeper than the limit is not read. */
export function readNativeTree(bytes: Uint8Array, maximumDepth: number): SurveyedTree {
  return new Arena(bytes).tree(maximumDepth);
}

/** Where the numbers of the header are, in words of four bytes. */
const header = { magic: 0, kind: 1, nodeBytes: 2, nodes: 4, children: 6, data: 8, poolBytes: 9, pool: 10 };
/** Where the numbers of a node are, in words from its beginning. */
const field = {
  type: 1,
  start: 3,
  end: 4,
  line: 5,
  column: 6,
  firstChild: 9,
  childCount: 10,
  data: 11,
  dataBytes: 12,
};
const magic = 0x52_41_44_4d;
const markdownKind = 1;

const kind = {
  heading: 2,
  rule: 3,
  list: 5,
  listItem: 6,
  html: 7,
  code: 8,
  definition: 9,
  text: 10,
  inlineCode: 13,
  break: 14,
  link: 15,
  image: 16,
  linkReference: 17,
  imageReference: 18,
  footnoteDefinition: 19,
  footnoteReference: 20,
  table: 21,
  flowElement: 100,
  textElement: 101,
  flowExpression: 102,
  textExpression: 103,
  module: 104,
};

const names: readonly string[] = namesByNumber({
  0: 'root paragraph heading thematicBreak blockquote list listItem html code definition text emphasis strong',
  13: 'inlineCode break link image linkReference imageReference footnoteDefinition footnoteReference',
  21: 'table tableRow tableCell delete',
  100: 'mdxJsxFlowElement mdxJsxTextElement mdxFlowExpression mdxTextExpression mdxjsEsm',
});

function namesByNumber(runs: Record<number, string>): string[] {
  const list: string[] = [];
  for (const [first, run] of Object.entries(runs))
    run.split(' ').forEach((name, index) => (list[Number(first) + index] = name));
  return list;
}

/** Where a text stands among the data of a node, by its kind. */
type Places = Int8Array;
const none = -1;

function places(known: Record<number, number>): Places {
  const list = new Int8Array(256).fill(none);
  for (const [each, offset] of Object.entries(known)) list[Number(each)] = offset;
  return list;
}

const valueAt = places({
  [kind.html]: 0,
  [kind.code]: 16,
  [kind.text]: 0,
  [kind.inlineCode]: 0,
  [kind.flowExpression]: 0,
  [kind.textExpression]: 0,
  [kind.module]: 0,
});
const langAt = places({ [kind.code]: 0 });
const metaAt = places({ [kind.code]: 8 });
const urlAt = places({ [kind.definition]: 0, [kind.link]: 0, [kind.image]: 0 });
const titleAt = places({ [kind.definition]: 8, [kind.link]: 8, [kind.image]: 16 });
const altAt = places({ [kind.image]: 8, [kind.imageReference]: 20 });
const references = [kind.linkReference, kind.imageReference, kind.footnoteDefinition, kind.footnoteReference];
const identifierAt = places({
  [kind.definition]: 16,
  ...Object.fromEntries(references.map((each) => [each, 0])),
});
const labelAt = places({
  [kind.definition]: 24,
  ...Object.fromEntries(references.map((each) => [each, 8])),
});

const isLeaf = new Uint8Array(256);
for (const each of [
  kind.rule,
  kind.definition,
  kind.break,
  kind.image,
  kind.imageReference,
  kind.footnoteReference,
])
  isLeaf[each] = 1;
valueAt.forEach((offset, each) => {
  if (offset !== none) isLeaf[each] = 1;
});

/** The parser puts this in the place of spaces in code. */
const phantomSpace = '\u{f002}';

class Arena {
  readonly words: Uint32Array;
  readonly #bytes: Uint8Array;
  readonly #nodeWords: number;
  readonly #nodes: number;
  readonly #children: number;
  readonly #data: number;
  readonly #strings: Strings;
  readonly #declarations: Node[] = [];
  #depth = 0;
  #maximumDepth = 0;
  #isPlain = true;

  constructor(given: Uint8Array) {
    const bytes = given.byteOffset % 4 === 0 ? given : given.slice();
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
    const at = (place: number): number => words[place] ?? 0;
    if (at(header.magic) !== magic || at(header.kind) !== markdownKind || at(header.nodeBytes) % 4 !== 0)
      throw new Error('the parser gave a tree of another layout');
    this.words = words;
    this.#bytes = bytes;
    this.#nodeWords = at(header.nodeBytes) >> 2;
    this.#nodes = at(header.nodes) >> 2;
    this.#children = at(header.children) >> 2;
    this.#data = at(header.data);
    this.#strings = new Strings(bytes, at(header.pool), at(header.poolBytes));
  }

  tree(maximumDepth: number): SurveyedTree {
    this.#maximumDepth = maximumDepth;
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
    const count = depth > this.#maximumDepth ? 0 : (words[at + field.childCount] ?? 0);
    const first = this.#children + (words[at + field.firstChild] ?? 0);
    const children: NativeNode[] = [];
    for (let place = first; place < first + count; place++) {
      children.push(this.#build(words[place] ?? 0, depth + 1));
    }
    node.children = children;
    return node;
  }

  /** A number among the data of nodes, where nothing is aligned. */
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

  /** A text that the data of a node name; empty where the data are shorter. */
  textOf(node: number, offset: number): string {
    if (offset + 8 > (this.words[node + field.dataBytes] ?? 0)) return '';
    return this.text(this.dataOf(node) + offset);
  }

  text(at: number): string {
    return this.#strings.slice(this.number(at), this.number(at + 4));
  }

  /** Each attribute takes 20 bytes: its kind, its name and its value. */
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
  /** Where the numbers of the node begin, in words. */
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
    /** What the parser made up stands nowhere. */
    if (line === 0) return undefined;
    const start = { line, column: words[at + field.column] ?? 0, offset: words[at + field.start] ?? 0 };
    return { start, end: { offset: words[at + field.end] ?? 0 } };
  }

  /** A text among the data of the node; undefined when nodes of its kind have none of that name. */
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

  /** Of an item of a list: whether it is done, when it is a task. */
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

/** An element: `<Card title="…">`. */
class NativeElement extends NativeNode {
  readonly name: string | null;
  readonly attributes: JsxAttribute[];

  constructor(arena: Arena, at: number, type: number) {
    super(arena, at, type);
    this.name = arena.textOf(at, 0) || null;
    this.attributes = arena.attributesOf(at);
  }
}

/** The strings of a tree stand one after the other; places are told in bytes. */
class Strings {
  readonly #text: string;
  readonly #offsets: CharacterOffsets | undefined;

  constructor(bytes: Uint8Array, start: number, length: number) {
    const encoded = Buffer.from(bytes.buffer, bytes.byteOffset + start, length);
    // Without a character of several bytes this is three times as fast.
    const isPlain = isAscii(encoded);
    this.#text = encoded.toString(isPlain ? 'latin1' : 'utf8');
    if (!isPlain) this.#offsets = new CharacterOffsets(this.#text);
  }

  slice(byte: number, bytes: number): string {
    const offsets = this.#offsets;
    if (bytes === 0) return '';
    if (!offsets) return this.#text.slice(byte, byte + bytes);
    return this.#text.slice(offsets.of(byte), offsets.of(byte + bytes));
  }
}

const wide = /[^\0-\x7f]+/g;

/** Where characters begin in text whose places are told in bytes: only those that take several bytes are kept. */
class CharacterOffsets {
  /** Where each character of several bytes begins, and how many bytes more than units the text up to its end takes. */
  readonly #starts: number[] = [];
  readonly #shifts: number[] = [];
  #last = 0;

  constructor(text: string) {
    let shift = 0;
    wide.lastIndex = 0;
    for (let run = wide.exec(text); run; run = wide.exec(text))
      for (let at = run.index; at < wide.lastIndex; at++) {
        const unit = text.charCodeAt(at);
        this.#starts.push(at + shift);
        const isPair = unit >= 0xd8_00 && unit < 0xdc_00;
        if (isPair) at++;
        shift += unit < 0x8_00 ? 1 : 2;
        this.#shifts.push(shift);
      }
  }

  /** The place of a byte in units of a string. */
  of(byte: number): number {
    const before = this.#countBefore(byte);
    return before === 0 ? byte : byte - (this.#shifts[before - 1] ?? 0);
  }

  /** How many of the characters begin before a byte. Most questions are close to the one before. */
  #countBefore(byte: number): number {
    const starts = this.#starts;
    const last = this.#last;
    const isFirst = last === 0 || (starts[last - 1] ?? 0) < byte;
    if (isFirst && (last === starts.length || (starts[last] ?? 0) >= byte)) return last;
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) < byte) low = middle + 1;
      else high = middle;
    }
    return (this.#last = low);
  }
}
