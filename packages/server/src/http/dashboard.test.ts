/** The files of the dashboard: routes, caching and the content security policy. */
import { createHash } from 'node:crypto';
import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  cleanUp,
  composeForTest,
  temporaryFolder,
  writeFiles,
  type TestContext,
} from '../../test/support/test-context.ts';
import { addDashboard } from './dashboard.ts';
import { respondWithError } from './errors.ts';
import type { App } from './request.ts';
import { listen } from './server.ts';

const script = 'console.log("harbour");'.repeat(50);

let folder: string;
let context: TestContext;

beforeEach(async () => {
  folder = temporaryFolder('dashboard');
  writeFiles(folder, { 'index.html': '<title>Docyard</title>', 'assets/app-1a2b.js': script });
  context = await composeForTest();
});

async function serve(environment: { dashboard?: boolean } = {}) {
  const app: App = new Hono();
  const config = { ...context.config, ...environment };
  addDashboard(app, { config, log: context.log }, folder);
  app.onError((error, web) => respondWithError(web, error, context.log));
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  cleanUp(() => server.close(0));
  return (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${server.port}${path}`, { headers, redirect: 'manual' });
}

describe('a screen of the dashboard', () => {
  test.each([
    '/dashboard/',
    '/dashboard/exports',
    '/dashboard/exports/se_1?tab=report',
    '/dashboard/index.html',
  ])('the path %s serves the page, which browsers revalidate', async (path) => {
    const answer = await (await serve())(path);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('<title>Docyard</title>');
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
  });

  test('the policy allows no inline code, no other host and no embedding', async () => {
    const policy = (await (await serve())('/dashboard/')).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  test('the policy lists the inline code of the page by hash, so that injected code does not run', async () => {
    const [code, rule] = ['document.title = "x";', 'body { margin: 0 }'];
    writeFiles(folder, { 'index.html': `<script>${code}</script><style>${rule}</style>` });
    const policy = (await (await serve())('/dashboard/')).headers.get('content-security-policy') ?? '';
    const hashOf = (text: string) => createHash('sha256').update(text).digest('base64');
    expect(policy).toContain(`script-src 'self' 'sha256-${hashOf(code)}';`);
    expect(policy).toContain(`style-src 'self' 'sha256-${hashOf(rule)}';`);
  });

  test('the path without a slash redirects to the path with one', async () => {
    const answer = await (await serve())('/dashboard');
    expect([answer.status, answer.headers.get('location')]).toEqual([308, '/dashboard/']);
  });

  test('a browser that already has the page is answered 304', async () => {
    const request = await serve();
    const etag = (await request('/dashboard/')).headers.get('etag') ?? '';
    expect((await request('/dashboard/exports', { 'if-none-match': etag })).status).toBe(304);
  });
});

describe('a file with a hash in its name', () => {
  test('the file is cached as immutable', async () => {
    const answer = await (await serve())('/dashboard/assets/app-1a2b.js');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(await answer.text()).toBe(script);
  });

  test('the file is sent from its precompressed copy', async () => {
    const { request } = await import('node:http');
    writeFiles(folder, { 'assets/app-1a2b.js.gz': '' });
    const { writeFileSync } = await import('node:fs');
    writeFileSync(join(folder, 'assets/app-1a2b.js.gz'), gzipSync(script));
    const ask = await serve();
    const { url } = await ask('/dashboard/');
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      const target = new URL('/dashboard/assets/app-1a2b.js', url);
      request(target, { headers: { 'accept-encoding': 'gzip' } }, (answer) => {
        const chunks: Buffer[] = [];
        expect(answer.headers['content-encoding']).toBe('gzip');
        answer
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .once('end', () => resolve(Buffer.concat(chunks)));
      })
        .once('error', reject)
        .end();
    });
    expect(gunzipSync(bytes).toString()).toBe(script);
  });

  test('a missing file is answered 404 and not with the page', async () => {
    expect((await (await serve())('/dashboard/assets/app-9z.js')).status).toBe(404);
  });
});

test.each([
  '/dashboard/../package.json',
  '/dashboard/%2e%2e/package.json',
  '/dashboard/assets/%2e%2e/%2e%2e/x',
])('the path %s does not read a file outside the folder', async (path) => {
  const answer = await (await serve())(path);
  expect(await answer.text()).not.toContain('"name"');
});

test('a new build is served without a restart', async () => {
  const request = await serve();
  await (await request('/dashboard/')).text();
  writeFiles(folder, { 'index.html': '<title>New</title>' });
  utimesSync(join(folder, 'index.html'), new Date(), new Date(Date.now() + 5000));
  expect(await (await request('/dashboard/')).text()).toBe('<title>New</title>');
});

test('a missing build is answered with the command that creates one', async () => {
  rmSync(folder, { recursive: true });
  const answer = await (await serve())('/dashboard/exports');
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain('node scripts/dashboard.mjs');
});

test('a disabled dashboard is answered 404', async () => {
  expect((await (await serve({ dashboard: false }))('/dashboard/')).status).toBe(404);
});
