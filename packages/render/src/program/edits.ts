/**
 * A text with edits by position. Replaced parts keep their line breaks, so that line numbers stay the
 * author's.
 */

export class Edits {
  readonly #source: string;
  readonly #edits: { start: number; end: number; text: string }[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  insert(at: number, text: string): void {
    this.#edits.push({ start: at, end: at, text });
  }

  replace(start: number, end: number, text: string): void {
    const breaks = this.#source.slice(start, end).match(/\r\n|[\n\r\u2028\u2029]/g) ?? [];
    this.#edits.push({ start, end, text: text + breaks.join('') });
  }

  result(start = 0, end = this.#source.length): string {
    const edits = this.#edits.toSorted((a, b) => a.start - b.start);
    let text = '';
    let at = start;
    for (const edit of edits) {
      if (edit.start < start || edit.end > end) continue;
      text += this.#source.slice(at, edit.start) + edit.text;
      at = edit.end;
    }
    return text + this.#source.slice(at, end);
  }
}
