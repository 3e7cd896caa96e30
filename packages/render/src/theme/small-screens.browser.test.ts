import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openBrowserFolder } from '../../test/support/browser-site.ts';
import { withFolder } from '../../test/support/render-fixture.ts';

const columns = ['Setting', 'Default', 'Meaning'];
const prose = 'The number of exports that run at the same time, between one and sixty-four.';
const rows = [columns, columns.map(() => '---'), ['EXPORT_CONCURRENCY', 'one per core', prose]];
const table = rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
const tabs = ['Guides', 'Deployment', 'Integrations', 'Cookbooks', 'Reference'];

const site = {
  'docs.json': JSON.stringify({
    name: 'Harbour',
    navigation: { tabs: tabs.map((tab) => ({ tab, pages: [tab.toLowerCase()] })) },
  }),
  ...Object.fromEntries(tabs.map((tab) => [`${tab.toLowerCase()}.mdx`, `Quay of ${tab}`])),
  'guides.mdx': `${table}\n\n| Key | Value |\n|---|---|\n| a | b |\n\n<table><tbody><tr><td>${'wide'.repeat(60)}</td></tr></tbody></table>\n\n\`\`\`bash\nls\n\`\`\`\n\n\`${'path/'.repeat(20)}\`\n`,
};

describe.skipIf(chromiumPath === undefined)('a page on a phone', () => {
  let page: Page;
  let origin: string;
  let close: () => Promise<void>;

  beforeAll(async () => {
    await withFolder(site, async (root) => {
      const opened = await openBrowserFolder(root);
      page = opened.page;
      origin = opened.origins.file;
      close = opened.close;
    });
    await page.setViewportSize({ width: 390, height: 800 });
  }, 60_000);

  afterAll(() => close());

  it('scrolls wide tables and fades the edge behind which there is more', async () => {
    await page.goto(`${origin}/guides.html`);
    const wide = page.locator('.dy-table').first();
    await page.waitForSelector('.dy-table[data-more="end"]');
    expect(await wide.getAttribute('tabindex')).toBe('0');
    await wide.evaluate((area) => area.scrollTo({ left: area.scrollWidth, behavior: 'instant' }));
    await page.waitForSelector('.dy-table[data-more="start"]');
    const prose = await page.locator('.dy-wide-column').first().boundingBox();
    expect(prose?.width).toBeGreaterThan(200);
    const small = page.locator('.dy-table').nth(1);
    expect(await small.getAttribute('data-more')).toBeNull();
    expect(await small.getAttribute('tabindex')).toBeNull();
  });

  it('is not wider than the screen, although an HTML table is', async () => {
    await page.goto(`${origin}/guides.html`);
    const widths = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return { scrollWidth, clientWidth };
    });
    expect(widths.scrollWidth).toBe(widths.clientWidth);
    expect(await page.locator('.dy-table').nth(2).getAttribute('data-more')).toBe('end');
  });

  it('opens the menu with the tabs of the site, moves the focus into it and closes it with a button', async () => {
    await page.goto(`${origin}/guides.html`);
    await page.getByRole('button', { name: 'Navigation menu' }).click();
    const close = page.getByRole('button', { name: 'Close' });
    expect(await close.evaluate((node) => node === document.activeElement)).toBe(true);
    await page.locator('#sidebar summary', { hasText: 'Guides' }).click();
    await page.keyboard.press('Escape');
    expect(await close.isVisible()).toBe(true);
    await close.click();
    const menu = page.getByRole('button', { name: 'Navigation menu' });
    expect(await menu.evaluate((node) => node === document.activeElement)).toBe(true);
    await menu.click();
    await page.locator('#sidebar summary', { hasText: 'Guides' }).click();
    await page.locator('#sidebar').getByRole('link', { name: 'Cookbooks' }).click();
    expect(page.url()).toMatch(/cookbooks\.html$/);
  });

  it('shows the copy button of a code block without a pointer over it', async () => {
    await page.goto(`${origin}/guides.html`);
    const button = page.getByRole('button', { name: 'Copy' });
    expect(await button.evaluate((node) => getComputedStyle(node).opacity)).toBe('1');
    const [block, own] = [await page.locator('.code-block').boundingBox(), await button.boundingBox()];
    if (!block || !own) throw new Error('the code block or its button is missing');
    expect(own.y - block.y).toBeCloseTo(block.y + block.height - own.y - own.height, 0);
  });

  it('breaks inline code that is longer than the screen', async () => {
    await page.goto(`${origin}/guides.html`);
    const box = await page.locator('p > code').boundingBox();
    expect((box?.x ?? 999) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    expect(box?.height).toBeGreaterThan(40);
  });

  it('shows the current tab of a row of tabs that scrolls', async () => {
    await page.goto(`${origin}/reference.html`);
    const box = await page.locator('.nav-tabs-item[data-active]').boundingBox();
    expect((box?.x ?? 999) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  });
});
