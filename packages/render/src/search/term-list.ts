/**
 * The terms a process has met, by number, and what is counted about each of them on the page at hand. Arrays of numbers
 * instead of an object for each term: a page touches several hundred.
 */
import type { TermKey } from './browser-code.ts';
import { grown } from './grown.ts';
import { writeNumber } from './packed-terms.ts';

export class TermList {
  count = 0;
  /** Too common to look for. */
  isCommon = new Uint8Array(initialCount);
  /** Which section the next two are about; sections are numbered through the life of the process. */
  section = new Int32Array(initialCount);
  times = new Float64Array(initialCount);
  weight = new Float64Array(initialCount);
  /** The field of a section that was read last, and the part of its weight the term has. */
  field = new Int32Array(initialCount);
  share = new Float64Array(initialCount);
  /** The posting before, on the same page, or -1. */
  lastPosting = new Int32Array(initialCount);
  page = new Int32Array(initialCount);
  #texts = new Uint8Array(1 << 8);
  #ends = new Int32Array(initialCount);

  /** An array that is replaced once before it is used is not taken for one that never will be, which would cost compiled code. */
  constructor() {
    this.#grow();
    this.#texts = grown(this.#texts, 1);
  }

  clear(): void {
    this.count = 0;
  }

  numberOf(key: TermKey): number {
    if (typeof key.note === 'number') return key.note;
    if (this.count === this.section.length) this.#grow();
    const number = this.count++;
    key.note = number;
    this.isCommon[number] = key.common ? 1 : 0;
    this.section[number] = this.field[number] = this.page[number] = 0;
    const start = number === 0 ? 0 : (this.#ends[number - 1] as number);
    /** A unit is three bytes at most. */
    const most = start + key.text.length * 3;
    if (most > this.#texts.length) this.#texts = grown(this.#texts, most);
    this.#ends[number] = this.#writeText(key.text, start);
    return number;
  }

  #writeText(text: string, start: number): number {
    const texts = this.#texts;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit > 127) return start + utf8.encodeInto(text, texts.subarray(start)).written;
      texts[start + at] = unit;
    }
    return start + text.length;
  }

  /** Writes the length of a term and its text in UTF-8; answers where it ends. There must be room for it. */
  write(number: number, bytes: Uint8Array, at: number): number {
    const texts = this.#texts;
    let from = number === 0 ? 0 : (this.#ends[number - 1] as number);
    const end = this.#ends[number] as number;
    let next = writeNumber(bytes, at, end - from);
    while (from < end) bytes[next++] = texts[from++] as number;
    return next;
  }

  lengthOf(number: number): number {
    return (this.#ends[number] as number) - (number === 0 ? 0 : (this.#ends[number - 1] as number));
  }

  #grow(): void {
    const size = this.section.length * 2;
    this.isCommon = grown(this.isCommon, size);
    this.section = grown(this.section, size);
    this.times = grown(this.times, size);
    this.weight = grown(this.weight, size);
    this.field = grown(this.field, size);
    this.share = grown(this.share, size);
    this.lastPosting = grown(this.lastPosting, size);
    this.page = grown(this.page, size);
    this.#ends = grown(this.#ends, size);
  }
}

const initialCount = 1 << 6;
const utf8 = new TextEncoder();
