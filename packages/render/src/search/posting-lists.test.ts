import { describe, expect, it } from 'vitest';
import { PostingLists } from './posting-lists.ts';

function posting(page: number, section: number, step: number): number {
  return ((page << 14) | (section << 7) | step) >>> 0;
}

describe('the postings of a term', () => {
  it('postings are in section order, independent of the page order', () => {
    const lists = new PostingLists(100);
    for (const page of [3, 1, 200_000, 2]) lists.add(0, posting(page, 5, 9));
    expect([...lists.best(0)]).toEqual([1, 2, 3, 200_000].map((page) => posting(page, 5, 9)));
  });

  it('postings are cut to the best, and all are counted', () => {
    const all = Array.from({ length: 5000 }, (_, at) => posting(at, at % 7, (at * 37) % 50));
    const best = all.toSorted((a, b) => (b & 127) - (a & 127) || a - b);
    for (const order of [all, all.toReversed(), best, best.toReversed()]) {
      const lists = new PostingLists(100);
      for (const each of order) lists.add(0, each);
      expect(lists.total(0)).toBe(5000);
      expect([...lists.best(0)]).toEqual(best.slice(0, 100).toSorted((a, b) => a - b));
    }
  });

  it('of equal weights the first sections are kept', () => {
    const lists = new PostingLists(10);
    for (let page = 0; page < 40; page++) lists.add(0, posting(page, 0, 30));
    expect([...lists.best(0)].map((each) => each >>> 14)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('postings are the same when most of them were spilled in several runs', () => {
    let parts = 0;
    const spill = (bytes: Uint8Array): (() => Uint8Array) => {
      parts += 1;
      // Restored bytes may begin at any alignment.
      const kept = Buffer.concat([Buffer.from('x'), bytes]).subarray(1);
      return () => kept;
    };
    const [plain, lists] = [new PostingLists(120), new PostingLists(120, spill)];
    const terms = 60_000;
    for (let page = 0; page < 300; page++)
      // New terms arrive with every page, and some are rare.
      for (let term = 0; term < Math.min(terms, 500 + page * 1000); term += 1 + (page % 3)) {
        const each = posting((page * 7919) % 300, term % 5, (page * 37 + term) % 50);
        plain.add(term, each);
        lists.add(term, each);
      }
    expect(parts).toBeGreaterThan(1);
    for (let term = 0; term < terms; term += 7) {
      expect(lists.best(term)).toEqual(plain.best(term));
      expect(lists.total(term)).toBe(plain.total(term));
    }
  });

  it('postings of many terms stay separate', () => {
    const lists = new PostingLists(1000);
    const terms = 40_000;
    for (let round = 0; round < 5; round++)
      for (let term = 0; term < terms; term++)
        if (term % (round + 1) === 0) lists.add(term, posting(term, round, 1));
    for (let term = 0; term < terms; term += 997) {
      const rounds = [0, 1, 2, 3, 4].filter((round) => term % (round + 1) === 0);
      expect([...lists.best(term)]).toEqual(rounds.map((round) => posting(term, round, 1)));
    }
  });
});
