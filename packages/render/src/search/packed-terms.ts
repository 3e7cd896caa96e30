/** Goes through the terms of a page, and through the sections of each term. */
import type { PageTerms } from '../model/page.ts';
export class TermsReader {
  readonly bytes: Uint8Array;
  readonly sectionCount: number;
  /** The JSON of the sections. */
  readonly sections: string;
  textStart = 0;
  textEnd = 0;
  section = 0;
  step = 0;
  #at = 0;
  #isLast = true;

  constructor(terms: PageTerms) {
    this.bytes = terms;
    this.sectionCount = this.#number();
    const length = this.#number();
    this.sections = this.#string(this.#at, this.#at + length);
    this.#at += length;
  }

  /** Only when all sections of the term before were read. */
  nextTerm(): boolean {
    if (this.#at >= this.bytes.length) return false;
    const length = this.#number();
    this.textStart = this.#at;
    this.#at += length;
    this.textEnd = this.#at;
    this.#isLast = false;
    return true;
  }

  text(): string {
    return this.#string(this.textStart, this.textEnd);
  }

  nextSection(): boolean {
    if (this.#isLast) return false;
    const section = this.bytes[this.#at] as number;
    this.step = this.bytes[this.#at + 1] as number;
    this.#at += 2;
    this.section = section & 127;
    this.#isLast = section > 127;
    return true;
  }

  #string(from: number, to: number): string {
    const { buffer, byteOffset } = this.bytes;
    return Buffer.from(buffer, byteOffset + from, to - from).toString();
  }

  #number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.#at++] as number;
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  }
}

/** There must be room for five bytes. Answers where the number ends. */
export function writeNumber(bytes: Uint8Array, at: number, value: number): number {
  let left = value;
  while (left > 127) {
    bytes[at++] = (left & 127) | 128;
    left >>>= 7;
  }
  bytes[at++] = left;
  return at;
}
