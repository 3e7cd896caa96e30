/**
 * Where a file that is larger than a block is cut. The text around a place decides whether it is one, so that whoever adds a
 * sentence to llms-full.txt, 50 MB of 10,000 pages, changes one piece of it and leaves the others as they were.
 */
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** A piece of a large file: where it ends, and what names its bytes in the archive. */
export interface LargePiece {
  end: number;
  key: string;
}

export const largestPieceBytes = 1024 * 1024;
const leastPieceBytes = 768 * 1024;
/** A line ends a piece by its last characters, every 64th; a file of nothing but line ends must not take longer than others. */
const decidingBytes = 32;
const mostLines = 4096;
const newline = 0x0a;
const recordBytes = 512;

/** Where pieces lie until they are packed. */
interface PiecePlaces {
  /** Memory for two pieces, for the time until the file is here. */
  waiting: Buffer;
  /** Returns where they are. */
  put(bytes: Uint8Array): number;
}

/** One that is larger than a piece, cut while it comes. */
export class LargeFile {
  readonly #path: string;
  readonly #rules: string;
  readonly #places: PiecePlaces;
  readonly #pieces: LargePiece[] = [];
  readonly #offsets = new Map<number, number>();
  readonly #waiting: Buffer;
  #from = 0;
  #to = 0;

  constructor(path: string, rules: string, places: PiecePlaces) {
    this.#path = path;
    this.#rules = rules;
    this.#places = places;
    this.#waiting = places.waiting;
  }

  add(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;) {
      if (this.#from === this.#to) done += this.#cutWhereItLies(bytes.subarray(done));
      this.#waiting.copyWithin(0, this.#from, this.#to);
      this.#to -= this.#from;
      this.#from = 0;
      const taken = bytes.subarray(done, done + this.#waiting.length - this.#to);
      this.#waiting.set(taken, this.#to);
      this.#to += taken.length;
      done += taken.length;
      while (this.#to - this.#from > largestPieceBytes) this.#cutWaiting();
      const left = this.#to - this.#from;
      if (done === bytes.length || left > taken.length) continue;
      // All that waits is still there in what came, with more behind it.
      done -= left;
      this.#from = this.#to;
    }
  }

  /** Returns how many bytes are cut; the others have to wait for more. */
  #cutWhereItLies(bytes: Uint8Array): number {
    let done = 0;
    while (bytes.length - done > largestPieceBytes) {
      const window = bytes.subarray(done, done + largestPieceBytes);
      const piece = window.subarray(0, cutIn(window));
      this.#take(piece, false);
      done += piece.length;
    }
    return done;
  }

  /** The pieces, and where each lies, by where it begins. */
  end(): { pieces: LargePiece[]; offsets: ReadonlyMap<number, number> } {
    while (this.#to > this.#from) this.#cutWaiting(this.#to);
    const sizeBytes = this.#pieces.at(-1)?.end ?? 0;
    // What stands around the content: the header that names file and size, and what fills up the last record.
    const [first, last] = [this.#pieces[0], this.#pieces.at(-1)];
    if (first) first.key = this.#keyOf(first.key, { header: `${this.#path}\0${sizeBytes}` });
    if (last) last.key = this.#keyOf(last.key, { padding: `${sizeBytes % recordBytes}\0` });
    return { pieces: this.#pieces, offsets: this.#offsets };
  }

  #cutWaiting(end?: number): void {
    const window = this.#waiting.subarray(this.#from, Math.min(this.#from + largestPieceBytes, this.#to));
    const piece = window.subarray(0, window.length < largestPieceBytes ? window.length : cutIn(window));
    this.#from += piece.length;
    this.#take(piece, this.#from === end);
  }

  #take(piece: Uint8Array, isLast: boolean): void {
    const start = this.#pieces.at(-1)?.end ?? 0;
    const isAtEdge = start === 0 || isLast;
    // Those at the edges get their names when the size of the file is known, and here that of their content.
    const key = isAtEdge ? sha256Of(piece) : this.#keyOf(sha256Of(piece));
    this.#offsets.set(start, this.#places.put(piece));
    this.#pieces.push({ end: start + piece.length, key });
  }

  #keyOf(
    sha256: string,
    { header = '', padding = '\0' }: { header?: string; padding?: string } = {},
  ): string {
    const name = sha256Of(`${this.#rules}\n${header}\0${padding}${sha256}`);
    return `piece:${name.slice(0, 40)}`;
  }
}

function sha256Of(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

function cutIn(window: Uint8Array): number {
  let at = window.indexOf(newline, leastPieceBytes);
  for (let lines = 0; at !== -1 && lines < mostLines; lines += 1) {
    if (crc32(window.subarray(at - decidingBytes, at)) % 64 === 0) return at + 1;
    at = window.indexOf(newline, at + 1);
  }
  return window.length;
}
