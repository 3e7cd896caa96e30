/**
 * Content-defined chunking of files larger than a block: the bytes before a position decide whether a chunk
 * ends there, so that an edit changes few chunks.
 */
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** A piece of a large file with the key of its bytes in the archive. */
export interface LargePiece {
  end: number;
  key: string;
}

export const maxPieceBytes = 1024 * 1024;
const minPieceBytes = 768 * 1024;
/**
 * A line ends a piece if the checksum of its last bytes is divisible by 64. Only `maxLines` lines are tried.
 */
const decidingBytes = 32;
const maxLines = 4096;
const newline = 0x0a;
const recordBytes = 512;

interface PieceStorage {
  /** Room for two pieces. */
  buffer: Buffer;
  /** Returns the position of the piece. */
  put(bytes: Uint8Array): number;
}

/** A file that is split while it is read. */
export class LargeFile {
  readonly #path: string;
  readonly #rules: string;
  readonly #storage: PieceStorage;
  readonly #pieces: LargePiece[] = [];
  readonly #offsets = new Map<number, number>();
  readonly #buffer: Buffer;
  #from = 0;
  #to = 0;

  constructor(path: string, rules: string, storage: PieceStorage) {
    this.#path = path;
    this.#rules = rules;
    this.#storage = storage;
    this.#buffer = storage.buffer;
  }

  add(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;) {
      if (this.#from === this.#to) done += this.#splitInPlace(bytes.subarray(done));
      this.#buffer.copyWithin(0, this.#from, this.#to);
      this.#to -= this.#from;
      this.#from = 0;
      const taken = bytes.subarray(done, done + this.#buffer.length - this.#to);
      this.#buffer.set(taken, this.#to);
      this.#to += taken.length;
      done += taken.length;
      while (this.#to - this.#from > maxPieceBytes) this.#splitBuffered();
      const left = this.#to - this.#from;
      if (done === bytes.length || left > taken.length) continue;
      // The buffered bytes are still part of the input, which has more after them.
      done -= left;
      this.#from = this.#to;
    }
  }

  /** Returns how many bytes were split; the rest is buffered. */
  #splitInPlace(bytes: Uint8Array): number {
    let done = 0;
    while (bytes.length - done > maxPieceBytes) {
      const window = bytes.subarray(done, done + maxPieceBytes);
      const piece = window.subarray(0, splitPoint(window));
      this.#addPiece(piece, false);
      done += piece.length;
    }
    return done;
  }

  /** `offsets` has the position of each piece by its start in the file. */
  end(): { pieces: LargePiece[]; offsets: ReadonlyMap<number, number> } {
    while (this.#to > this.#from) this.#splitBuffered(this.#to);
    const sizeBytes = this.#pieces.at(-1)?.end ?? 0;
    // The first block also contains the tar header, and the last one the padding.
    const [first, last] = [this.#pieces[0], this.#pieces.at(-1)];
    if (first) first.key = this.#keyOf(first.key, { header: `${this.#path}\0${sizeBytes}` });
    if (last) last.key = this.#keyOf(last.key, { padding: `${sizeBytes % recordBytes}\0` });
    return { pieces: this.#pieces, offsets: this.#offsets };
  }

  #splitBuffered(end?: number): void {
    const window = this.#buffer.subarray(this.#from, Math.min(this.#from + maxPieceBytes, this.#to));
    const piece = window.subarray(0, window.length < maxPieceBytes ? window.length : splitPoint(window));
    this.#from += piece.length;
    this.#addPiece(piece, this.#from === end);
  }

  #addPiece(piece: Uint8Array, isLast: boolean): void {
    const start = this.#pieces.at(-1)?.end ?? 0;
    const isAtEdge = start === 0 || isLast;
    // The keys of the first and last piece depend on the file size and are completed in `end`.
    const key = isAtEdge ? sha256Of(piece) : this.#keyOf(sha256Of(piece));
    this.#offsets.set(start, this.#storage.put(piece));
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

function splitPoint(window: Uint8Array): number {
  let at = window.indexOf(newline, minPieceBytes);
  for (let lines = 0; at !== -1 && lines < maxLines; lines += 1) {
    if (crc32(window.subarray(at - decidingBytes, at)) % 64 === 0) return at + 1;
    at = window.indexOf(newline, at + 1);
  }
  return window.length;
}
