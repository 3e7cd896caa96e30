/** `docyard dev` with the real program, a changing folder and Chromium. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { chromiumPath, launchChromium } from '../scripts/measure/browser.ts';
import { program, temporaryFolder } from './service.ts';

const waitMs = 30_000;
const root = temporaryFolder('dev');
const docs = (...pages: string[]): string =>
  JSON.stringify({
    name: 'Harbour',
    favicon: '/favicon.svg',
    navigation: { groups: [{ group: 'Guides', pages }] },
  });
const paragraphs = Array.from({ length: 60 }, (_, at) => `Paragraph ${at} of the page.`).join('\n\n');
const indexPage = (title = 'Start', text = 'Welcome.'): string =>
  `---\ntitle: ${title}\n---\n\n${text}\n\n<Tabs><Tab title="One">First tab.</Tab><Tab title="Two">Second tab.</Tab></Tabs>\n\n${paragraphs}\n`;

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

describe.skipIf(chromiumPath === undefined)('docyard dev', () => {
  let browser: Browser;
  let child: ChildProcess;
  let origin: string;
  let output = '';
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    write('docs.json', docs('index', 'second'));
    write('index.mdx', indexPage());
    write('second.mdx', '---\ntitle: Second\n---\n\nOther text.\n');
    write('favicon.svg', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>');
    write('look.css', '.dy-content { outline-width: 1px; }\n');
    browser = await launchChromium();
    child = spawn(process.execPath, [program, 'dev', root, '--port', '0', '--no-open'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NO_COLOR: '1' },
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
    await vi.waitFor(() => expect(output).toMatch(/http:\/\/localhost:\d+/), { timeout: waitMs });
    origin = `http://127.0.0.1:${/localhost:(\d+)/.exec(output)?.[1]}`;
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
  });
  afterAll(async () => {
    await browser?.close();
    child?.kill('SIGKILL');
  });
  beforeEach(async () => {
    await page.goto(`${origin}/index.html`);
    await page.evaluate(() => Object.assign(window, { loadedOnce: true }));
  });

  const poll = <Value>(look: () => Value) => expect.poll(look, { timeout: waitMs });
  const see = (selector: string) => poll(() => page.locator(selector).allTextContents());
  /** False after a reload. */
  const isSamePage = () => page.evaluate(() => 'loadedOnce' in window);
  const corner = (selector: string): string => `#docyard-preview ${selector}`;

  test('shows an edit in place, where the reader is', async () => {
    await page.evaluate(() => scrollTo(0, 700));
    write('index.mdx', indexPage('Start', 'Something **new**.'));
    await see('.dy-content > p:first-child').toEqual(['Something new.']);
    expect(await isSamePage()).toBe(true);
    await poll(() => page.evaluate(() => scrollY)).toBe(700);
    await poll(() => output).toMatch(/edited index\.mdx · \d+ ms/);
  });

  test('leaves a page that works as if it had just been loaded', async () => {
    write('index.mdx', indexPage('Start', 'Edited once.'));
    await see('.dy-content > p:first-child').toEqual(['Edited once.']);
    write('index.mdx', indexPage('Start', 'Edited twice.'));
    await see('.dy-content > p:first-child').toEqual(['Edited twice.']);
    await page.locator('[role="tab"]', { hasText: 'Two' }).click();
    await see('.dy-tab[data-active]').toEqual([expect.stringContaining('Second tab.')]);
    await page.locator('[data-theme-toggle]').click();
    await poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
    write('index.mdx', indexPage('Start', 'Edited in the dark.'));
    await see('.dy-content > p:first-child').toEqual(['Edited in the dark.']);
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.keyboard.press('/');
    await page.getByRole('combobox').fill('dark');
    await see('[role="option"]').not.toEqual([]);
    await page.evaluate(() => localStorage.clear());
  });

  test('shows another title in the navigation', async () => {
    write('index.mdx', indexPage('Arrival'));
    await see('.dy-site-sidebar [aria-current="page"]').toEqual(['Arrival']);
    await poll(() => page.title()).toBe('Arrival - Harbour');
    expect(await isSamePage()).toBe(true);
  });

  test('shows a new page in the navigation, and the page', async () => {
    write('guides/third.mdx', '---\ntitle: Third\n---\n\nText of the third.\n');
    write('docs.json', docs('index', 'second', 'guides/third'));
    await see('.dy-site-sidebar ul a').toEqual([expect.any(String), 'Second', 'Third']);
    await page.locator('.dy-site-sidebar a', { hasText: 'Third' }).click();
    await see('.dy-content').toEqual(['Text of the third.']);
    rmSync(join(root, 'guides'), { recursive: true });
    await see('h1').toEqual(['Page not found']);
    write('guides/third.mdx', '---\ntitle: Third\n---\n\nBack again.\n');
    await see('.dy-content').toEqual(['Back again.']);
  });

  test('says what is wrong with a page until it is repaired', async () => {
    write('index.mdx', indexPage('Start', '<Unheard>Text</Unheard>'));
    await see(corner('.badge')).toEqual(['1 finding']);
    await page.locator(corner('.badge')).click();
    await see(corner('.where code')).toEqual(['index.mdx:5:1']);
    await see(corner('.what')).toEqual([expect.stringContaining('<Unheard> is not a known component')]);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      // Polled, because colors change with a transition.
      await poll(violations).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: null });
    await poll(() => output).toContain('component_unknown');
    write('index.mdx', indexPage());
    await see(corner('.badge')).toEqual([]);
    await poll(() => output).toContain('· 1 solved');
  });

  test('shows the site as it was while its configuration is broken, and says where', async () => {
    write('docs.json', '{\n  "name": "Harbour,\n}\n');
    await see(corner('.banner .where code')).toEqual([expect.stringMatching(/^docs\.json:2:\d+$/)]);
    await poll(violations).toEqual([]);
    await see('.dy-site-sidebar ul a').not.toEqual([]);
    write('docs.json', docs('second', 'index'));
    await see(corner('.banner')).toEqual([]);
    await poll(async () => (await page.locator('.dy-site-sidebar ul a').allTextContents())[0]).toBe('Second');
  });

  test('swaps a stylesheet and leaves the page alone', async () => {
    write('look.css', '.dy-content { outline-width: 7px; }\n');
    const width = () =>
      page.evaluate(() => getComputedStyle(document.querySelector('.dy-content') as Element).outlineWidth);
    await poll(width).toBe('7px');
    expect(await isSamePage()).toBe(true);
  });

  test('ends at once, and says so on the page', async () => {
    expect(complaints.filter((text) => !/404/.test(text))).toEqual([]);
    child.kill('SIGINT');
    await poll(() => child.exitCode).toBe(0);
    await see(corner('.badge')).toEqual(['Preview ended']);
  });

  /** axe sets an inline style, which the policy of the page refuses. */
  async function violations(): Promise<string[]> {
    const before = complaints.length;
    await page.evaluate(axe.source);
    const found = await page.evaluate(async () => {
      const { axe: here } = window as unknown as {
        axe: { run(): Promise<{ violations: { id: string }[] }> };
      };
      return (await here.run()).violations.map(({ id }) => id);
    });
    complaints.length = before;
    return found;
  }
});
