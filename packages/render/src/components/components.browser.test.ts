/**
 * Components in a browser, from disk and with the keyboard. Skipped with a message when Chromium is missing.
 */
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type Page, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture, renderFiles } from '../../test/support/render-fixture.ts';
import { chromiumPath } from '../../test/support/chromium.ts';

const names = ['accordion', 'code-group', 'tabs', 'tooltip', 'tree', 'update', 'view'];
const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="300"><rect width="600" height="300"/></svg>';

describe.skipIf(chromiumPath === undefined)('components in a browser', () => {
  let browser: Browser;
  /** Shared by all tests, because opening a page is slow. */
  let page: Page;
  let folder: string;
  const complaints: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'docyard-components-'));
    const inputs = names.map((name) => [
      `${name}.mdx`,
      readFileSync(join(fixture('components'), name, 'input.mdx'), 'utf8'),
    ]);
    const rendered = await renderFiles({
      ...(Object.fromEntries(inputs) as Record<string, string>),
      'pictures.mdx': '![Large](/large.svg)\n\n<img src="/large.svg" alt="Fixed" noZoom />',
      'other.mdx': 'Other',
      'large.svg': drawing,
    });
    for (const path of rendered.files.keys()) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), rendered.bytes.get(path) ?? drawing);
    }
    browser = await chromium.launch({
      executablePath: chromiumPath ?? '',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    });
    page = await browser.newPage();
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
    expect(complaints).toEqual([]);
  });

  async function open(path: string): Promise<void> {
    await page.goto(`${pathToFileURL(folder).href}/${path}`);
  }

  const hash = (): string => new URL(page.url()).hash;
  const visible = (selector: string): Promise<boolean[]> =>
    page.locator(selector).evaluateAll((all) => all.map((one) => one.getClientRects().length > 0));

  it('accordions open from the address and update it', async () => {
    await open('accordion.html#what-is-it:inner');
    expect(await page.locator('#inner').getAttribute('open')).not.toBeNull();
    await page.locator('#what-is-it-2 > summary').click();
    expect(hash()).toBe('#what-is-it-2');
    await page.locator('#what-is-it-2 > summary').click();
    expect(hash()).toBe('');
  });

  it('updates are filtered by tag, also from the address', async () => {
    await open('update.html?tags=API');
    expect(await visible('.dy-update')).toEqual([true, false]);
    await page.getByRole('button', { name: 'API' }).click();
    expect(await visible('.dy-update')).toEqual([true, true]);
    expect(page.url()).toMatch(/update\.html$/);
  });

  it('one view is shown at a time, and the choice is stored', async () => {
    await open('view.html');
    expect(await visible('.dy-view')).toEqual([true, false]);
    await page.getByLabel('Show content for').selectOption('Go');
    expect(await visible('.dy-view')).toEqual([false, true]);
    await page.reload();
    expect(await visible('.dy-view')).toEqual([false, true]);
  });

  it('code groups can be a menu, and tabs open for a heading inside', async () => {
    await open('code-group.html');
    await page.getByLabel('Language').selectOption('second.py');
    expect(await visible('.dy-code-group:has(select) > .dy-tab')).toEqual([false, true]);
    await open('tabs.html#one');
    expect(await visible('.dy-tabs-bordered > .dy-tab')).toEqual([true, false]);
  });

  it('pictures are enlarged with the keyboard and restore the focus', async () => {
    await open('pictures.html');
    const picture = page.getByRole('button', { name: 'Enlarge: Large' });
    await picture.press('Enter');
    expect(await page.locator('dialog.dy-zoom').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await page.locator('dialog.dy-zoom').isVisible()).toBe(false);
    expect(await picture.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await page.getByRole('button', { name: 'Fixed' }).count()).toBe(0);
  });

  it('tooltips appear on focus and close with Escape', async () => {
    await open('tooltip.html');
    const tip = page.locator('.dy-tooltip-tip').first();
    await page.locator('.dy-tooltip-term').first().focus();
    await tip.waitFor({ state: 'visible' });
    await page.keyboard.press('Escape');
    await tip.waitFor({ state: 'hidden' });
  });

  it('the arrow keys move through a file tree', async () => {
    await open('tree.html');
    const folders = page.locator('.dy-tree summary');
    await folders.first().press('ArrowLeft');
    expect(await page.locator('.dy-tree details').first().getAttribute('open')).toBeNull();
    await folders.first().press('ArrowRight');
    expect(await page.locator('.dy-tree details').first().getAttribute('open')).not.toBeNull();
  });
});
