import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type Page, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Rendered, renderFixture, writeOutput } from '../../test/support/render-fixture.ts';
import { chromiumPath } from '../../test/support/chromium.ts';

describe.skipIf(chromiumPath === undefined)('outputs in a browser', () => {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  let rendered: Rendered;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'docyard-outputs-'));
    rendered = await renderFixture('outputs', { origin: 'https://tides.example.com' });
    await writeOutput(rendered, folder);
    browser = await chromium.launch({
      executablePath: chromiumPath ?? '',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    });
    page = await browser.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(path: string): Promise<void> {
    complaints.length = 0;
    await page.goto(`${pathToFileURL(folder).href}/${path}`);
  }

  it.each(['sitemap.xml', 'changelog/rss.xml'])('%s is XML', async (path) => {
    await open('index.html');
    const root = await page.evaluate(
      (text) => {
        const document = new DOMParser().parseFromString(text, 'application/xml');
        return document.querySelector('parsererror')?.textContent ?? document.documentElement.nodeName;
      },
      rendered.files.get(path) ?? '',
    );
    expect(root).toBe(path === 'sitemap.xml' ? 'urlset' : 'rss');
  });

  it('parses the structured data without a console error', async () => {
    await open('guides/harbour.html');
    const types = await page.evaluate(() => {
      const text = document.querySelector('script[type="application/ld+json"]')?.textContent ?? '';
      return (JSON.parse(text) as { '@graph': { '@type': string }[] })['@graph'].map((node) => node['@type']);
    });
    expect(types).toContain('APIReference');
    await page.waitForFunction(() => document.documentElement.classList.contains('dy-js'));
    expect(complaints).toEqual([]);
  });

  it('leads from a changelog to its feed', async () => {
    await open('changelog.html');
    const link = page.getByRole('link', { name: 'RSS' });
    await link.waitFor();
    expect(await link.evaluate((anchor) => (anchor as HTMLAnchorElement).href)).toMatch(
      /changelog\/rss\.xml$/,
    );
  });
});
