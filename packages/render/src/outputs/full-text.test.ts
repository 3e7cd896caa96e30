/** The text of a whole site: in order, within its bounds, whatever order pages arrive in. */
import { expect, it } from 'vitest';
import { type SetAside, packedInMemory } from '../text/kept.ts';
import { FullText, inLargePieces, withBetween } from './full-text.ts';

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

it('gives sections that follow each other in one memory as one, but only where what lies between them is right', () => {
  const between = Buffer.from('--');
  const last = new Uint8Array(Buffer.from('first--second--third..fourth--fifth'));
  const [first, second, third, fourth, fifth] = [
    last.subarray(0, 5),
    last.subarray(7, 13),
    last.subarray(15, 20),
    last.subarray(22, 28),
    last.subarray(30),
  ] as const;
  const textsOf = (sections: Uint8Array[]): string[] =>
    Array.from(withBetween(between, sections), (part) => Buffer.from(part).toString());
  expect(textsOf([first, second, third, fourth, fifth])).toEqual([
    '--',
    'first--second--third',
    '--',
    'fourth--fifth',
  ]);
  expect(textsOf([first, Buffer.from('new'), third])).toEqual(['--', 'first', '--', 'new', '--', 'third']);
  expect(textsOf([second, first])).toEqual(['--', 'second', '--', 'first']);
  expect(textsOf([])).toEqual([]);
});
