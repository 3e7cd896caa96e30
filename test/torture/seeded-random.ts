/** A seeded random number generator. Not for secrets. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(from: readonly T[]): T | undefined {
    return from[Math.floor(this.next() * from.length)];
  }

  shuffled<T>(list: readonly T[]): T[] {
    const cards = list.map((value) => ({ value, rank: this.next() }));
    return cards.toSorted((a, b) => a.rank - b.rank).map(({ value }) => value);
  }
}
