import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSite, chromiumPath, openBrowserFolder } from '../../test/support/browser-site.ts';
import { withFolder } from '../../test/support/render-fixture.ts';

const types: Record<string, string> = { css: 'text/css', html: 'text/html', js: 'text/javascript' };

const site = {
  'docs.json': JSON.stringify({
    name: 'Harbour',
    navbar: { links: [{ label: 'Fleet', href: '/guides/boats' }] },
    navigation: { pages: ['index', 'guides/boats'] },
  }),
  'index.mdx': 'Quay',
  'guides/boats.mdx': 'A lighthouse for boats.',
  'style.css': '.not-found-title { font-size: 50px; }',
};

describe.skipIf(chromiumPath === undefined)('the not-found page', () => {
  let opened: BrowserSite;
  let server: Server;
  let origin: string;

  beforeAll(async () => {
    await withFolder(site, async (root) => {
      opened = await openBrowserFolder(root, { basePath: '/docs' });
    });
    const folder = fileURLToPath(opened.origins.file);
    server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://x').pathname.replace(/^\/docs\//, '');
      readFile(join(folder, path)).then(
        (bytes) => response.setHeader('content-type', types[path.split('.').pop() ?? ''] ?? '').end(bytes),
        async () =>
          response
            .writeHead(404, { 'content-type': 'text/html' })
            .end(await readFile(join(folder, '404.html'))),
      );
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }, 60_000);

  afterAll(async () => {
    server.close();
    await opened.close();
  });

  it('has the header and the search of the site at any depth below the base path', async () => {
    const { page } = opened;
    await page.goto(`${origin}/docs/one/two/three`);
    const title = page.getByRole('heading', { name: 'Page not found' });
    expect(await title.evaluate((node) => getComputedStyle(node).fontSize)).toBe('50px');
    await page.locator('[data-search]').click();
    await page.locator('#search-input').fill('lighthouse');
    await page.locator('dialog a', { hasText: 'Boats' }).click();
    await page.waitForURL(`${origin}/docs/guides/boats.html`);
    await page.goto(`${origin}/docs/one/two/three`);
    await page.getByRole('link', { name: 'Fleet' }).click();
    await page.waitForURL(`${origin}/docs/guides/boats.html`);
  });

  it('is a plain page when it is opened from disk', async () => {
    const { page, origins } = opened;
    await page.goto(`${origins.file}/404.html`);
    expect(await page.getByRole('heading', { name: 'Page not found' }).isVisible()).toBe(true);
    expect(await page.locator('#navbar').isVisible()).toBe(false);
  });
});
