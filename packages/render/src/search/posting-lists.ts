/**
 * The postings of every term while pages arrive in any order. A posting packs 18 bits of page, 7 of section
 * and 7 of weight step into a number that sorts in section order. Very common terms keep only their best
 * postings, which bounds memory.
 */
import type { SpillBytes } from '../text/spill.ts';
import { growArray } from './grow-array.ts';

export const maxPages = 1 << 18;

/** Lists that were set aside together: the end of each term's list, and all lists in the order of terms. */
interface Run {
  ends: Uint32Array;
  postings: Uint32Array;
}

export class PostingLists {
  readonly #maxPostings: number;
  readonly #spill: SpillBytes | undefined;
  readonly #maxBlocks: number;
  readonly #aside: (() => Run)[] = [];
  #runs: Run[] = [];
  /** Longer lists are cut to the best postings. */
  readonly #cutAt: number;
  readonly #blocks: Uint32Array[] = [];
  #used = blockLength;
  /** Free blocks by size: two to the power of the index. */
  readonly #free: number[][] = Array.from({ length: 32 }, () => []);
  /** By term: the position, length and capacity (as a power of two) of its list, and the total count. */
  #places = new Uint32Array(initialTerms);
  #counts = new Uint32Array(initialTerms);
  #sizes = new Uint8Array(initialTerms);
  #totals = new Uint32Array(initialTerms);
  /** The worst rank that can still be among the best, once there were more than fit. */
  #floors = new Uint32Array(initialTerms).fill(0xff_ff_ff_ff);

  /** `maxPostings` limits the postings of a term, `maxBlocks` the memory of all when they can be set aside. */
  constructor(maxPostings: number, spill?: SpillBytes, maxBlocks = 16) {
    this.#maxPostings = maxPostings;
    this.#spill = spill;
    this.#maxBlocks = maxBlocks;
    this.#cutAt = 2 ** Math.ceil(Math.log2(maxPostings * 1.25));
  }

  /** Terms are numbered without gaps. */
  add(term: number, posting: number): void {
    if (term >= this.#counts.length) this.#grow();
    if (this.#spill && this.#blocks.length > this.#maxBlocks) this.#spillLists(this.#spill);
    this.#totals[term] = (this.#totals[term] as number) + 1;
    const floor = this.#floors[term] as number;
    if (floor < 0xff_ff_ff_ff && rankOf(posting) > floor) return;
    const count = this.#counts[term] as number;
    if (count === 0 || count === 1 << (this.#sizes[term] as number)) this.#enlarge(term, count);
    const place = (this.#places[term] as number) + count;
    (this.#blocks[place >>> blockBits] as Uint32Array)[place & (blockLength - 1)] = posting;
    this.#counts[term] = count + 1;
    if (count + 1 === this.#cutAt) this.#keepBest(term);
  }

  total(term: number): number {
    return this.#totals[term] as number;
  }

  best(term: number): Uint32Array {
    const list = this.#whole(term);
    if (list.length > this.#maxPostings) return bestOf(list, this.#maxPostings);
    for (let at = 1; at < list.length; at++)
      if ((list[at] as number) < (list[at - 1] as number)) return list.toSorted();
    return list;
  }

  #whole(term: number): Uint32Array {
    if (this.#aside.length === 0) return this.#list(term);
    if (this.#runs.length === 0) this.#runs = this.#aside.map((get) => get());
    const parts = this.#runs.map(({ ends, postings }) =>
      postings.subarray(term === 0 ? 0 : ends[term - 1], ends[term] ?? 0),
    );
    const last = this.#counts[term] === 0 ? noPostings : this.#list(term);
    return joined([...parts, last].filter(({ length }) => length > 0));
  }

  /** Stores each list without its spare capacity and resets this object. */
  #spillLists(spill: SpillBytes): void {
    const terms = this.#counts.findLastIndex((count) => count > 0) + 1;
    const ends = new Uint32Array(terms);
    let length = 0;
    for (let term = 0; term < terms; term++) ends[term] = length += this.#counts[term] as number;
    const all = new Uint32Array(terms + length);
    all.set(ends);
    for (let term = 0; term < terms; term++)
      if (this.#counts[term] !== 0)
        all.set(this.#list(term), terms + (ends[term] as number) - (this.#counts[term] as number));
    const get = spill(new Uint8Array(all.buffer));
    this.#aside.push(() => {
      const found = asNumbers(get());
      return { ends: found.subarray(0, terms), postings: found.subarray(terms) };
    });
    this.#counts.fill(0);
    this.#blocks.length = 0;
    this.#used = blockLength;
    for (const places of this.#free) places.length = 0;
  }

  #list(term: number): Uint32Array {
    const start = (this.#places[term] as number) & (blockLength - 1);
    const block = this.#blocks[(this.#places[term] as number) >>> blockBits];
    return (block as Uint32Array).subarray(start, start + (this.#counts[term] as number));
  }

  #keepBest(term: number): void {
    const ranks = this.#list(term).map(rankOf).toSorted();
    const kept = ranks.subarray(0, this.#maxPostings);
    this.#floors[term] = kept.at(-1) as number;
    this.#counts[term] = kept.length;
    this.#list(term).set(kept.map(postingOf));
  }

  #enlarge(term: number, count: number): void {
    const size = count === 0 ? 1 : (this.#sizes[term] as number) + 1;
    const place = this.#free[size]?.pop() ?? this.#newPlace(size);
    if (count > 0) {
      const old = this.#list(term);
      (this.#blocks[place >>> blockBits] as Uint32Array).set(old, place & (blockLength - 1));
      this.#free[size - 1]?.push(this.#places[term] as number);
    }
    this.#places[term] = place;
    this.#sizes[term] = size;
  }

  #newPlace(size: number): number {
    if (this.#used + (1 << size) > blockLength) {
      this.#blocks.push(new Uint32Array(blockLength));
      this.#used = 0;
    }
    const place = (this.#blocks.length - 1) * blockLength + this.#used;
    this.#used += 1 << size;
    return place;
  }

  #grow(): void {
    const terms = this.#counts.length;
    this.#places = growArray(this.#places, terms * 2);
    this.#counts = growArray(this.#counts, terms * 2);
    this.#sizes = growArray(this.#sizes, terms * 2);
    this.#totals = growArray(this.#totals, terms * 2);
    this.#floors = growArray(this.#floors, terms * 2).fill(0xff_ff_ff_ff, terms);
  }
}

const noPostings = new Uint32Array();
const initialTerms = 1 << 6;
const blockBits = 18;
const blockLength = 1 << blockBits;

/** Copies only when the bytes are not aligned. */
function asNumbers(bytes: Uint8Array): Uint32Array {
  const { BYTES_PER_ELEMENT } = Uint32Array;
  const { buffer, byteOffset, length } = bytes.byteOffset % BYTES_PER_ELEMENT ? new Uint8Array(bytes) : bytes;
  return new Uint32Array(buffer, byteOffset, length / BYTES_PER_ELEMENT);
}

function joined(parts: readonly Uint32Array[]): Uint32Array {
  const whole = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function bestOf(postings: Uint32Array, count: number): Uint32Array {
  return postings.map(rankOf).toSorted().subarray(0, count).map(postingOf).toSorted();
}

/** The best posting has the lowest rank: highest weight first, then section order. */
function rankOf(posting: number): number {
  return (((127 - (posting & 127)) << 25) | (posting >>> 7)) >>> 0;
}

function postingOf(rank: number): number {
  return ((rank << 7) | (127 - (rank >>> 25))) >>> 0;
}
