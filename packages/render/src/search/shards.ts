/** Writes term lines and page entries into files of bounded length. */
import { type SearchWords, searchWords } from './browser-code.ts';

export interface SearchFile {
  path: string;
  content: string;
}

/** A term in more sections keeps only its best postings. */
export const defaultMaxPostings = 2500;
const termShardLength = 7000;
const pageShardLength = 7000;
const words: SearchWords = searchWords();
const digitCodes = Uint8Array.from(words.digits, (digit) => digit.charCodeAt(0));

export class TermShards {
  /** The shortest prefix of each file's first term that distinguishes it from the previous term. */
  readonly starts: string[] = [];
  #previous = '';
  #lines: string[] = [];
  #length = 0;

  /** Terms must be added in order. Returns the file when it is full. */
  add(term: string, postings: string): SearchFile | undefined {
    const isFirst = this.#lines.length === 0;
    const shared = sharedLength(this.#previous, term);
    if (isFirst) this.starts.push(shortestStart(term, this.#previous));
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
  readonly starts: number[] = [];
  #next = 0;
  #entries: string[] = [];
  #length = 0;

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

function searchPath(name: string): string {
  return `_docyard/search/${name}.js`;
}

export function searchFile(name: string, data: string): SearchFile {
  return { path: searchPath(name), content: `docyardSearch("${name}",${data})\n` };
}

/**
 * Gaps between section numbers, then steps, then the total when postings were dropped. A gap has one digit up
 * to 59, two up to 2,789, otherwise five. Postings must be in order.
 */
export function packPostings(postings: Uint32Array, firstSections: Uint32Array, total: number): string {
  const maxBytes = postings.length * 6 + 1;
  if (packed.length < maxBytes) packed = Buffer.alloc(maxBytes);
  const bytes = packed;
  let end = 0;
  let last = -1;
  for (let at = 0; at < postings.length; at++) {
    const posting = postings[at] as number;
    const section = (firstSections[posting >>> 14] as number) + ((posting >>> 7) & 127);
    end = writeGap(bytes, end, section - last - 1);
    last = section;
  }
  bytes[end++] = 32;
  for (let at = 0; at < postings.length; at++)
    bytes[end++] = digitCodes[(postings[at] as number) & 127] as number;
  const text = bytes.toString('latin1', 0, end);
  return postings.length < total ? `${text} ${total}` : text;
}

let packed = Buffer.alloc(defaultMaxPostings * 6 + 1);

function writeGap(bytes: Uint8Array, at: number, gap: number): number {
  if (gap < 60) bytes[at] = digitCodes[gap] as number;
  if (gap < 60) return at + 1;
  const rest = gap - 60;
  if (rest < 30 * 91) {
    bytes[at] = digitCodes[60 + Math.floor(rest / 91)] as number;
    bytes[at + 1] = digitCodes[rest % 91] as number;
    return at + 2;
  }
  bytes[at] = digitCodes[90] as number;
  for (let place = 4, left = gap; place > 0; place--, left = Math.floor(left / 91))
    bytes[at + place] = digitCodes[left % 91] as number;
  return at + 5;
}

function shortestStart(term: string, previous: string): string {
  return term.slice(0, sharedLength(previous, term) + 1);
}

export function sharedLength(a: string, b: string): number {
  const maxShared = Math.min(a.length, b.length, 60);
  let at = 0;
  while (at < maxShared && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  /** Never splits a surrogate pair. */
  return at > 0 && (b.charCodeAt(at - 1) & 0xfc_00) === 0xd8_00 ? at - 1 : at;
}
