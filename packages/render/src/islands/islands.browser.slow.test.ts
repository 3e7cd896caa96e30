/**
 * Authors' components in exported pages of `fixtures/islands`, over http and from disk. Skipped with a
 * message when Chromium is missing.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { type Browser, type Page, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fixture, renderFolder, writeOutput } from '../../test/support/render-fixture.ts';
import { chromiumPath } from '../../test/support/chromium.ts';

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>';

async function fetchPicture(address: string): Promise<Uint8Array> {
  if (address.endsWith('/kept.svg')) return Buffer.from(drawing);
  throw new Error('it is not there');
}

describe.skipIf(chromiumPath === undefined)('islands in a browser', () => {
  let browser: Browser;
  /** Shared by all tests, because opening a page is slow. */
  let page: Page;
  let server: Server;
  let folder: string;
  const complaints: string[] = [];
  const origins = { file: '', http: '' };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'docyard-islands-'));
    const root = fixture('islands');
    await writeOutput(await renderFolder(root, { fetchPicture }), folder, root);
    server = createServer((request, response) => {
      const path = join(folder, new URL(request.url ?? '/', 'http://x').pathname);
      readFile(path).then(
        (bytes) => response.setHeader('content-type', types[extname(path)] ?? 'text/plain').end(bytes),
        () => response.writeHead(path.endsWith('favicon.ico') ? 204 : 404).end(),
      );
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    origins.http = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    origins.file = pathToFileURL(folder).href;
    browser = await chromium.launch({
      executablePath: chromiumPath ?? '',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    });
    const context = await browser.newContext();
    // The event reports violations that the console does not show.
    await context.addInitScript(() =>
      document.addEventListener('securitypolicyviolation', (event) =>
        console.error(`violation of ${event.violatedDirective}: ${event.blockedURI}`),
      ),
    );
    context.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    context.on('weberror', (error) => complaints.push(error.error().message));
    page = await context.newPage();
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  afterEach(() => {
    expect(complaints.splice(0)).toEqual([]);
  });

  async function open(path: string, from: 'file' | 'http' = 'file'): Promise<void> {
    await page.goto(`${origins[from]}/${path}`);
  }

  const text = (testId: string) => expect.poll(() => page.getByTestId(testId).textContent());
  const shown = (label: string) => expect.poll(() => page.getByLabel(label, { exact: true }).textContent());

  describe.each(['http', 'file'] as const)('over %s', (from) => {
    it('each island has its own state, also in a tab and an accordion', async () => {
      await open('counter.html', from);
      await page.getByLabel('First: more').click();
      await page.getByLabel('First: more').click();
      await page.getByLabel('Second: less').click();
      await shown('First').toBe('5');
      await shown('Second').toBe('-1');
      await page.getByText('Folded').click();
      await page.getByLabel('Third: more').click();
      await shown('Third').toBe('11');
      await page.getByRole('tab', { name: 'Two' }).click();
      await page.getByLabel('Fourth: more').click();
      await shown('Fourth').toBe('21');
    });

    it('an island requests the hosts that its code names and handles a missing response', async () => {
      const address = 'https://status.example.com/v1/state';
      const headers = { 'access-control-allow-origin': '*' };
      await page.route(address, (route) => route.fulfill({ json: { text: 'All well' }, headers }));
      await page.goto(`${origins[from]}/guides/fetch.html`);
      await expect.poll(() => page.getByRole('status').textContent()).toBe('All well');
      await page.route(address, (route) => route.abort());
      await page.reload();
      await expect.poll(() => page.getByRole('status').textContent()).toBe('No answer');
      // The browser logs the failed request; the page's own scripts log nothing.
      await expect.poll(() => complaints.length).toBe(1);
      expect(complaints.every((complaint) => complaint.includes('net::ERR_FAILED'))).toBe(true);
      complaints.length = 0;
      await page.unroute(address);
    });

    it('an island handles forms, keystrokes, choices, focus and timers', async () => {
      await open('form.html', from);
      const field = page.getByLabel('Task');
      await field.pressSequentially('Write');
      await text('typed').toBe('5 letters');
      await field.press('Enter');
      await expect.poll(() => page.locator('main li').allTextContents()).toEqual(['Read', 'Write!']);
      expect(await field.inputValue()).toBe('');
      await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
      await page.getByLabel('Urgent').uncheck();
      await field.pressSequentially('Rest');
      await field.press('Escape');
      await text('typed').toBe('0 letters');
      await field.pressSequentially('Sleep');
      await page.getByRole('button', { name: 'Add' }).click();
      await expect.poll(() => page.locator('main li').last().textContent()).toBe('Sleep');
      await page.getByLabel('Size').selectOption('Large');
      await text('size').toBe('Size: l');
      await page.getByRole('button', { name: 'Details' }).click();
      await expect.poll(() => page.getByTestId('ticks').textContent().then(Number)).toBeGreaterThan(2);
      await page.getByRole('button', { name: 'Clear' }).click();
      await expect.poll(() => page.locator('main li').count()).toBe(0);
      await page.getByRole('button', { name: 'Details' }).click();
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    });
  });

  it('an island hydrates the exported elements without losing the focus', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((done) => (release = done));
    await page.route('**/_docyard/islands.js', async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(`${origins.http}/form.html`, { waitUntil: 'commit' });
    const field = page.getByLabel('Task');
    await field.focus();
    const before = await page
      .locator('docyard-island')
      .evaluateHandle((element) => element.querySelector('ul'));
    release();
    await field.pressSequentially('Write');
    await expect
      .poll(async () => {
        if ((await page.getByTestId('typed').textContent()) === '0 letters')
          await field.pressSequentially('x');
        return page.getByTestId('typed').textContent();
      })
      .not.toBe('0 letters');
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await before.evaluate((element) => element?.isConnected)).toBe(true);
    await page.unroute('**/_docyard/islands.js');
  });

  it('elements with handlers become interactive, also in snippets', async () => {
    await open('handlers.html');
    for (const name of ['Plain', 'N2', 'Ann: 5', 'Title Bob'])
      await page.getByRole('button', { name, exact: true }).click();
    for (const selector of ['#inline', 'summary:text("Summary")', 'p:has-text("paragraph")', 'circle'])
      await page.locator(`main ${selector}`).click();
    await expect
      .poll(() => page.evaluate(() => Object.fromEntries(Object.entries(document.body.dataset))))
      .toEqual({ button: 'yes', details: 'yes', block: 'yes', drawing: 'yes' });
    expect(await page.locator('#inline').getAttribute('class')).toBe('on');
    expect(await page.title()).toBe('Bob');
    await expect.poll(() => page.getByRole('button', { name: 'was 2' }).count()).toBe(1);
    await expect
      .poll(() => page.locator('button[data-mounted=true]').allTextContents())
      .toEqual(['Ann: 15', 'Bob: 7']);
    expect(await page.getByLabel('Field of Ann').inputValue()).toBe('Ann');
    await page.getByRole('button', { name: 'Focus Bob' }).click();
    const focused = page.getByLabel('Field of Bob');
    await expect.poll(() => focused.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it('a component receives its text children as a string', async () => {
    await open('handlers.html');
    await text('shout').toBe('so it is');
    await page.getByTestId('shout').click();
    await text('shout').toBe('SO IT IS');
  });

  it('an island can use window, storage and observers', async () => {
    await open('browser.html', 'http');
    await text('width').toBe(String(page.viewportSize()?.width));
    await text('path').toBe('browser.html');
    await text('stored').toBe('kept');
    await text('changes').not.toBe('0');
    await page.getByRole('button', { name: 'wide' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'narrow' }).count()).toBe(1);
  });

  it('an island reads the appearance of the page from a class', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await open('browser.html');
    const color = (): Promise<string> =>
      page.getByTestId('appearance').evaluate((element) => getComputedStyle(element).color);
    await text('appearance').toBe('dark');
    expect(await color()).toBe('rgb(2, 2, 2)');
    await page.emulateMedia({ colorScheme: 'light' });
    await text('appearance').toBe('light');
    await page.locator('[data-theme-toggle]').first().click();
    await text('appearance').toBe('dark');
    expect(await color()).toBe('rgb(2, 2, 2)');
    await page.locator('[data-theme-toggle]').first().click();
    await text('appearance').toBe('light');
  });

  it('a TypeScript component changes classes and styles', async () => {
    await open('counter.html');
    await page.getByRole('button', { name: 'Step' }).click();
    await page.getByRole('button', { name: 'Step' }).click();
    await text('stepped').toBe('4');
    await expect.poll(() => page.getByRole('button', { name: 'Step' }).isDisabled()).toBe(true);
    const button = page.getByRole('button', { name: 'Small' });
    const padding = (): Promise<string> =>
      page.locator('button:is(.small, .tall)').evaluate((element) => getComputedStyle(element).paddingTop);
    expect(await padding()).toBe('4px');
    await button.click();
    await expect.poll(padding).toBe('20px');
  });

  it('page content is moved with its event listeners', async () => {
    await open('parts.html');
    await page.getByLabel('Inner: more').click();
    await page.getByRole('tab', { name: 'B' }).click();
    await page.getByRole('button', { name: 'Content' }).click();
    await expect.poll(() => page.getByText('A heading of the page').count()).toBe(1);
    await page.getByRole('button', { name: 'Content' }).click();
    // A removed component starts anew; content of the page keeps its state.
    await shown('Inner').toBe('5');
    await expect.poll(() => page.getByText('Second words').isVisible()).toBe(true);
    await page.getByLabel('Inner: more').click();
    await shown('Inner').toBe('6');
  });

  it('an island shows content that was hidden at first, and content twice', async () => {
    await open('parts.html');
    expect(await page.getByText('Hidden words.').count()).toBe(0);
    await page.getByRole('button', { name: 'Reveal' }).click();
    await page.getByLabel('Hidden: more').click();
    await shown('Hidden').toBe('8');
    await page.getByRole('tab', { name: 'D' }).click();
    await expect.poll(() => page.getByText('Fourth words').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Twice' }).click();
    await expect.poll(() => page.getByTestId('twice').getByText('Again').count()).toBe(2);
    await page.getByRole('button', { name: 'Twice' }).click();
    await expect.poll(() => page.getByTestId('twice').getByText('Again').count()).toBe(1);
  });

  it('built-in components around interactive content are kept', async () => {
    await open('parts.html');
    await page.getByText('Alpha has 0 clicks').click();
    await text('inside').toBe('Alpha has 1 clicks');
    await page.getByLabel('Name').fill('Beta');
    await text('inside').toBe('Beta has 1 clicks');
    await expect.poll(() => page.locator('.dy-card-title').first().textContent()).toBe('Beta');
    await page.getByRole('tab', { name: 'Right' }).click();
    await expect.poll(() => page.getByText('Right of Beta').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Note' }).click();
    await text('careful').toBe('Beta');
    expect(await page.locator('.dy-callout [data-testid=careful]').count()).toBe(1);
    expect(await page.locator('h3#below-the-boxes > a.dy-anchor').count()).toBe(1);
    const link = page.getByRole('link', { name: 'Fetch' });
    expect(await link.getAttribute('href')).toBe('guides/fetch.html#top');
    await page.getByRole('main').getByRole('link', { name: 'Counters', exact: true }).click();
    await expect.poll(() => page.title()).toContain('Counters');
  });

  it('built-in components are matched by their properties and updated', async () => {
    await open('parts.html');
    const cards = (): Promise<string[]> =>
      page
        .locator('docyard-island')
        .last()
        .locator('a.dy-card')
        .evaluateAll((list) =>
          list.map(
            (card) => `${card.querySelector('.dy-card-title')?.textContent} ${card.getAttribute('href')}`,
          ),
        );
    const harbour = 'Harbour counter.html';
    expect(await cards()).toEqual([harbour, 'Market form.html', 'Museum rules.html', 'Nothing counter.html']);
    await page.getByLabel('Find').fill('m');
    await expect.poll(cards).toEqual(['Market form.html', 'Museum rules.html', 'm form.html']);
    await page.getByLabel('Find').fill('ha');
    await expect.poll(cards).toEqual([harbour, 'ha counter.html']);
    expect(await page.getByText('About the Harbour').count()).toBe(1);
  });

  it('an island creates nothing that the policy of the page refuses', async () => {
    await open('rules.html');
    await page.getByRole('button', { name: 'Show' }).click();
    const rules = page.getByTestId('rules');
    await expect.poll(() => rules.getByText('Styled').count()).toBe(1);
    const html = await rules.innerHTML();
    expect(html).not.toMatch(/<(?:script|style|iframe)|javascript:|onclick|<img[^>]*https:/);
    expect(html).toMatch(/<a href="https:\/\/pictures\.example\.com\/a\.png"[^>]*>Remote<\/a>/);
    expect(html).toMatch(/<img[^>]* src="_docyard\/remote\/[^"]+\.svg" alt="Kept">/);
    expect(html).toContain('src="dot.svg"');
    expect(html).toContain('href="mailto:a@example.com"');
    expect(html).toContain('<b style="color: blue;">Bold</b>');
    expect(await page.evaluate(() => 'ran' in window)).toBe(false);
    const color = (): Promise<string> => rules.evaluate((element) => getComputedStyle(element).color);
    expect(await color()).toBe('rgb(1, 2, 3)');
    await page.getByRole('button', { name: 'Show' }).click();
    await expect.poll(color).not.toBe('rgb(1, 2, 3)');
  });

  it('a page without islands loads no island script', async () => {
    const html = await readFile(join(folder, 'index.html'), 'utf8');
    expect(html).toContain('<strong class="text-lg">Harbour</strong>');
    expect(html).not.toMatch(/island|docyard-(?:part|slot)|<template/);
  });

  it('islands are readable without a script, and axe reports no violations in light and dark', async () => {
    const silent = await browser.newContext({ javaScriptEnabled: false });
    const read = await silent.newPage();
    await read.goto(`${origins.file}/form.html`);
    expect(await read.locator('main li').allTextContents()).toEqual(['Read']);
    expect(await read.getByLabel('Size').inputValue()).toBe('m');
    expect(await read.getByLabel('Note').inputValue()).toBe('Some words');
    expect(await read.getByLabel('Urgent').isChecked()).toBe(true);
    await silent.close();
    for (const path of ['form.html', 'parts.html', 'counter.html']) {
      await open(path, 'http');
      await expect.poll(() => page.locator('main button').first().isVisible()).toBe(true);
      await page.evaluate(axe.source);
      for (const colorScheme of ['light', 'dark'] as const) {
        // Reduced motion: axe must not measure a color during a transition.
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect(await page.evaluate(axeFindings), `${path} in ${colorScheme}`).toEqual([]);
      }
    }
    await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  });

  it('a failing island keeps its exported state without affecting the others', async () => {
    await open('broken.html');
    await page.getByRole('button', { name: 'Fragile 0' }).click();
    await page.getByRole('button', { name: 'Fragile 1' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Fragile 0' }).count()).toBe(1);
    expect(await page.getByText('Stays as it was').count()).toBe(1);
    await page.getByLabel('Works: more').click();
    await shown('Works').toBe('1');
    await expect
      .poll(() => complaints.map((complaint) => complaint.split('\n')[0]).toSorted())
      .toEqual(['Error: fragile', 'Error: never']);
    complaints.length = 0;
  });
});

async function axeFindings(): Promise<[string, string[]][]> {
  const inPage = globalThis as unknown as { axe: typeof axe };
  const { violations } = await inPage.axe.run();
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
}
