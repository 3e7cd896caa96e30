/**
 * Finds the code in a document's body and compiles each piece separately, so that one that does not parse
 * leaves the others intact. A piece is a function of the document's properties.
 */
import { isEmptyExpression } from '../evaluate/parse.ts';
import type { SourcePlace } from '../model/diagnostic.ts';
import type { Document } from '../document/document.ts';
import type { JsxAttribute, Node } from '../document/tree.ts';
import { type ContentSlot, ContentCompiler } from './content.ts';
import type { InheritedNames } from './inherited-names.ts';
import { type CodeFacts, isLiveAttribute } from './liveness.ts';
import { type PieceCode, type PieceNames, expressionPiece, spreadPiece } from './piece-code.ts';
import { isComponentName } from './references.ts';
import { type NameText, keyText } from './rewrite.ts';
import { CompileError } from './syntax.ts';

/** A computed part of a document's body. */
export interface Piece {
  /** Its index in the `$pieces` export of the document's module. */
  index: number;
  /**
   * The author's own element or one with a handler, an expression in braces, or an attribute value in braces.
   */
  kind: 'element' | 'expression' | 'attribute';
  /** It is interactive once the page is shown. */
  interactive: boolean;
  /** The element's children, if any. */
  content?: PieceContent | undefined;
  line: number;
  column: number;
}

export interface PieceContent {
  /** The slot of all children. */
  whole: number;
  /** The slots of the children when they are placed unchanged; undefined when they contain code. */
  slots: { first: number; last: number } | undefined;
  /** The slots of all parts of the children. */
  parts: { first: number; last: number };
  /** Contains components of the format, which other components look for. */
  hasBuiltIn: boolean;
  /** Contains code, also in parts that code may read. */
  hasCode: boolean;
  /** Contains interactive code. */
  interactive: boolean;
}

export interface CompiledPiece extends Piece, CodeFacts {
  code: string;
  /** Other pieces that it runs. */
  pieces: readonly number[];
  /** Those of them that are part of its content in every placement. */
  shownPieces: readonly number[];
}

export interface Problem {
  message: string;
  line: number;
  column: number;
  file: string;
}

export interface DocumentPieces {
  pieces: CompiledPiece[];
  ofNode: Map<Node, CompiledPiece>;
  ofAttributes: Map<Node, (CompiledPiece | undefined)[]>;
  /** Page content that pieces place, by number. */
  slots: readonly ContentSlot[];
  problems: Problem[];
}

const maxPieces = 5000;

/** `textOf` is how the document's module reads names that it imports and declares. */
export function piecesOf(
  file: string,
  document: Document,
  textOf: NameText,
  inherited: InheritedNames,
): DocumentPieces {
  return new Pieces(file, document, { textOf, inherited }).collect();
}

class Pieces {
  readonly #file: string;
  readonly #document: Document;
  readonly #names: PieceNames;
  readonly #content: ContentCompiler;
  readonly #found: DocumentPieces;

  constructor(file: string, document: Document, names: PieceNames) {
    this.#file = file;
    this.#document = document;
    this.#names = names;
    this.#content = new ContentCompiler(document, {
      pieceOf: (node) => this.#found.ofNode.get(node)?.index,
      isOwn: (node) => this.#isOwn(node),
      propsOf: (node) => {
        const { text, pieces } = propsText(node, this.#found.ofAttributes.get(node) ?? []);
        return { text, pieces: pieces.map(({ index }) => index) };
      },
    });
    const { slots } = this.#content;
    this.#found = { pieces: [], ofNode: new Map(), ofAttributes: new Map(), slots, problems: [] };
  }

  collect(): DocumentPieces {
    this.#visit(this.#document.tree);
    return this.#found;
  }

  /** Visits children first: an element contains the pieces inside it. */
  #visit(node: Node): void {
    node.children?.forEach((child) => this.#visit(child));
    if (node.type === 'mdxJsxFlowElement' || node.type === 'mdxJsxTextElement') this.#element(node);
    else if (node.type === 'mdxFlowExpression' || node.type === 'mdxTextExpression') {
      const source = node.value ?? '';
      if (!isEmptyExpression(source)) {
        const piece = this.#compile(this.#placeOf(node), 'expression', () =>
          expressionPiece(source, this.#names),
        );
        if (piece) this.#found.ofNode.set(node, piece);
      }
    }
  }

  #isOwn(node: Node): boolean {
    if (!node.type.startsWith('mdxJsx')) return false;
    const isNamed = Boolean(node.name) && this.#typeText(node.name ?? '') !== undefined;
    return isNamed || (node.attributes ?? []).some(isLive);
  }

  #element(node: Node): void {
    const attributes = node.attributes ?? [];
    const places = new AttributePlaces(this.#document, node);
    const computed = attributes.map((attribute) => this.#attribute(attribute, places));
    if (computed.some(Boolean)) this.#found.ofAttributes.set(node, computed);
    const type = node.name ? this.#typeText(node.name) : undefined;
    if (type === undefined && !attributes.some(isLive)) return;
    const piece = this.#compile(this.#placeOf(node), 'element', () =>
      this.#elementPiece(type ?? JSON.stringify(node.name), node, computed),
    );
    if (piece) this.#found.ofNode.set(node, piece);
  }

  #typeText(name: string): string | undefined {
    const root = name.split('.', 1)[0] ?? '';
    if (name === root && !isComponentName(name)) return undefined;
    const text = this.#names.textOf(root, 'element');
    return text === undefined ? undefined : text + name.slice(root.length);
  }

  #attribute({ name, value }: JsxAttribute, places: AttributePlaces): CompiledPiece | undefined {
    if (name === undefined) {
      const source = typeof value === 'string' ? value : '';
      return this.#compile(places.next(source), 'attribute', () => spreadPiece(source, this.#names));
    }
    if (typeof value !== 'object' || value === null || isEmptyExpression(value.value)) return undefined;
    const place = places.next(value.value);
    const piece = this.#compile(place, 'attribute', () => expressionPiece(value.value, this.#names));
    if (piece && isLiveAttribute(name)) piece.live = true;
    return piece;
  }

  #placeOf({ position }: Node): SourcePlace {
    const { line, column } = position?.start ?? { line: 1, column: 1 };
    return { line: line + this.#document.linesBefore, column };
  }

  #elementPiece(type: string, node: Node, computed: readonly (CompiledPiece | undefined)[]): PieceCode {
    const root = node.name?.split('.', 1)[0] ?? '';
    const { text: props, pieces } = propsText(node, computed);
    const facts: CodeFacts = { live: false, uses: new Set([root]) };
    for (const piece of pieces) addFacts(facts, piece);
    const before = this.#content.slots.length;
    const { children, shown, used } = this.#content.compile(node.children ?? []);
    if (children.length === 0)
      return {
        ...facts,
        code: `($$given, $$content) => $$element(${type}, ${props}, [])`,
        pieces: pieces.map(({ index }) => index),
        shownPieces: [],
      };
    const last = this.#content.slots.length - 1;
    const whole = this.#content.whole(node.children ?? []);
    const inner = children.join(', ');
    return {
      ...facts,
      code: `($$given, $$content, $$whole) => $$element(${type}, ${props}, $$whole ? [$$content(${whole})] : [${inner}])`,
      pieces: [...pieces.map(({ index }) => index), ...used],
      shownPieces: shown,
      content: {
        whole,
        slots: children.every((child, index) => child.startsWith(`$$content(${before + index},`))
          ? { first: before, last: before + children.length - 1 }
          : undefined,
        parts: { first: before, last },
        hasBuiltIn: (node.children ?? []).some(
          ({ type, name }) => type.startsWith('mdxJsx') && !/^[a-z]/.test(name ?? ''),
        ),
        hasCode: used.length > 0,
        interactive: false,
      },
    };
  }

  #compile(place: SourcePlace, kind: Piece['kind'], compile: () => PieceCode): CompiledPiece | undefined {
    const { pieces, problems } = this.#found;
    const file = this.#file;
    const { line, column } = place;
    if (pieces.length === maxPieces) {
      if (problems.at(-1)?.message !== tooMany) problems.push({ message: tooMany, file, line, column });
      return undefined;
    }
    try {
      const piece = { ...compile(), index: pieces.length, kind, interactive: false, line, column };
      pieces.push(piece);
      return piece;
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      problems.push({
        message: error.message,
        file,
        line: line + error.line - 1,
        column: error.line === 1 ? column + error.column - 1 : error.column,
      });
      return undefined;
    }
  }
}

const tooMany = `the page has more than ${maxPieces} expressions`;

function isLive({ name, value }: JsxAttribute): boolean {
  return name !== undefined && isLiveAttribute(name) && typeof value === 'object' && value !== null;
}

/** The element's properties as the source of an object literal, with the pieces that compute them. */
function propsText(
  { attributes = [] }: Node,
  computed: readonly (CompiledPiece | undefined)[],
): { text: string; pieces: CompiledPiece[] } {
  const props = attributes.flatMap((attribute, index): string[] => {
    const piece = computed[index];
    const value = attribute.value ?? true;
    const isComputed = attribute.name === undefined || typeof value === 'object';
    if (isComputed && !piece) return [];
    const text = piece ? `$$pieces[${piece.index}]($$given)` : JSON.stringify(value);
    return [attribute.name === undefined ? `...${text}` : `${keyText(attribute.name)}: ${text}`];
  });
  return { text: `{ ${props.join(', ')} }`, pieces: computed.flatMap((piece) => piece ?? []) };
}

function addFacts(facts: CodeFacts, { live, uses }: CodeFacts): void {
  facts.live ||= live;
  for (const used of uses) facts.uses.add(used);
}

/**
 * Locates the code in an element's tag: the parser reports only where the element begins. Attributes must be
 * requested in order.
 */
class AttributePlaces {
  readonly #text: string;
  #end: number;
  #offset: number;
  #place: SourcePlace;

  constructor({ text, linesBefore }: Document, { position }: Node) {
    const { line, column, offset } = { offset: 0, ...(position?.start ?? { line: 1, column: 1 }) };
    this.#text = text;
    this.#offset = offset;
    this.#end = position?.end?.offset ?? offset;
    this.#place = { line: line + linesBefore, column };
  }

  /** Falls back to the previous position when the text is not found. */
  next(code: string): SourcePlace {
    /** The parser removes the indentation of further lines, so only the first is compared. */
    const start = `{${code.includes('\n') ? code.slice(0, code.indexOf('\n') + 1) : code}`;
    const found = this.#text.slice(this.#offset, this.#end).indexOf(start);
    /** The parser has changed the text. Searching a large element once per attribute would be quadratic. */
    if (found < 0) this.#end = this.#offset;
    if (found < 0) return this.#place;
    const lines = this.#text.slice(this.#offset, this.#offset + found).split('\n');
    const lastLength = lines.at(-1)?.length ?? 0;
    const { line, column } = this.#place;
    this.#place = {
      line: line + lines.length - 1,
      column: lines.length === 1 ? column + lastLength : lastLength + 1,
    };
    this.#offset += found;
    return this.#place;
  }
}
