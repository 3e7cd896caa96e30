/**
 * The postings of every term while pages come in, in any order: 18 bits of page, 7 of section, 7 of the step of weight,
 * which sort as numbers into the order of sections. Of a term that is everywhere only the best are kept, so that memory
 * does not grow with it. 50,000 pages of the corpus have 16 million postings; they take 78 MB here, and 17 where they can be
 * set aside until all are there.
 */
import type { SetAside } from '../text/kept.ts';
import { grown } from './grown.ts';

export const pagesAtMost = 1 << 18;

/** Lists that were set aside together: where that of each term ends, and all of them in the order of terms. */
interface Run {
  ends: Uint32Array;
  postings: Uint32Array;
}

export class PostingLists {
  readonly #most: number;
  readonly #setAside: SetAside | undefined;
  readonly #mostBlocks: number;
  readonly #aside: (() => Run)[] = [];
  #runs: Run[] = [];
  /** A list of so many is cut to the best: a list twice as long as need be took 24 MB more at 50,000 pages. */
  readonly #cutAt: number;
  readonly #blocks: Uint32Array[] = [];
  #used = blockLength;
  /** Places of lists that have moved to larger ones, by size: two to the power of the index. */
  readonly #free: number[][] = Array.from({ length: 32 }, () => []);
  /** By term: where its list is, how long it is, how much fits (as a power of two), and how many there were in all. */
  #places = new Uint32Array(initialTerms);
  #counts = new Uint32Array(initialTerms);
  #sizes = new Uint8Array(initialTerms);
  #totals = new Uint32Array(initialTerms);
  /** The worst rank that can still be among the best, once there were more than fit. */
  #floors = new Uint32Array(initialTerms).fill(0xff_ff_ff_ff);

  /** Of no term more than so many are kept; of all together so many megabytes, if they can be set aside. */
  constructor(most: number, setAside?: SetAside, mostBlocks = 16) {
    this.#most = most;
    this.#setAside = setAside;
    this.#mostBlocks = mostBlocks;
    this.#cutAt = 2 ** Math.ceil(Math.log2(most * 1.25));
  }

  /** Terms are numbered without gaps. */
  add(term: number, posting: number): void {
    if (term >= this.#counts.length) this.#grow();
    if (this.#setAside && this.#blocks.length > this.#mostBlocks) this.#putAside(this.#setAside);
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

  /** How many postings a term had, whether they are kept or not. */
  total(term: number): number {
    return this.#totals[term] as number;
  }

  /** The best in the order of sections. */
  best(term: number): Uint32Array {
    const list = this.#whole(term);
    if (list.length > this.#most) return bestOf(list, this.#most);
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

  /** Each list without the room it had to grow. What is left here is as if nothing had come yet. */
  #putAside(setAside: SetAside): void {
    const terms = this.#counts.findLastIndex((count) => count > 0) + 1;
    const ends = new Uint32Array(terms);
    let length = 0;
    for (let term = 0; term < terms; term++) ends[term] = length += this.#counts[term] as number;
    const all = new Uint32Array(terms + length);
    all.set(ends);
    for (let term = 0; term < terms; term++)
      if (this.#counts[term] !== 0)
        all.set(this.#list(term), terms + (ends[term] as number) - (this.#counts[term] as number));
    const get = setAside(new Uint8Array(all.buffer));
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
    const kept = ranks.subarray(0, this.#most);
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
    this.#places = grown(this.#places, terms * 2);
    this.#counts = grown(this.#counts, terms * 2);
    this.#sizes = grown(this.#sizes, terms * 2);
    this.#totals = grown(this.#totals, terms * 2);
    this.#floors = grown(this.#floors, terms * 2).fill(0xff_ff_ff_ff, terms);
  }
}

const noPostings = new Uint32Array();
const initialTerms = 1 << 6;
const blockBits = 18;
const blockLength = 1 << blockBits;

/** A copy only of what begins where numbers cannot. */
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

/** The best posting has the smallest: most weight first, then the order of sections. */
function rankOf(posting: number): number {
  return (((127 - (posting & 127)) << 25) | (posting >>> 7)) >>> 0;
}

function postingOf(rank: number): number {
  return ((rank << 7) | (127 - (rank >>> 25))) >>> 0;
}
