import { type Server, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Preview, loadSite, previewSite, renderSite } from '@docyard/render';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PreviewServer, isOwnHost, withScript } from './server.ts';
import { PreviewSession } from './session.ts';

const sample = fileURLToPath(new URL('../../sample', import.meta.url));

describe('the preview server', () => {
  let preview: Preview;
  let server: PreviewServer;
  let origin: string;
  const faults: unknown[] = [];

  beforeAll(async () => {
    preview = await previewSite({ root: sample });
    server = newServer(0);
    origin = `http://127.0.0.1:${await server.listen()}`;
  });
  afterAll(() => {
    server?.close();
    preview?.close();
  });

  function newServer(port: number): PreviewServer {
    const onFault = (error: unknown): unknown => faults.push(error);
    const session = new PreviewSession(preview, () => undefined, onFault);
    return new PreviewServer({ preview, session, host: '127.0.0.1', port, onFault });
  }

  test('serves every page like an export, plus one script', async () => {
    const site = await loadSite({ root: sample });
    let pages = 0;
    for await (const event of renderSite(site, { groups: [] })) {
      if (event.type !== 'file' || event.file.kind !== 'page') continue;
      const { path, content } = event.file;
      const exported = 'read' in content ? Buffer.from(content.read()).toString() : '';
      const served = await (await fetch(`${origin}/${path}`)).text();
      const [script = ''] = /<script [^>]*preview\.js[^>]*><\/script>\n/.exec(served) ?? [];
      expect(script, path).toContain('data-version=');
      expect(served.replace(script, ''), path).toBe(exported);
      pages += 1;
    }
    expect(pages).toBeGreaterThan(5);
  });

  test('serves pages as HTML at their paths and at the root', async () => {
    const [first] = preview.site.pages.filter(({ path }) => path.includes('/'));
    const answer = await fetch(`${origin}/${first?.path}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await fetch(`${origin}/`)).status).toBe(200);
  });

  test('serves assets with their content type and ETag', async () => {
    const style = await fetch(`${origin}/_docyard/style.css`);
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
    const etag = style.headers.get('etag') ?? '';
    const again = await fetch(`${origin}/_docyard/style.css`, { headers: { 'If-None-Match': etag } });
    expect(again.status).toBe(304);
    expect((await fetch(`${origin}/favicon.svg`)).headers.get('content-type')).toContain('image/svg+xml');
    expect((await fetch(`${origin}/_docyard/search/index.js`)).status).toBe(200);
  });

  test('shows the not-found page of the site with the preview script', async () => {
    const answer = await fetch(`${origin}/not/here`);
    const html = await answer.text();
    expect(answer.status).toBe(404);
    expect(html).toContain('Page not found');
    expect(html).toContain('data-page="not%2Fhere"');
    expect(html).toContain("script-src 'self'");
  });

  test.each([
    '/docs.json',
    '/index.mdx',
    '/..%2fpackage.json',
    '/%2e%2e/%2e%2e/package.json',
    '/.git/config',
  ])('does not serve %s', async (path) => {
    expect((await fetch(origin + path)).status).toBe(404);
  });

  test.each(['/%00', '/%', '/a%5cb'])('rejects the path %s', async (path) => {
    expect(await statusOf(path)).toBe(400);
  });

  test('rejects foreign Host headers and methods other than GET and HEAD', async () => {
    expect(await statusOf('/', { host: 'attacker.example.com' })).toBe(403);
    expect(await statusOf('/', { host: 'localhost:3000' })).toBe(200);
    expect(await statusOf('/', {}, 'POST')).toBe(405);
    expect(await statusOf('/', {}, 'HEAD')).toBe(200);
  });

  test('uses the next port when the requested one is in use', async () => {
    const other = await new Promise<Server>((resolve) => {
      const taken = createServer().listen(0, '127.0.0.1', () => resolve(taken));
    });
    const { port } = other.address() as AddressInfo;
    const second = newServer(port);
    try {
      expect(await second.listen()).toBeGreaterThan(port);
    } finally {
      second.close();
      other.close();
    }
  });

  test('reported no internal error', () => {
    expect(faults).toEqual([]);
  });

  /** Sends the path unchanged; `fetch` would normalize it. */
  function statusOf(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<number> {
    const { port } = new URL(origin);
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      sent.once('error', reject).end();
    });
  }
});

describe('the Host header', () => {
  test.each([
    'localhost',
    'localhost:3000',
    '127.0.0.1:3000',
    '[::1]:3000',
    '192.168.1.7',
    'docs.localhost',
    'Docs-Machine:80',
  ])('%s belongs to the preview', (host) => expect(isOwnHost(host, 'docs-machine')).toBe(true));
  test.each([
    '',
    'example.com',
    'localhost.example.com',
    '127.0.0.1.example.com',
    'docs-machine.example.com',
  ])('"%s" does not belong to the preview', (host) => expect(isOwnHost(host, 'docs-machine')).toBe(false));
});

test('the preview script precedes the scripts of the page', () => {
  const html = '<head>\n<script src="../_docyard/theme.js"></script>\n</head>';
  const page = withScript(html, { prefix: '../', address: 'a/b"c', version: 'v' });
  expect(page).toBe(
    '<head>\n<script src="../_docyard/preview.js" data-page="a%2Fb%22c" data-version="v" defer></script>\n<script src="../_docyard/theme.js"></script>\n</head>',
  );
});
