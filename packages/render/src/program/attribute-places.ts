/** Where the code in an element's tag stands. The parser tells only where the element begins, so it is searched for. */
import type { SourcePlace } from '../model/diagnostic.ts';
import type { Document } from '../document/document.ts';
import type { Node } from '../document/tree.ts';

/** Attributes must be asked for in their order: the search goes on where the last one was found. */
export class AttributePlaces {
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

  /** The place of the brace that opens before the code; of what was found last when there is no such text. */
  next(code: string): SourcePlace {
    /** Further lines are not compared: the parser takes their indentation away. */
    const start = `{${code.includes('\n') ? code.slice(0, code.indexOf('\n') + 1) : code}`;
    const found = this.#text.slice(this.#offset, this.#end).indexOf(start);
    /** The parser has changed the text; looking through a large element for each of its attributes would take long. */
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
