/** Reads and writes the packed terms of a page; `PageTerms` describes the format. */
import type { PageTerms } from '../model/page.ts';

/** Iterates over the terms and the sections of each term. */
export class TermsReader {
  readonly bytes: Uint8Array;
  readonly sectionCount: number;
  /** The sections as JSON. */
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

/** The weight of a term in a section, as a step of the index. */
export function packedPosting(section: number, step: number): number {
  return (section << 7) | step;
}

export const noPosting = -1;

export class TermsWriter {
  #bytes = Buffer.allocUnsafe(initialBytes);
  #end = 0;

  /** `sections` is JSON. */
  constructor(sectionCount: number, sections: string) {
    this.#number(sectionCount);
    const length = Buffer.byteLength(sections);
    this.#number(length);
    this.#reserve(length);
    this.#end += this.#bytes.write(sections, this.#end);
  }

  /** `postings` are pairs of a posting and the place of the previous one; the last one of the term is at `last`. */
  addTerm(term: Uint8Array, postings: readonly number[], last: number): void {
    this.#reserve(term.length);
    for (let at = 0; at < term.length; at++) this.#bytes[this.#end++] = term[at] as number;
    for (let at = last; at !== noPosting;) {
      const posting = postings[at] as number;
      at = postings[at + 1] as number;
      this.#reserve(2);
      this.#bytes[this.#end++] = (posting >> 7) | (at === noPosting ? 128 : 0);
      this.#bytes[this.#end++] = posting & 127;
    }
  }

  bytes(): PageTerms {
    return new Uint8Array(this.#bytes.subarray(0, this.#end));
  }

  #number(value: number): void {
    this.#reserve(maxNumberBytes);
    for (const byte of numberBytes(value)) this.#bytes[this.#end++] = byte;
  }

  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#bytes.length) return;
    this.#bytes = Buffer.concat([this.#bytes], Math.max(this.#end + bytes, 2 * this.#bytes.length));
  }
}

const initialBytes = 32 * 1024;
const maxNumberBytes = 5;

function numberBytes(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left >>>= 7) bytes.push((left & 127) | 128);
  return [...bytes, left];
}

/** A term with its length, encoded once for all pages. */
export function encodedTerm(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  return new Uint8Array([...numberBytes(bytes.length), ...bytes]);
}
