/**
 * An export takes no more work a page than the committed figures say. They hold on every machine; a change that is worth
 * more work renews them: `node test/counters/renew.ts`.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { countExport, expectedFile, type Expected } from './count.ts';
import { risen } from './risen.ts';

const renew = 'If it is worth it: `node test/counters/renew.ts`, and say why in the commit.';

test('a page takes no more steps, memory and bytes than before', async () => {
  const expected = JSON.parse(readFileSync(expectedFile, 'utf8')) as Expected;
  expect(process.version, `The figures are of another Node. ${renew}`).toBe(expected.node);
  expect(risen(expected.eachPage, await countExport()), renew).toEqual([]);
});

test('what rose is named, with how much', () => {
  const before = { 'steps in search': 1000, 'bytes written': 5000, 'steps in check': 10 };
  expect(risen(before, { ...before, 'steps in search': 1019, 'steps in check': 14 })).toEqual([]);
  expect(risen(before, { ...before, 'steps in search': 1100 })).toEqual([
    'steps in search: 1100 a page, 10.0 % more than 1000',
  ]);
  expect(risen(before, { 'steps in icons': 300 })).toEqual(['steps in icons: 300 a page, and none before']);
});
