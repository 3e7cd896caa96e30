import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type Page, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NavEntry } from '../navigation/tree.ts';
import { themeFiles } from './files.ts';
import { createSidebar } from './sidebar.ts';
import type { SiteLinks } from './site-links.ts';
import { chromiumPath } from '../../test/support/chromium.ts';

const links: SiteLinks = {
  page: (prefix, route) => `${prefix}${route}.html`,
  file: (prefix, file) => prefix + file,
  address: (_prefix, address) => address,
  division: () => undefined,
  icon: () => '',
};

function pages(count: number, prefix: string): NavEntry[] {
  return Array.from({ length: count }, (_, index) => ({ kind: 'page', route: `docs/${prefix}-${index}` }));
}

function group(
  label: string,
  entries: NavEntry[],
  more: { root?: string; expanded?: boolean } = {},
): NavEntry {
  return { kind: 'group', label, expanded: false, entries, ...more };
}

const entries: NavEntry[] = [
  group('Here', [
    ...pages(3, 'here'),
    group('Closed', pages(4, 'closed')),
    group('Owned', pages(4, 'owned'), { root: 'docs/owned' }),
  ]),
  group('Other', [
    group('Inner', pages(4, 'inner')),
    group('Spread', pages(4, 'spread'), { expanded: true }),
    ...pages(1, 'here'),
  ]),
  group('Long', pages(700, 'long')),
];

describe.skipIf(chromiumPath === undefined)('a very large sidebar', () => {
  let browser: Browser;
  let page: Page;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'docyard-sidebar-'));
    const sidebar = createSidebar(
      { id: '0', entries },
      { links, infoOf: (route) => ({ title: route.slice(5) }), drilldown: false, more: 'More' },
    );
    const document = (route: string): string =>
      '<!doctype html><html lang="en"><head><link rel="stylesheet" href="../_docyard/style.css">' +
      '<script src="../_docyard/theme.js"></script><script src="../_docyard/app.js" defer></script></head><body>' +
      '<header class="dy-site-navbar"><div class="dy-bar"><button type="button" data-menu-toggle>Menu</button></div></header>' +
      `<div class="dy-layout dy-with-sidebar"><nav class="dy-site-sidebar">${sidebar.from('../').textFor(route).text}</nav>` +
      `<main><h1>${route}</h1></main></div></body></html>`;
    const files = [...themeFiles(), ...sidebar.files()];
    for (const route of ['docs/here-0', 'docs/long-350', 'docs/closed-0'])
      files.push({ path: `${route}.html`, content: document(route) });
    const start = document('docs/here-0');
    files.push(
      { path: 'docs/lost.html', content: start.replace('nav/0 ', 'nav/8 ') },
      { path: 'docs/renewed.html', content: start.replace('nav/0 ', 'nav/9 ') },
      {
        path: '_docyard/nav/9-0.js',
        content: 'docyard.takeNavigation("00000000",0,[["<li>Wrong</li>"]]);\n',
      },
    );
    for (const { path, content } of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    browser = await chromium.launch({
      executablePath: chromiumPath ?? '',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    });
    page = await browser.newPage();
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(route: string, shown = page): Promise<void> {
    await shown.setViewportSize({ width: 1200, height: 700 });
    await shown.goto(pathToFileURL(join(folder, `${route}.html`)).href);
  }

  const loadedParts = (): Promise<number> => page.locator('script[src*="_docyard/nav/"]').count();
  const entry = (name: string) => page.getByRole('link', { name, exact: true });
  const fold = (name: string) => page.locator('summary').filter({ hasText: name });

  it('loads no part until a group is opened, and then the part with that group', async () => {
    await open('docs/here-0');
    await fold('Closed').waitFor();
    expect(await loadedParts()).toBe(0);
    await fold('Closed').click();
    await entry('closed-3').waitFor();
    expect(await loadedParts()).toBe(1);
    expect(await entry('closed-3').getAttribute('href')).toBe('../docs/closed-3.html');
    await fold('Closed').click();
    await entry('closed-3').waitFor({ state: 'hidden' });
  });

  it('looks the same before its script has run', async () => {
    const places = async (shown: Page): Promise<unknown> =>
      shown.evaluate(() =>
        Array.from(document.querySelectorAll('.dy-nav-tree span span, .dy-nav-tree a > span'), (label) => {
          const { left, top, width } = label.getBoundingClientRect();
          return [label.textContent, left, top, width];
        }),
      );
    const without = await browser.newPage({ javaScriptEnabled: false });
    await open('docs/here-0', without);
    const before = await places(without);
    await without.close();
    await open('docs/here-0');
    await fold('Closed').waitFor();
    expect(await places(page)).toEqual(before);
  });

  it('supports the keyboard, opens initially expanded groups and marks the current page', async () => {
    await open('docs/here-0');
    const section = page.locator('section').filter({ hasText: 'Other' });
    await fold('Other').focus();
    await page.keyboard.press('Enter');
    await entry('spread-0').waitFor();
    expect(await section.locator('[aria-current="page"]').innerText()).toBe('here-0');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await entry('inner-0').waitFor();
  });

  it('shows a group with a root page as a link with a separate button', async () => {
    await open('docs/here-0');
    await page.locator('summary[aria-label="Owned"]').click();
    await entry('owned-0').waitFor();
    expect(await entry('Owned').getAttribute('href')).toBe('../docs/owned.html');
  });

  it('extends a long list at both ends without moving the visible entries', async () => {
    await open('docs/long-350');
    const top = (): Promise<number | undefined> =>
      entry('long-331').evaluate((link) => Math.round(link.getBoundingClientRect().top));
    const rests = page.locator('.dy-nav-rest a');
    await rests.nth(1).waitFor({ state: 'attached' });
    await rests.first().scrollIntoViewIfNeeded();
    const before = await top();
    await rests.first().focus();
    await page.keyboard.press('Enter');
    await entry('long-200').waitFor({ state: 'attached' });
    expect(await top()).toBe(before);
    await page.locator('a:focus', { hasText: 'long-329' }).waitFor();
    await rests.first().click();
    await entry('long-0').waitFor({ state: 'attached' });
    for (const last of ['long-399', 'long-599', 'long-699']) {
      await rests.click();
      await entry(last).waitFor({ state: 'attached' });
    }
    expect(await rests.count()).toBe(0);
    expect(
      await page
        .locator('.dy-nav-tree a')
        .filter({ hasText: /^long-/ })
        .count(),
    ).toBe(700);
  });

  it('stays open on a small screen while a list is extended', async () => {
    await open('docs/long-350');
    await page.setViewportSize({ width: 390, height: 700 });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.locator('.dy-nav-rest a').last().click();
    await entry('long-399').waitFor({ state: 'attached' });
    expect(await page.getByRole('button', { name: 'Menu' }).getAttribute('aria-expanded')).toBe('true');
  });

  it('opens the first page of a group when its part is missing or belongs to another site', async () => {
    for (const other of ['docs/lost', 'docs/renewed']) {
      await open(other);
      await fold('Closed').click();
      await page.waitForURL(/closed-0\.html$/);
    }
  });
});
