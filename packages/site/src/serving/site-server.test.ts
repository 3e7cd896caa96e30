import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  eventually,
  makeRelease,
  makeSite,
  requestFor,
  startServer,
  type Answer,
  type TestServer,
} from '../../test/support/served-releases.ts';
import { openSite } from './served-site.ts';

const page = `<!doctype html><title>Guide</title>${'<p>A paragraph that repeats itself.</p>'.repeat(100)}`;
const picture = randomBytes(3000);
const video = randomBytes(600_000);
const policy = "default-src 'none'; style-src 'self'; frame-ancestors 'self'";
const hashed = ['_docyard/social/0123456789abcdef.png', '_docyard/fonts/0123456789abcdef.woff2'] as const;
const files = {
  'index.html': '<!doctype html><title>Home</title>',
  'guide.html': page,
  'guides/start.html': page.replace('Guide', 'Start'),
  'guide.md': '# Guide\n',
  'über uns.html': page.replace('Guide', 'Über uns'),
  'empty.txt': '',
  'llms.txt': '# Docs',
  'picture.png': picture,
  'video.mp4': video,
  'odd.unknown': 'x',
  [hashed[0]]: picture,
  [hashed[1]]: 'font',
  '404.html': `<!doctype html><title>Not found</title>${'<p>Nothing here.</p>'.repeat(200)}`,
  '_hosts/docyard.json': JSON.stringify({
    format: 1,
    basePath: '',
    headers: { 'Content-Security-Policy': policy },
    redirects: [
      { from: '/old', to: '/guide.html#part', permanent: true },
      { from: '/asked', to: '/guide.html?own=1', permanent: false },
    ],
    patterns: [],
  }),
};

let site: TestServer;

beforeAll(async () => {
  site = await startServer(await makeSite(files));
});

describe('the type and the headers of a file', () => {
  test.each([
    ['/', 'text/html; charset=utf-8'],
    ['/guide', 'text/html; charset=utf-8'],
    ['/guide.md', 'text/markdown; charset=utf-8'],
    ['/llms.txt', 'text/plain; charset=utf-8'],
    ['/picture.png', 'image/png'],
    ['/video.mp4', 'video/mp4'],
    ['/odd.unknown', 'application/octet-stream'],
  ])('%s is %s', async (path, type) => {
    expect((await site.get(path)).headers['content-type']).toBe(type);
  });

  test('every response carries the security headers of the bundle', async () => {
    for (const target of ['/', '/picture.png', '/nowhere', '/old', '/%', '/video.mp4']) {
      expect((await site.get(target)).headers, target).toMatchObject({
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'strict-origin-when-cross-origin',
        'permissions-policy': expect.stringContaining('camera=()'),
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-site',
        date: expect.stringMatching(/GMT$/),
      });
    }
  });

  test('files are revalidated, and files with a hash in their name are immutable', async () => {
    const cacheControl = async (path: string) => (await site.get(path)).headers['cache-control'];
    expect(await cacheControl('/guide')).toBe('public, max-age=0, must-revalidate');
    expect(await cacheControl('/old')).toBe('public, max-age=0, must-revalidate');
    expect(await cacheControl('/nowhere')).toBe('public, max-age=0, must-revalidate');
    for (const path of hashed)
      expect(await cacheControl(`/${path}`)).toBe('public, max-age=31536000, immutable');
  });

  test('responses link to llms.txt', async () => {
    expect((await site.get('/guides/start')).headers['link']).toBe('</llms.txt>; rel="llms-txt"');
  });

  test('Strict-Transport-Security is sent when it is configured', async () => {
    const { get } = await startServer(await makeSite(files), { hstsSeconds: 600 });
    for (const target of ['/', '/nowhere', '/old'])
      expect((await get(target)).headers['strict-transport-security']).toBe('max-age=600');
    expect((await site.get('/')).headers['strict-transport-security']).toBeUndefined();
  });
});

describe('the form of a file', () => {
  test.each([
    [undefined, undefined],
    ['', undefined],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP;Q=0.5', 'gzip'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['*, br;q=0', 'gzip'],
    ['identity, gzip;q=0.5', undefined],
    ['deflate', undefined],
    ['identity;q=0', undefined],
    ['br;q=nonsense', 'br'],
    [`${'x,'.repeat(400)}br`, undefined],
  ])('Accept-Encoding %s yields %s', async (accepted, encoding) => {
    const answer = await site.get('/guide', accepted === undefined ? {} : { 'Accept-Encoding': accepted });
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers['vary']).toBe('Accept-Encoding, Accept');
    expect(decompressed(answer)).toBe(page);
  });

  test('a file that does not compress has one form', async () => {
    const { headers, body } = await site.get('/picture.png', { 'Accept-Encoding': 'br' });
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers['vary']).toBeUndefined();
    expect(body.equals(picture)).toBe(true);
  });
});

describe('conditions', () => {
  test('each form has a separate strong ETag', async () => {
    const tags = await Promise.all(
      ['', 'br', 'gzip'].map(async (accepted) => (await tagOf('/guide', accepted)) ?? ''),
    );
    expect(new Set(tags).size).toBe(3);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]{22}(?:-br|-gzip)?"$/);
    expect(await tagOf('/guides/start')).not.toBe(tags[0]);
  });

  test('a matching ETag is answered 304 without a body', async () => {
    const tag = (await tagOf('/guide', 'br')) ?? '';
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await site.get('/guide', { 'Accept-Encoding': 'br', 'If-None-Match': known });
      expect(answer.status, known).toBe(304);
      expect(answer.headers).toMatchObject({
        etag: tag,
        vary: 'Accept-Encoding, Accept',
        'cache-control': 'public, max-age=0, must-revalidate',
      });
      expect(answer.headers['content-length']).toBeUndefined();
    }
  });

  test('another ETag is answered with the content', async () => {
    const tag = (await tagOf('/guide', 'br')) ?? '';
    expect((await site.get('/guide', { 'Accept-Encoding': 'gzip', 'If-None-Match': tag })).status).toBe(200);
    expect((await site.get('/guide', { 'If-None-Match': 'nonsense' })).status).toBe(200);
  });
});

describe('ranges', () => {
  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=10-19', 10, 19],
    ['bytes=2990-', 2990, 2999],
    ['bytes=-10', 2990, 2999],
    ['bytes=0-99999', 0, 2999],
    ['bytes=-99999', 0, 2999],
  ])('%s', async (range, start, end) => {
    const { status, headers, body } = await site.get('/picture.png', { Range: range });
    expect(status).toBe(206);
    expect(headers['content-range']).toBe(`bytes ${start}-${end}/3000`);
    expect(body.equals(picture.subarray(start, end + 1))).toBe(true);
  });

  test.each(['bytes=3000-', 'bytes=9999-99999', 'bytes=-0'])('%s is not satisfiable', async (range) => {
    const { status, headers } = await site.get('/picture.png', { Range: range });
    expect(status).toBe(416);
    expect(headers['content-range']).toBe('bytes */3000');
  });

  test.each(['bytes=0-1,5-6', 'bytes=5-1', 'lines=1-2', 'bytes=', 'bytes=a-b'])(
    '%s gets the whole',
    async (range) => {
      const { status, body } = await site.get('/picture.png', { Range: range });
      expect(status).toBe(200);
      expect(body.equals(picture)).toBe(true);
    },
  );

  test('work for a large file that is streamed from disk', async () => {
    const { status, body } = await site.get('/video.mp4', { Range: 'bytes=500000-599999' });
    expect(status).toBe(206);
    expect(body.equals(video.subarray(500_000))).toBe(true);
    expect((await site.get('/video.mp4')).body.equals(video)).toBe(true);
  });

  test('apply to the plain file, also for a client that accepts compression', async () => {
    const answer = await site.get('/guide', { Range: 'bytes=0-14', 'Accept-Encoding': 'br' });
    expect(answer.status).toBe(206);
    expect(answer.text).toBe('<!doctype html>');
    expect(answer.headers['etag']).toBe(await tagOf('/guide'));
  });

  test('are ignored when If-Range does not match', async () => {
    const tag = (await tagOf('/picture.png')) ?? '';
    const ask = async (condition: string) =>
      (await site.get('/picture.png', { Range: 'bytes=0-9', 'If-Range': condition })).status;
    expect(await ask(tag)).toBe(206);
    expect(await ask('"other"')).toBe(200);
    expect(await ask(`W/${tag}`)).toBe(200);
    expect(await ask('Sun, 15 Nov 2026 12:00:00 GMT')).toBe(200);
  });
});

describe('methods', () => {
  test('HEAD returns all headers without content', async () => {
    for (const target of ['/guide', '/video.mp4', '/nowhere']) {
      const get = await site.get(target);
      const head = await site.ask(requestFor(target, {}, 'HEAD'));
      expect(head.status).toBe(get.status);
      expect(comparable(head)).toEqual(comparable(get));
    }
  });

  test('OPTIONS and 405 list the supported methods', async () => {
    const options = await site.ask(requestFor('/guide', {}, 'OPTIONS'));
    expect(options).toMatchObject({ status: 204, headers: { allow: 'GET, HEAD, OPTIONS' } });
    expect((await site.ask(requestFor('*', {}, 'OPTIONS'))).status).toBe(204);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND']) {
      const refused = await site.ask(requestFor('/guide', { 'Content-Length': '0' }, method));
      expect(refused, method).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } });
    }
  });

  test('a request body is never parsed as another request', async () => {
    const smuggled = requestFor('/guide.md');
    const client = await site.connect();
    const first = await client.ask(
      `${requestFor('/picture.png', { 'Content-Length': String(smuggled.length) })}${smuggled}`,
    );
    expect(first.headers['content-type']).toBe('image/png');
    await eventually(() => client.isClosed()).toBe(true);
    expect(client.received()).toHaveLength(0);
  });
});

describe('redirects', () => {
  test.each([
    ['/old', 308, '/guide.html#part'],
    ['/old?a=b&c', 308, '/guide.html?a=b&c#part'],
    ['/asked?a=b', 307, '/guide.html?own=1'],
    ['/guide/?q=1', 308, '/guide?q=1'],
    ['/%C3%BCber%20uns/', 308, '/%C3%BCber%20uns'],
    ['//guide', 308, '/guide'],
    ['http://docs.example.com/old', 308, '/guide.html#part'],
  ])('%s', async (target, status, location) => {
    expect(await site.get(target)).toMatchObject({ status, headers: { location, 'content-length': '0' } });
  });

  test('no request target injects a header or redirects to another host', async () => {
    for (const target of [
      '/old?\u0080',
      '//example.net/guide',
      '/%0d%0aSet-Cookie:%20a=b',
      '/old?%0d%0aX: y',
      '/\\example.net',
    ]) {
      const { headers } = await site.get(target);
      expect(headers['set-cookie']).toBeUndefined();
      expect(headers['x']).toBeUndefined();
      expect(headers['location'] ?? '/').toMatch(/^\/(?![/\\])/);
    }
  });
});

describe('a missing or malformed path', () => {
  test.each([
    ['/nowhere', 404],
    ['/no/where/at/all/', 404],
    ['/guide.html/more', 404],
    ['/_hosts/docyard.json', 404],
    ['/../guide', 404],
    ['/guides/../guide', 404],
    ['/guides/./start', 404],
    ['/..%2fguide', 404],
    ['/%2e%2e/%2e%2e/etc/passwd', 404],
    ['/guide%2Ehtml', 200],
    ['/%C3%BCber%20uns', 200],
    ['/guides%2fstart', 200],
    ['/%', 400],
    ['/%zz', 400],
    ['/%c3', 400],
    ['/a%00b', 400],
    ['/a%0ab', 400],
    ['guide', 400],
    ['http://docs.example.com', 200],
    ['http://docs.example.com/guide?x', 200],
    ['http://docs.example.com?x', 200],
    ['ftp://docs.example.com/guide', 400],
    [`/${'a'.repeat(5000)}`, 414],
  ])('%s is answered with %i', async (target, status) => {
    expect((await site.get(target)).status).toBe(status);
  });

  test('the not-found page has every form, no ETag and no ranges', async () => {
    const plain = await site.get('/nowhere', { Range: 'bytes=0-1', 'If-None-Match': '*' });
    expect(plain).toMatchObject({ status: 404, text: files['404.html'] });
    expect(plain.headers['etag']).toBeUndefined();
    const compressed = await site.get('/nowhere', { 'Accept-Encoding': 'gzip' });
    expect(compressed.headers['content-encoding']).toBe('gzip');
    expect(decompressed(compressed)).toBe(files['404.html']);
  });

  test('a site without a not-found page responds with text', async () => {
    const { get } = await startServer(await makeSite({ 'index.html': 'home' }));
    expect(await get('/nowhere')).toMatchObject({ status: 404, text: 'Page not found.\n' });
  });

  test('a file that is missing on disk does not stop the server', async () => {
    const release = await makeRelease({ 'index.html': 'home', 'a.bin': randomBytes(100), 'b.bin': video });
    release.manifest.files.push({ path: 'gone.txt', sizeBytes: 5, sha256: '0'.repeat(64) });
    release.manifest.files.push({ path: 'gone.mp4', sizeBytes: 5_000_000, sha256: '1'.repeat(64) });
    const { get } = await startServer(await openSite(release));
    for (const target of ['/gone.txt', '/gone.mp4']) expect((await get(target)).status).toBe(503);
    expect((await get('/')).text).toBe('home');
  });
});

describe('below a path', () => {
  test.each([
    ['/docs/', 200, undefined],
    ['/docs/guide', 200, undefined],
    ['/docs/guide/', 308, '/docs/guide'],
    ['/docs/old', 308, '/docs/guide.html#part'],
    ['/docs', 308, '/docs/'],
    ['/', 307, '/docs/'],
    ['/guide', 404, undefined],
    ['/docsguide', 404, undefined],
    ['/docs/nowhere', 404, undefined],
    ['/docs/..', 404, undefined],
  ])('%s', async (target, status, location) => {
    const answer = await (await below).get(target);
    expect(answer.status).toBe(status);
    expect(answer.headers['location']).toBe(location);
  });

  test('the path of the bundle applies unless the operator sets one', async () => {
    const rules = { format: 1, basePath: '/manual', headers: {}, redirects: [], patterns: [] };
    const made = { ...files, '_hosts/docyard.json': JSON.stringify(rules) };
    const own = await startServer(await makeSite(made));
    expect((await own.get('/manual/guide')).text).toBe(page);
    const other = await startServer(await makeSite(made), { basePath: '/other/' });
    expect((await other.get('/other/guide')).text).toBe(page);
    expect((await other.get('/other/guide')).headers['link']).toContain('</other/llms.txt>');
    const root = await startServer(await makeSite(made), { basePath: '' });
    expect((await root.get('/guide')).text).toBe(page);
  });

  const below = (async () => startServer(await makeSite(files), { basePath: '/docs' }))();
});

test('every response contains only the bytes of the requested file', async () => {
  const contents = new Set(Object.values(files).map((content) => Buffer.from(content).toString('latin1')));
  const names = Object.keys(files).flatMap((path) => [
    encodeURI(path),
    encodeURI(path.replace(/\.html$/, '')),
  ]);
  const piece = fc.oneof(
    fc.constantFrom(...names),
    fc.constantFrom('/', '//', '..', '%2e%2e', '%2f', '%00', '?', '#', '\\', '%5c', '.html', '/index.html'),
    fc.string({ maxLength: 8 }).map((text) => encodeURIComponent(text.toWellFormed())),
  );
  const client = { current: await site.connect() };
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (parts) => {
      if (client.current.isClosed()) client.current = await site.connect();
      const { status, text, body } = await client.current.ask(requestFor(`/${parts.join('')}`));
      expect([200, 307, 308, 400, 404]).toContain(status);
      if (status === 200) expect(contents).toContain(body.toString('latin1'));
      else if (status === 404) expect(text).toBe(files['404.html']);
      else expect(text.length).toBeLessThan(100);
    }),
    { numRuns: 300 },
  );
});

function comparable({ headers }: Answer): Record<string, string> {
  return { ...headers, date: '' };
}

async function tagOf(target: string, accepted = ''): Promise<string | undefined> {
  return (await site.get(target, { 'Accept-Encoding': accepted })).headers['etag'];
}

function decompressed({ headers, body }: Answer): string {
  const encoding = headers['content-encoding'];
  if (encoding === 'br') return brotliDecompressSync(body).toString();
  return encoding === 'gzip' ? gunzipSync(body).toString() : body.toString();
}
