import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSite, chromiumPath, openBrowserFolder } from '../../test/support/browser-site.ts';
import { fixture } from '../../test/support/render-fixture.ts';

/** Colors published by Shiki. */
const published = {
  'github-dark-default': { background: '#0d1117', keyword: '#ff7b72', string: '#a5d6ff', number: '#79c0ff' },
  dracula: { background: '#282a36', keyword: '#ff79c6', string: '#f1fa8c', number: '#bd93f9' },
  'github-light-default': { background: '#ffffff', keyword: '#cf222e', string: '#0a3069', number: '#0550ae' },
  'night-owl': { background: '#011627', keyword: '#c792ea', string: '#ecc48d', number: '#f78c6c' },
};

const cases = [
  { codeblocks: 'dark', light: 'github-dark-default', dark: 'github-dark-default' },
  { codeblocks: { theme: 'dracula' }, light: 'dracula', dark: 'dracula' },
  {
    codeblocks: { theme: { light: 'github-light-default', dark: 'night-owl' } },
    light: 'github-light-default',
    dark: 'night-owl',
  },
] as const;

describe.skipIf(chromiumPath === undefined).each(cases)(
  'on a site with the code themes $light and $dark',
  ({ codeblocks, light, dark }) => {
    let root: string;
    let site: BrowserSite;
    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), 'docyard-code-themes-'));
      await cp(fixture('code-themes'), root, { recursive: true });
      const settings = JSON.parse(await readFile(join(root, 'docs.json'), 'utf8')) as object;
      await writeFile(join(root, 'docs.json'), JSON.stringify({ ...settings, styling: { codeblocks } }));
      site = await openBrowserFolder(root);
    }, 60_000);
    afterAll(async () => {
      await site?.close();
      await rm(root, { recursive: true, force: true });
    });

    it.each(['index', 'request', 'create-order'])(
      'all code of the page %s has the colors of the theme for the appearance',
      async (name) => {
        const { page, origins, complaints } = site;
        await page.emulateMedia({ colorScheme: 'light' });
        await page.goto(`${origins.file}/${name}.html`);
        await expectTheme(page, light);
        await page.emulateMedia({ colorScheme: 'dark' });
        await expectTheme(page, dark);
        await page.locator('[data-theme-toggle]').first().click();
        await expectTheme(page, light);
        await page.evaluate(() => localStorage.clear());
        expect(complaints).toEqual([]);
      },
    );

    it('the response in the request form has the background of the theme', async () => {
      const { page, origins } = site;
      await page.emulateMedia({ colorScheme: 'light' });
      await page.route('https://api.example.com/**', (route) =>
        route.fulfill({ json: { id: 'order_1' }, headers: { 'access-control-allow-origin': '*' } }),
      );
      await page.goto(`${origins.http}/create-order.html`);
      await page.locator('.dy-api-try').click();
      await page.locator('.dy-try-it button[type=submit]').click();
      const answer = page.getByRole('region', { name: 'Response body' });
      await answer.waitFor();
      expect(await answer.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
        rgbOf(published[light].background),
      );
    });

    it('text and inline code have the colors of the page', async () => {
      const { page, origins } = site;
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(`${origins.file}/index.html`);
      const colors = await page.evaluate(() =>
        ['body', '.dy-content > p > code'].map((selector) => {
          const element = document.querySelector(selector);
          return element ? getComputedStyle(element).color : '';
        }),
      );
      expect(colors).toEqual(['rgb(36, 41, 47)', 'rgb(17, 21, 26)']);
    });
  },
);

async function expectTheme(page: Page, theme: keyof typeof published): Promise<void> {
  const { background, keyword, string, number } = published[theme];
  const shown = await page.evaluate(() => {
    const painted = (element: Element): string => {
      const color = getComputedStyle(element).backgroundColor;
      const parent = element.parentElement;
      return color === 'rgba(0, 0, 0, 0)' && parent ? painted(parent) : color;
    };
    const colors = (selector: string, color: (element: Element) => string): string[] => [
      ...new Set([...document.querySelectorAll(selector)].map(color)),
    ];
    const text = (element: Element): string => getComputedStyle(element).color;
    return {
      surfaces: colors('.dy-code, .dy-code pre, .dy-code-group, .dy-code-group [role=tablist]', painted),
      keyword: colors('.dy-code .dy-k', text),
      string: colors('.dy-code .dy-s', text),
      number: colors('.dy-code .dy-n', text),
    };
  });
  expect(shown.surfaces).toEqual([rgbOf(background)]);
  expect(shown.string).toEqual([rgbOf(string)]);
  expect(shown.number).toEqual([rgbOf(number)]);
  if (shown.keyword.length > 0) expect(shown.keyword).toEqual([rgbOf(keyword)]);
}

function rgbOf(hex: string): string {
  const channels = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return `rgb(${channels.join(', ')})`;
}
