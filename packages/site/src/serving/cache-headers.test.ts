/** Compares the table of cache headers in the manual with the server. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeSite, startServer } from '../../test/support/served-releases.ts';

const manual = readFileSync(new URL('../../../../docs/deploy/serving.mdx', import.meta.url), 'utf8');
const [, table = ''] = /\n## Caching\n\n(\|[^]*?\n)\n/.exec(manual) ?? [];
const rows = [...table.matchAll(/^\| ([^|`]+) \| `([^`]+)` \| `([^`]+)` \|$/gm)].map(
  ([, what = '', path = '', value = '']) => ({ what, path, value }),
);

/** Named as the renderer names them. */
const files = Object.fromEntries(
  rows
    .filter(({ path }) => /\.\w+$/.test(path))
    .map(({ path }) => [path.slice(1), 'x'])
    .concat([
      ['guide.html', 'guide'],
      ['404.html', 'none'],
    ]),
);
const rules = {
  format: 1,
  basePath: '',
  headers: {},
  redirects: [{ from: '/old', to: '/guide.html', permanent: true }],
  patterns: [],
};

test('every row of the manual is what the server sends, also with 304 and to HEAD', async () => {
  const site = await makeSite({ ...files, '_hosts/docyard.json': JSON.stringify(rules) });
  const { get, ask } = await startServer(site);
  expect(rows.length).toBeGreaterThan(10);
  for (const { what, path, value } of rows) {
    const { headers } = await get(path);
    expect(headers['cache-control'], what).toBe(value);
    const head = await ask(`HEAD ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(head.headers['cache-control'], what).toBe(value);
    const { etag } = headers;
    if (etag === undefined) continue;
    const unchanged = await get(path, { 'If-None-Match': etag });
    expect([unchanged.status, unchanged.headers['cache-control']], what).toEqual([304, value]);
  }
});

test('the table has every value that the server uses, and responses without a release are not stored', async () => {
  expect([...new Set(rows.map(({ value }) => value))].toSorted()).toEqual([
    'no-store',
    'public, max-age=0, must-revalidate',
    'public, max-age=31536000, immutable',
  ]);
  const { get } = await startServer(undefined);
  expect((await get('/')).headers['cache-control']).toBe('no-store');
});
