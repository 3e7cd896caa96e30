import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSite, chromiumPath, openBrowserFolder } from '../../test/support/browser-site.ts';
import { withFolder } from '../../test/support/render-fixture.ts';

const words =
  'A page of the manual explains one step after another, in sentences long enough to need several lines on a phone. ';
const files = {
  'docs.json': JSON.stringify({ name: 'Harbour', navigation: { pages: ['index', 'deep/code'] } }),
  'index.mdx': `## A heading of the page\n\n${words.repeat(8)}\n\n**${words.repeat(3)}**`,
  'deep/code.mdx': 'Run `npm start` to begin.',
};

describe.skipIf(chromiumPath === undefined)('the bundled fonts in Chromium', () => {
  let opened: BrowserSite;

  beforeAll(async () => {
    opened = await withFolder(files, (root) => openBrowserFolder(root));
  }, 60_000);
  afterAll(() => opened.close());

  const loadedFonts = (page: Page): Promise<string[]> =>
    page.evaluate(async () => {
      await document.fonts.ready;
      const loaded = [...document.fonts].filter(({ status }) => status === 'loaded');
      const names = loaded.map(({ family }) => family.replaceAll('"', ''));
      return names.filter((family) => !family.endsWith('Fallback'));
    });

  it.each(['http', 'file'] as const)(
    'load without an error over %s, and the font for code only on pages with code',
    async (origin) => {
      const { page, origins, complaints } = opened;
      await page.goto(`${origins[origin]}/index.html`);
      expect(await loadedFonts(page)).toEqual(['Inter']);
      await page.goto(`${origins[origin]}/deep/code.html`);
      expect(await loadedFonts(page)).toEqual(['Inter', 'JetBrains Mono']);
      expect(complaints).toEqual([]);
    },
  );

  it('are preloaded over http', async () => {
    const { page, origins, site } = opened;
    await page.goto(`${origins.http}/deep/code.html`);
    const preload = page.locator('link[rel="preload"][as="font"]');
    const address = await preload.evaluate((link) => (link as HTMLLinkElement).href);
    expect(site.bytes.has(address.slice(origins.http.length + 1))).toBe(true);
  });

  it('take the place of the fallback font without moving the text', async ({ skip }) => {
    const { browser, origins } = opened;
    const heightOf = async (isBlocked: boolean, width: number): Promise<number> => {
      const page = await browser.newPage({ viewport: { width, height: 800 } });
      if (isBlocked) await page.route('**/*.woff2', (route) => route.abort());
      await page.goto(`${origins.http}/index.html`);
      const fonts = await loadedFonts(page);
      expect(fonts).toEqual(isBlocked ? [] : ['Inter']);
      const fallback = await page.evaluate(() =>
        [...document.fonts].some(({ family, status }) => /Fallback/.test(family) && status === 'loaded'),
      );
      skip(isBlocked && !fallback, 'neither Arial nor Liberation Sans is installed');
      const height = await page.locator('#content').evaluate((content) => content.clientHeight);
      await page.close();
      return height;
    };
    for (const width of [390, 1440]) expect(await heightOf(true, width)).toBe(await heightOf(false, width));
  });
});
