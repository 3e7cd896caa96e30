/**
 * Keeps the Markdown of pages for llms-full.txt while they arrive in any order. Only as much is kept as the file can
 * hold, so that a site of any size costs the same memory, and the same pages are in the file every time.
 */
import type { SetAside } from '../text/kept.ts';

const largestBytes = 50_000_000;
const pieceBytes = 1024 * 1024;

interface KeptSection {
  length: number;
  content: () => Uint8Array;
}

export class FullText {
  readonly #sections = new Map<number, KeptSection>();
  readonly #largestBytes: number;
  readonly #setAside: SetAside;
  #bytes = 0;
  /** The last page that is kept. */
  #last = -1;

  constructor({ limit = largestBytes, setAside = inMemory }: { limit?: number; setAside?: SetAside } = {}) {
    this.#largestBytes = limit;
    this.#setAside = setAside;
  }

  /** Whether a page at this place can still be in the file: not when those before it fill it already. */
  hasRoomAt(position: number): boolean {
    return position < this.#last || this.#bytes <= this.#largestBytes;
  }

  /** `position` is the place of the page in the order of the navigation. */
  add(position: number, section: Uint8Array): void {
    this.#add(position, { length: section.length, content: this.#setAside(section) });
  }

  /** Which sections stand in the file, and how long they are. */
  list(): [position: number, bytes: number][] {
    return this.positions().map((position) => [position, this.#sections.get(position)?.length ?? 0]);
  }

  get bytes(): number {
    return this.#bytes;
  }

  #add(position: number, section: KeptSection): void {
    this.#sections.set(position, section);
    this.#bytes += section.length;
    this.#last = Math.max(this.#last, position);
    /** When the pages before the last one fill the file already, the last one cannot be in it. */
    for (let last = this.#sections.get(this.#last); last; last = this.#sections.get(this.#last)) {
      if (this.#bytes - last.length <= this.#largestBytes) return;
      this.#sections.delete(this.#last);
      this.#bytes -= last.length;
      this.#last = -1;
      for (const kept of this.#sections.keys()) this.#last = Math.max(this.#last, kept);
    }
  }

  /** The sections in order, as far as they fit. */
  *sections(): Generator<Uint8Array> {
    for (const position of this.positions()) yield this.section(position);
  }

  /** Which pages fit, in order. */
  positions(): number[] {
    let bytes = 0;
    const all = [...this.#sections.keys()].toSorted((a, b) => a - b);
    const end = all.findIndex(
      (position) => (bytes += this.#sections.get(position)?.length ?? 0) > this.#largestBytes,
    );
    return end < 0 ? all : all.slice(0, end);
  }

  section(position: number): Uint8Array {
    return this.#sections.get(position)?.content() ?? new Uint8Array();
  }
}

function inMemory(bytes: Uint8Array): () => Uint8Array {
  /** Memory of its own: a piece of a large one would keep all of that. */
  const own = new Uint8Array(bytes);
  return () => own;
}

/**
 * Large pieces out of many small ones. Each is there until the next is asked for: in one memory for all of them, 50 MB are put
 * together in 20 instead of 130 ms.
 */
export function* inLargePieces(parts: Iterable<Uint8Array>): Generator<Uint8Array> {
  const piece = new Uint8Array(pieceBytes);
  let used = 0;
  for (const part of parts) {
    if (part.length >= pieceBytes) {
      if (used > 0) yield piece.subarray(0, used);
      used = 0;
      yield part;
      continue;
    }
    for (let done = 0; done < part.length;) {
      const taken = part.subarray(done, done + pieceBytes - used);
      piece.set(taken, used);
      used += taken.length;
      done += taken.length;
      if (used < pieceBytes) continue;
      yield piece;
      used = 0;
    }
  }
  if (used > 0) yield piece.subarray(0, used);
}
