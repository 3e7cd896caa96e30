import { expect, test } from 'vitest';
import { contentDate, freshnessLine } from './freshness.ts';

const now = new Date('2026-11-15T12:00:00Z');
const content = {
  committedAt: '2026-11-10T09:00:00.000Z',
  commit: 'abc1234def5678',
  version: '2.1',
  signedBy: '0123456789ABCDEF',
};

test('the line names date, age, commit, version and signer', () => {
  expect(freshnessLine(content, now)).toBe(
    'content of 10 November 2026, 5 days old, commit abc1234, version 2.1, signed by 0123456789ABCDEF',
  );
});

test('the line names what is unknown', () => {
  const nothing = { committedAt: null, commit: null, version: null, signedBy: null };
  expect(freshnessLine(nothing, now)).toBe(
    'content of unknown date, no commit, no version, signature not verified',
  );
});

test.each([
  ['2026-11-15T11:59:59Z', 'less than a day old'],
  ['2026-11-14T12:00:00Z', '1 day old'],
  ['2026-11-13T12:00:01Z', '1 day old'],
  ['2025-11-15T12:00:00Z', '365 days old'],
  ['2026-11-15T18:00:00Z', 'less than a day old'],
  ['2026-11-20T12:00:00Z', 'later than the clock of this machine'],
])('content of %s is %s', (committedAt, age) => {
  expect(contentDate({ committedAt }, now)).toContain(`, ${age}`);
});
