/** Compares the page about deployments with the code: settings, variables, defaults and outcomes. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { entrySettings, siteSettings } from '../../packages/site/src/settings/settings-table.ts';
import { sourceFailures } from '../../packages/site/src/sources/source.ts';

const page = readFileSync(new URL('../../docs/deploy/site.mdx', import.meta.url), 'utf8');

function tableAfter(heading: string): string[][] {
  const [, table = ''] = /\n(\|[^]*?\n)\n/.exec(page.slice(page.indexOf(heading))) ?? [];
  const [, , ...rows] = table.trim().split('\n');
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

test('every setting is listed with its variable, default and meaning', () => {
  const expected = Object.values(siteSettings).map(({ path, variable, check, meaning }) => [
    path,
    variable,
    String(check.parse(undefined) ?? 'none'),
    meaning,
  ]);
  expect(tableAfter('## Settings')).toEqual(expected);
});

test('every setting that only an entry of sites has is listed', () => {
  const expected = Object.values(entrySettings).map(({ path, meaning }) => [path, meaning]);
  const listed = tableAfter('## Serve several sites').map((row) =>
    row.map((cell) => cell.replace('&lt;', '<')),
  );
  expect(listed).toEqual(expected);
});

test('every outcome of a look is listed', () => {
  const listed = Object.fromEntries(tableAfter('## Monitor the site'));
  expect(listed).toMatchObject(sourceFailures);
  expect(Object.keys(listed)).toEqual(
    expect.arrayContaining(['installed', 'unchanged', 'held', 'refused', 'failed']),
  );
});
