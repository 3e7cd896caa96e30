/** The text of a whole site: in order, within its bounds, whatever order pages arrive in. */
import { expect, it } from 'vitest';
import { FullText } from './full-text.ts';

function textOf(positions: number[], limit: number): string {
  const text = new FullText(limit);
  for (const position of positions) text.add(position, Buffer.from(`page-${position} `));
  return Buffer.concat([...text.sections()]).toString();
}

it('is in the order of the navigation', () => {
  expect(textOf([2, 0, 1], 1000)).toBe('page-0 page-1 page-2 ');
});

it.each([[[0, 1, 2, 3, 4, 5]], [[5, 4, 3, 2, 1, 0]], [[3, 0, 5, 1, 4, 2]]])(
  'holds the first pages that fit when they arrive as %j',
  (positions) => {
    expect(textOf(positions, 22)).toBe('page-0 page-1 page-2 ');
  },
);
