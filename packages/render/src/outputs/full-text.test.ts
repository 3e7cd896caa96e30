/** The text of a whole site: in order, within its bounds, whatever order pages arrive in. */
import { expect, it } from 'vitest';
import { type SetAside, packedInMemory } from '../text/kept.ts';
import { FullText, inLargePieces } from './full-text.ts';

function textOf(positions: number[], limit: number, options: { setAside?: SetAside } = {}): string {
  const text = new FullText({ limit, ...options });
  for (const position of positions) text.add(position, Buffer.from(`page-${position} `));
  return Buffer.concat([...text.sections()]).toString();
}

it('is in the order of the navigation', () => {
  expect(textOf([2, 0, 1], 1000)).toBe('page-0 page-1 page-2 ');
});

it('is the same where it is kept packed', () => {
  expect(textOf([2, 0, 1], 1000, { setAside: packedInMemory })).toBe('page-0 page-1 page-2 ');
  expect(textOf([5, 4, 3, 2, 1, 0], 22, { setAside: packedInMemory })).toBe('page-0 page-1 page-2 ');
});

it.each([[[0, 1, 2, 3, 4, 5]], [[5, 4, 3, 2, 1, 0]], [[3, 0, 5, 1, 4, 2]]])(
  'holds the first pages that fit when they arrive as %j',
  (positions) => {
    expect(textOf(positions, 22)).toBe('page-0 page-1 page-2 ');
  },
);

it('comes in large pieces, those of small ones in one memory, none of it lost', () => {
  const parts = [1, 700_000, 0, 900_000, 3_000_000, 5].map((bytes, index) => Buffer.alloc(bytes, index + 1));
  const pieces = Array.from(inLargePieces(parts), (piece) => Buffer.from(piece));
  expect(pieces.map(({ length }) => length)).toEqual([1_048_576, 551_425, 3_000_000, 5]);
  expect(Buffer.concat(pieces).equals(Buffer.concat(parts))).toBe(true);
  expect([...inLargePieces([])]).toEqual([]);
});
