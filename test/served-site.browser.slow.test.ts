/** Opens a site of `docyard site` in Chromium, at the root of a host and below a path. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { precompress } from '../packages/site/src/serving/compressed-files.ts';
import { HostedSite } from '../packages/site/src/serving/hosted-site.ts';
import { SiteServer } from '../packages/site/src/serving/site-server.ts';
import { openSite } from '../packages/site/src/serving/served-site.ts';
import { program, temporaryFolder } from './service.ts';
import { chromiumPath } from '../packages/render/test/support/chromium.ts';

const sample = fileURLToPath(new URL('../packages/server/sample', import.meta.url));

describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: chromiumPath ?? '',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    });
  });

  afterAll(() => browser?.close());

  describe.each([
    { basePath: '', urlStyle: 'html' },
    { basePath: '/docs', urlStyle: 'directory' },
  ])('served at $basePath/ with addresses of style $urlStyle', ({ basePath, urlStyle }) => {
    let server: SiteServer;
    let origin = '';
    /** One page for all tests, which records its problems. */
    let page: Page;
    const complaints: string[] = [];

    beforeAll(async () => {
      const folder = temporaryFolder('served');
      const siteFolder = join(folder, 'site');
      const options = ['--out', siteFolder, '--base-path', basePath, '--url-style', urlStyle, '--offline'];
      const built = spawnSync(process.execPath, [program, 'build', sample, ...options], { encoding: 'utf8' });
      expect(built.stderr).toBe('');
      const manifest = JSON.parse(readFileSync(join(siteFolder, 'manifest.json'), 'utf8'));
      const release = { id: 'r1', siteFolder, compressedFolder: join(folder, 'compressed'), manifest };
      await precompress(release);
      const status = () => ({ release: null, lastRefresh: null, refreshes: {}, refusals: {} });
      const site = new HostedSite({ status });
      server = new SiteServer({ host: '127.0.0.1', port: 0, sites: [site] });
      site.activate(await openSite(release));
      const { port } = await server.listen();
      origin = `http://127.0.0.1:${port}`;
      page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`);
      });
      page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
      page.on('response', (response) => {
        if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
      });
      page.on('request', (request) => {
        if (!request.url().startsWith(origin)) complaints.push(`outside: ${request.url()}`);
      });
    });

    afterAll(() => server?.close(0));

    afterEach(() => {
      complaints.length = 0;
    });

    test('a reader follows the navigation, searches, and keeps the colours', async () => {
      await page.goto(`${origin}${basePath}/`);
      await page.getByRole('navigation').getByRole('link', { name: 'Unboxing' }).first().click();
      await page.waitForURL(urlStyle === 'html' ? /\/setup\/unboxing\.html$/ : /\/setup\/unboxing\/$/);
      const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = await background();
      await page
        .getByRole('button', { name: /light and dark/ })
        .first()
        .click();
      await expect.poll(background, { timeout: 20_000 }).not.toBe(light);
      await page.getByRole('button', { name: /^Search/ }).click();
      await page.getByRole('combobox').fill('readings');
      await page.getByRole('option').first().click();
      await page.waitForURL((url) => !url.pathname.includes('unboxing'));
      await expect.poll(background, { timeout: 20_000 }).not.toBe(light);
      expect(page.url().startsWith(`${origin}${basePath}/`)).toBe(true);
      expect(complaints).toEqual([]);
    });

    test('an address that is spelled otherwise shows the page with its style and its links', async () => {
      const other = urlStyle === 'html' ? '/setup/unboxing/' : '/setup/unboxing.html';
      await page.goto(`${origin}${basePath}${other}`);
      expect(new URL(page.url()).pathname).toBe(
        `${basePath}/setup/unboxing${urlStyle === 'html' ? '' : '/'}`,
      );
      await page.getByRole('navigation').getByRole('link', { name: 'A good place' }).first().click();
      await page.waitForURL(/siting/);
      expect(complaints).toEqual([]);
    });

    test('who got lost finds the way home', async () => {
      const lost = await page.goto(`${origin}${basePath}/no/such/page`);
      expect(lost?.status()).toBe(404);
      await expect
        .poll(() => page.getByRole('heading', { level: 1 }).textContent(), { timeout: 20_000 })
        .toBe('Page not found');
      expect(await page.locator('#navbar').isVisible()).toBe(true);
      await page.getByRole('link', { name: /home page/ }).click();
      await page.waitForURL(`${origin}${basePath}/`);
      expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
    });
  });
});
