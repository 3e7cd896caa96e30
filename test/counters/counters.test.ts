/**
 * Compares the work per page of an export with the committed values, which are the same on every machine.
 * `npm run counters` accepts new values.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { countExport, expectedFile, type Counters, type Expected } from './count.ts';

const tolerance = 0.1;
const hint = 'To accept the new values, run `npm run counters` and give the reason in the commit.';

test('an export of a page takes no more steps, memory and bytes than the committed values', async () => {
  const expected = JSON.parse(readFileSync(expectedFile, 'utf8')) as Expected;
  expect(process.version, `The values are for another version of Node. ${hint}`).toBe(expected.node);
  expect(regressions(expected.eachPage, await countExport()), hint).toEqual([]);
});

test('a counter that exceeds its value by more than the tolerance is reported with the increase', () => {
  const expected = { 'steps in search': 1000, 'bytes written': 5000 };
  expect(regressions(expected, { ...expected, 'steps in search': 1100 })).toEqual([]);
  expect(regressions(expected, { ...expected, 'steps in search': 1110 })).toEqual([
    'steps in search: 1110 per page, 11.0 % more than 1000',
  ]);
});

test('a counter without a committed value is reported', () => {
  expect(regressions({}, { 'steps in icons': 300 })).toEqual([
    'steps in icons: 300 per page, no committed value',
  ]);
});

function regressions(expected: Counters, counted: Counters): string[] {
  return Object.entries(counted).flatMap(([name, count]) => {
    const known = expected[name];
    if (known === undefined) return [`${name}: ${count} per page, no committed value`];
    if (count <= known * (1 + tolerance)) return [];
    return [`${name}: ${count} per page, ${((count / known - 1) * 100).toFixed(1)} % more than ${known}`];
  });
}
