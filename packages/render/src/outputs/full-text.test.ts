import { expect, it } from 'vitest';
import { type SpillBytes, compressInMemory } from '../text/spill.ts';
import { FullText, inLargePieces } from './full-text.ts';

function textOf(positions: number[], limit: number, options: { spill?: SpillBytes } = {}): string {
  const text = new FullText({ limit, ...options });
  for (const position of positions) text.add(position, Buffer.from(`page-${position} `));
  return Buffer.concat([...text.sections()]).toString();
}

it('the full text is in navigation order', () => {
  expect(textOf([2, 0, 1], 1000)).toBe('page-0 page-1 page-2 ');
});

it('the full text is the same when stored compressed', () => {
  expect(textOf([2, 0, 1], 1000, { spill: compressInMemory })).toBe('page-0 page-1 page-2 ');
  expect(textOf([5, 4, 3, 2, 1, 0], 22, { spill: compressInMemory })).toBe('page-0 page-1 page-2 ');
});

it.each([[[0, 1, 2, 3, 4, 5]], [[5, 4, 3, 2, 1, 0]], [[3, 0, 5, 1, 4, 2]]])(
  'the full text contains the first pages that fit when they arrive as %j',
  (positions) => {
    expect(textOf(positions, 22)).toBe('page-0 page-1 page-2 ');
  },
);

it('small chunks are combined into large pieces without loss', () => {
  const parts = [1, 700_000, 0, 900_000, 3_000_000, 5].map((bytes, index) => Buffer.alloc(bytes, index + 1));
  const pieces = Array.from(inLargePieces(parts), (piece) => Buffer.from(piece));
  expect(pieces.map(({ length }) => length)).toEqual([1_048_576, 551_425, 3_000_000, 5]);
  expect(Buffer.concat(pieces).equals(Buffer.concat(parts))).toBe(true);
  expect([...inLargePieces([])]).toEqual([]);
});
