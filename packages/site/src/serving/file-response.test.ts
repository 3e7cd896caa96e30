import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/temporary-resources.ts';
import { fileResponse } from './file-response.ts';
import { staticFile, type FileContent } from './static-file.ts';

const text = 'a page that is served';

function onDisk(): FileContent {
  const file = join(temporaryFolder('static'), 'pack');
  writeFileSync(file, `before${text}after`);
  return { file, offset: 'before'.length, sizeBytes: text.length };
}

const fileOf = (plain: FileContent) =>
  staticFile({
    path: 'guide.html',
    tag: 'abc',
    plain,
    compressed: { gzip: { bytes: Buffer.from('compressed') } },
    headers: ['Cache-Control', 'no-cache'],
  });

describe.each([
  ['memory', () => ({ bytes: Buffer.from(text) })],
  ['disk', onDisk],
])('a file from %s', (_place, content) => {
  const ask = (headers: Record<string, string>, method = 'GET') =>
    fileResponse(fileOf(content()), { method, headers });

  test('is sent completely with its type, ETag and Cache-Control', async () => {
    const response = await ask({});
    expect([response.status, await response.text()]).toEqual([200, text]);
    expect(Object.fromEntries(response.headers)).toEqual({
      'accept-ranges': 'bytes',
      'cache-control': 'no-cache',
      'content-length': String(text.length),
      'content-type': 'text/html; charset=utf-8',
      etag: '"abc"',
      vary: 'Accept-Encoding',
    });
  });

  test('is sent in part for a range request', async () => {
    const response = await ask({ range: 'bytes=2-5' });
    expect([response.status, await response.text()]).toEqual([206, 'page']);
    expect(response.headers.get('content-range')).toBe(`bytes 2-5/${text.length}`);
    expect((await ask({ range: 'bytes=100-' })).status).toBe(416);
    expect((await ask({ range: 'bytes=2-5', 'if-range': '"other"' })).status).toBe(200);
  });

  test('is answered 304 for a matching ETag', async () => {
    const response = await ask({ 'if-none-match': 'W/"abc"' });
    expect([response.status, response.body]).toEqual([304, null]);
    expect(response.headers.get('content-type')).toBeNull();
  });

  test('is sent without a body for HEAD', async () => {
    const response = await ask({}, 'HEAD');
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      200,
      String(text.length),
      '',
    ]);
  });

  test('is sent in the preferred encoding with a separate ETag', async () => {
    const response = await ask({ 'accept-encoding': 'gzip, br;q=0.5' });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('etag')).toBe('"abc-gzip"');
    expect(await response.text()).toBe('compressed');
  });
});

test('the not-found page has neither an ETag nor ranges', async () => {
  const file = staticFile({ path: '404.html', tag: 'abc', plain: onDisk(), isFound: false, headers: [] });
  const response = await fileResponse(file, { method: 'GET', headers: { range: 'bytes=0-1' } });
  expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([404, null, text]);
});
