import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { manualPage, published } from './published-figures.ts';
import { slopeOf, trendOf, type Sample } from './series.ts';

test('the manual shows the committed results', () => {
  expect(readFileSync(manualPage, 'utf8')).toBe(published());
});

describe('a quantity that was sampled for an hour', () => {
  const allowance = { share: 0.1, amount: 20 };
  /** A sawtooth like that of a garbage collector, with a peak every tenth sample. */
  const memory = (growthOf: (atSeconds: number) => number): Sample[] =>
    Array.from({ length: 180 }, (_, index) => {
      const atSeconds = index * 20;
      const peak = index % 10 === 0 ? 150 : 0;
      return { atSeconds, value: 200 + (index % 7) * 6 + peak + growthOf(atSeconds) };
    });

  test('is flat when it only goes up and down', () => {
    const { isFlat, growth, median } = trendOf(
      memory(() => 0),
      allowance,
    );
    expect(isFlat).toBe(true);
    expect(Math.abs(growth)).toBeLessThan(5);
    expect(median).toBeGreaterThan(200);
  });

  test('is not flat when it leaks one part in a hundred per minute', () => {
    const { isFlat, growth } = trendOf(
      memory((atSeconds) => (atSeconds / 60) * 2),
      allowance,
    );
    expect(isFlat).toBe(false);
    expect(growth).toBeGreaterThan(100);
  });

  test('is flat when it shrinks', () => {
    expect(
      trendOf(
        memory((atSeconds) => -atSeconds / 30),
        allowance,
      ).isFlat,
    ).toBe(true);
  });

  test('has the slope of its line even if single samples differ', () => {
    const line = Array.from({ length: 21 }, (_, index) => ({ atSeconds: index, value: 3 * index }));
    expect(slopeOf(line)).toBe(3);
    const [first, ...others] = line;
    expect(slopeOf([{ atSeconds: first?.atSeconds ?? 0, value: 1e9 }, ...others])).toBe(3);
  });
});
