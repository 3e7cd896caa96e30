/**
 * Writes the lines of terms and the entries of pages into files of a certain length. Where a file ends depends only on
 * what came since it began: an index that is brought up to date gets the same files as one that is built anew.
 */
import { type SearchWords, searchWords } from './browser-code.ts';

export interface SearchFile {
  path: string;
  content: string;
}

/** Of a term that is in more sections than this only the best are in its line. */
export const maximumPostings = 2500;
const termShardLength = 14_000;
const pageShardLength = 9000;
const words: SearchWords = searchWords();
const digitCodes = Uint8Array.from(words.digits, (digit) => digit.charCodeAt(0));

export class TermShards {
  /** Enough of the first term of each file to tell it from the term before. */
  readonly starts: string[];
  #lines: string[] = [];
  #length = 0;
  #previous: string;

  /** Goes on after files with these starts, the last of which ends with the term given. */
  constructor(starts: string[] = [], previous = '') {
    this.starts = starts;
    this.#previous = previous;
  }

  get isBetweenFiles(): boolean {
    return this.#lines.length === 0;
  }

  /** Adds a term, which comes after all before it, with its packed postings; answers the file when it is full. */
  add(term: string, postings: string): SearchFile | undefined {
    const isFirst = this.#lines.length === 0;
    const shared = sharedLength(this.#previous, term);
    if (isFirst) this.starts.push(term.slice(0, shared + 1));
    const line = isFirst
      ? `${words.digits[0]}${term} ${postings}`
      : `${words.digits[shared]}${term.slice(shared)} ${postings}`;
    this.#previous = term;
    this.#lines.push(line);
    this.#length += line.length + 1;
    return this.#length < termShardLength ? undefined : this.end();
  }

  end(): SearchFile | undefined {
    if (this.#lines.length === 0) return undefined;
    const file = searchFile(`t${this.starts.length - 1}`, `\`${this.#lines.join('\n')}\``);
    this.#lines = [];
    this.#length = 0;
    return file;
  }
}

export class PageShards {
  /** The first page of each file. */
  readonly starts: number[];
  #next: number;
  #entries: string[] = [];
  #length = 0;

  /** Goes on after files with these starts, with this page. */
  constructor(starts: number[] = [], next = 0) {
    this.starts = starts;
    this.#next = next;
  }

  get isBetweenFiles(): boolean {
    return this.#entries.length === 0;
  }

  add(entry: string): SearchFile | undefined {
    if (this.#entries.length === 0) this.starts.push(this.#next);
    this.#entries.push(entry);
    this.#length += entry.length;
    this.#next++;
    return this.#length < pageShardLength ? undefined : this.end();
  }

  end(): SearchFile | undefined {
    if (this.#entries.length === 0) return undefined;
    const file = searchFile(`p${this.starts.length - 1}`, `[${this.#entries.join(',\n')}]`);
    this.#entries = [];
    this.#length = 0;
    return file;
  }
}

export function searchPath(name: string): string {
  return `_docyard/search/${name}.js`;
}

export function searchFile(name: string, data: string): SearchFile {
  return { path: searchPath(name), content: `docyardSearch("${name}",${data})\n` };
}

/**
 * Gaps between section numbers, then steps, then the number of sections when only the best are here. A gap is one digit
 * up to 59, two up to 2,789, else five.
 */
export class PostingWriter {
  #bytes = Buffer.alloc(maximumPostings * 6);
  #gapsEnd = 0;
  #steps = Buffer.alloc(maximumPostings);
  #count = 0;
  #last = -1;

  /** In the order of sections, and not more than `maximumPostings`. */
  add(section: number, step: number): void {
    const value = section - this.#last - 1;
    this.#last = section;
    const bytes = this.#bytes;
    if (value < 60) bytes[this.#gapsEnd++] = digitCodes[value] as number;
    else if (value < 60 + 30 * 91) {
      const rest = value - 60;
      bytes[this.#gapsEnd++] = digitCodes[60 + Math.floor(rest / 91)] as number;
      bytes[this.#gapsEnd++] = digitCodes[rest % 91] as number;
    } else {
      bytes[this.#gapsEnd++] = digitCodes[90] as number;
      for (let place = 3, left = value; place >= 0; place--, left = Math.floor(left / 91))
        bytes[this.#gapsEnd + place] = digitCodes[left % 91] as number;
      this.#gapsEnd += 4;
    }
    this.#steps[this.#count++] = digitCodes[step] as number;
  }

  /** `total` is how many there would be without the limit. Starts over. */
  end(total: number): string {
    const bytes = this.#bytes;
    bytes[this.#gapsEnd] = 32;
    bytes.set(this.#steps.subarray(0, this.#count), this.#gapsEnd + 1);
    const text = bytes.toString('latin1', 0, this.#gapsEnd + 1 + this.#count);
    const isCut = this.#count < total;
    this.#gapsEnd = this.#count = 0;
    this.#last = -1;
    return isCut ? `${text} ${total}` : text;
  }
}

export function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length, 60);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  /** Never between the halves of one character. */
  return at > 0 && (b.charCodeAt(at - 1) & 0xfc_00) === 0xd8_00 ? at - 1 : at;
}
