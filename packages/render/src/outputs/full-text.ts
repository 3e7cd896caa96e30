/**
 * Collects page Markdown for llms-full.txt, independent of arrival order. It keeps only as much as the file can
 * hold, so memory is bounded and the result is deterministic.
 */
import type { SpillBytes } from '../text/spill.ts';

const maxBytes = 50_000_000;
const pieceBytes = 1024 * 1024;

interface StoredSection {
  length: number;
  content: () => Uint8Array;
}

export class FullText {
  readonly #sections = new Map<number, StoredSection>();
  readonly #maxBytes: number;
  readonly #spill: SpillBytes;
  #bytes = 0;
  #last = -1;

  constructor({ limit = maxBytes, spill = inMemory }: { limit?: number; spill?: SpillBytes } = {}) {
    this.#maxBytes = limit;
    this.#spill = spill;
  }

  /** False when earlier pages already fill the file. */
  hasRoomAt(position: number): boolean {
    return position < this.#last || this.#bytes <= this.#maxBytes;
  }

  add(position: number, section: Uint8Array): void {
    this.#add(position, { length: section.length, content: this.#spill(section) });
  }

  list(): [position: number, bytes: number][] {
    return this.positions().map((position) => [position, this.#sections.get(position)?.length ?? 0]);
  }

  get bytes(): number {
    return this.#bytes;
  }

  #add(position: number, section: StoredSection): void {
    this.#sections.set(position, section);
    this.#bytes += section.length;
    this.#last = Math.max(this.#last, position);
    /** Drops the last page while the pages before it already fill the file. */
    for (let last = this.#sections.get(this.#last); last; last = this.#sections.get(this.#last)) {
      if (this.#bytes - last.length <= this.#maxBytes) return;
      this.#sections.delete(this.#last);
      this.#bytes -= last.length;
      this.#last = -1;
      for (const other of this.#sections.keys()) this.#last = Math.max(this.#last, other);
    }
  }

  *sections(): Generator<Uint8Array> {
    for (const position of this.positions()) yield this.section(position);
  }

  positions(): number[] {
    let bytes = 0;
    const all = [...this.#sections.keys()].toSorted((a, b) => a - b);
    const end = all.findIndex(
      (position) => (bytes += this.#sections.get(position)?.length ?? 0) > this.#maxBytes,
    );
    return end < 0 ? all : all.slice(0, end);
  }

  section(position: number): Uint8Array {
    return this.#sections.get(position)?.content() ?? new Uint8Array();
  }
}

function inMemory(bytes: Uint8Array): () => Uint8Array {
  /** A copy: a view would keep the whole underlying buffer alive. */
  const own = new Uint8Array(bytes);
  return () => own;
}

/** Combines small chunks in one reused buffer. Each piece is valid until the next is requested. */
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
