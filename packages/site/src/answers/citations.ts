/**
 * Lets the text of a model through with citations of known passages only. Text is held back until the first of them, so a
 * reader never sees an answer that cites nothing.
 */
const citation = /\[(\d{1,3}(?:\s{0,3},\s{0,3}\d{1,3}){0,9})\]/g;
/** A citation that may continue in the next piece. */
const openCitation = /\[[\d\s,]{0,60}$/;

export class CitationFilter {
  readonly #passageCount: number;
  readonly #cited = new Set<number>();
  #held = '';

  constructor(passageCount: number) {
    this.#passageCount = passageCount;
  }

  /** Numbers of passages, in the order of their first citation. */
  get cited(): number[] {
    return [...this.#cited];
  }

  /** What may be shown now. */
  push(piece: string): string {
    this.#held += piece;
    const open = openCitation.exec(this.#held)?.index ?? this.#held.length;
    return this.#release(open);
  }

  end(): string {
    return this.#release(this.#held.length);
  }

  #release(end: number): string {
    const text = this.#held.slice(0, end).replaceAll(citation, (_, list: string) => this.#known(list));
    this.#held = (this.#cited.size === 0 ? text : '') + this.#held.slice(end);
    return this.#cited.size === 0 ? '' : text;
  }

  #known(list: string): string {
    const numbers = list.split(',').map(Number);
    const known = numbers.filter((number) => number >= 1 && number <= this.#passageCount);
    for (const number of known) this.#cited.add(number);
    return known.map((number) => `[${number}]`).join('');
  }
}
