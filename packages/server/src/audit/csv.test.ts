/** The audit log in a spreadsheet. */
import { expect, test } from 'vitest';
import { csvHeader, csvLine } from './csv.ts';

const entry = {
  id: 'au_1',
  at: '2026-03-06T12:00:00.000Z',
  actor: 'key_1',
  actorName: '=HYPERLINK("https://evil.example")',
  action: 'key.create',
  object: null,
  objectName: '@SUM(A1)',
  address: '203.0.113.7',
  requestId: 'req, 1',
  details: { name: 'a "quoted"\nname' },
  hash: '0'.repeat(64),
};

test('a cell that would be run as a formula begins with an apostrophe', () => {
  const line = csvLine(entry);
  expect(line).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
  expect(line).toContain(`"'@SUM(A1)"`);
  for (const start of ['+1', '-1', '\t=1', '\r=1', '＝1'])
    expect(csvLine({ ...entry, actorName: start })).toContain(`"'${start}`);
});

test('a line has as many cells as the header, with commas, quotes and line breaks quoted', () => {
  const line = csvLine(entry);
  expect(csvHeader.endsWith('\r\n')).toBe(true);
  expect(line).toContain('"req, 1"');
  expect(line).toContain(String.raw`"{""name"":""a \""quoted\""\nname""}"`);
  const cells = line.replaceAll(/"(?:[^"]|"")*"/g, '').split(',');
  expect(cells).toHaveLength(csvHeader.split(',').length);
});
