import { expect, test } from 'vitest';
import { CitationFilter } from './citations.ts';

function filtered(pieces: readonly string[], passageCount: number) {
  const filter = new CitationFilter(passageCount);
  const shown = [...pieces.map((piece) => filter.push(piece)), filter.end()];
  return { text: shown.join(''), cited: filter.cited };
}

test('unknown numbers are removed and known ones are listed in order', () => {
  expect(filtered(['Both [3, 9] and [1][0][99].'], 4)).toEqual({ text: 'Both [3] and [1].', cited: [3, 1] });
});

test('a citation in several pieces is recognized', () => {
  expect(filtered(Array.from('See [2] and [12].'), 2)).toEqual({ text: 'See [2] and .', cited: [2] });
});

test('text without a valid citation is never released', () => {
  expect(filtered(['Trust me', ' [5]', ' really'], 2)).toEqual({ text: '', cited: [] });
});

test('brackets that are no citation stay', () => {
  expect(filtered(['Use a[i] [1] and list[', '] or [x](y).'], 1).text).toBe(
    'Use a[i] [1] and list[] or [x](y).',
  );
});
