import { readFileSync, readdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSite, chromiumPath, openBrowserSite } from '../../test/support/browser-site.ts';
import { fixture } from '../../test/support/render-fixture.ts';
import { attributeHooks, classHooks, idHooks, notFoundHooks, partHooks } from '../model/style-hooks.ts';
import { utilityStylesheet } from './utilities/stylesheet.ts';

const selectors = [
  ...idHooks.map((name) => `#${name}`),
  ...classHooks.map((name) => `.${name}`),
  ...partHooks.map((name) => `[data-component-part="${name}"]`),
  ...attributeHooks,
];

/** Values that the theme does not use. */
const declared = { borderRadius: '7px', backgroundColor: 'rgb(1, 2, 3)' };
const stylesheet = `${selectors.join(',\n')} {\n  border-radius: 7px;\n  background: rgb(1 2 3);\n}\n`;

const pages: [path: string, prepare?: (page: Page) => Promise<unknown>][] = [
  ['index.html', openSearch],
  ['guides/changelog.html'],
  ['guides/views.html'],
  ['guides/panel.html'],
  ['guides/more.html'],
  ['guides/listed.html'],
  ['api-reference/create-a-shipment.html', openForm],
];

async function openSearch(page: Page): Promise<void> {
  await page.locator('#search-bar-entry').click();
  await page.locator('.dy-search-field').waitFor();
}

async function openForm(page: Page): Promise<void> {
  await page.locator('.tryit-button').click();
  await page.locator('.dy-try-it').waitFor();
}

function withoutComments(css: string): string {
  return css
    .split('/*')
    .map((piece) => piece.slice(piece.indexOf('*/') + 1))
    .join('');
}

function cssOf(folder: string): string[] {
  const root = new URL(`files/${folder}/`, import.meta.url);
  return readdirSync(root).map((file) => withoutComments(readFileSync(new URL(file, root), 'utf8')));
}

describe('the hooks for stylesheets of authors', () => {
  it('are all addressed by the stylesheet of the fixture', async () => {
    await expect(stylesheet).toMatchFileSnapshot(`${fixture('style-hooks')}/style.css`);
  });

  it('are not utility classes', async () => {
    expect(await utilityStylesheet([...classHooks, ...notFoundHooks])).toBe('');
  });

  it('are named in the manual', () => {
    const manual = readFileSync(new URL('../../../../docs/write/style-hooks.mdx', import.meta.url), 'utf8');
    const names = [...idHooks.map((name) => `#${name}`), ...classHooks, ...notFoundHooks, ...partHooks];
    const missing = [...names, ...attributeHooks].filter((name) => !manual.includes(`\`${name}\``));
    expect(missing).toEqual([]);
  });

  it('have no style in the theme', () => {
    const theme = ['style', 'style-api'].flatMap((folder) => cssOf(folder));
    const names = [...idHooks.map((name) => `#${name}`), ...classHooks.map((name) => `.${name}`)];
    const used = new Set(theme.flatMap((css) => css.match(/[#.][a-z][\w-]*/g) ?? []));
    const styled = names.filter((name) => used.has(name));
    expect(styled).toEqual([]);
  });
});

describe.skipIf(chromiumPath === undefined)('pages with a stylesheet of their author', () => {
  let site: BrowserSite;

  beforeAll(async () => {
    site = await openBrowserSite('style-hooks');
  });

  afterAll(async () => {
    await site?.close();
    expect(site?.complaints).toEqual([]);
  });

  it('show the style of the author at every hook', async () => {
    const states = new Map<string, unknown>(selectors.map((selector) => [selector, 'no element']));
    for (const [path, prepare] of pages) {
      await site.page.goto(`${site.origins.http}/${path}`);
      await prepare?.(site.page);
      const found = await site.page.evaluate(stylesOf, selectors);
      for (const [selector, style] of found) states.set(selector, style);
    }
    const wrong = [...states].filter(([, style]) => JSON.stringify(style) !== JSON.stringify(declared));
    expect(wrong).toEqual([]);
  });

  it('have unique ids, and headings keep an id that a hook shares', async () => {
    for (const path of ['guides/own-ids.html', ...pages.map(([name]) => name)]) {
      await site.page.goto(`${site.origins.http}/${path}`);
      const ids = await site.page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id));
      expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    }
    await site.page.goto(`${site.origins.http}/guides/own-ids.html`);
    for (const id of ['header', 'content', 'sidebar', 'navbar', 'request-example', 'table-of-contents'])
      expect(await site.page.locator(`h2#${id}`).count()).toBe(1);
  });
});

function stylesOf(all: string[]): [string, { borderRadius: string; backgroundColor: string }][] {
  return all.flatMap((selector) => {
    const element = document.querySelector(selector);
    if (!element) return [];
    const { borderRadius, backgroundColor } = getComputedStyle(element);
    return [[selector, { borderRadius, backgroundColor }]];
  });
}
