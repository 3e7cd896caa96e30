/**
 * Searches a rendered site in Chromium, from disk and over http. Skipped with a message when Chromium is
 * missing.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type Page, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { renderFixture, writeOutput } from '../../test/support/render-fixture.ts';
import { chromiumPath } from '../../test/support/chromium.ts';

describe.skipIf(chromiumPath === undefined)('the search dialog', () => {
  let browser: Browser;
  /** Shared by all tests, because opening a page is slow. */
  let page: Page;
  const complaints: string[] = [];
  let folder: string;
  let server: Server;
  const bases: Record<string, string> = {};

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'docyard-search-'));
    await writeOutput(await renderFixture('search'), folder);
    server = await serve(folder);
    bases['disk'] = pathToFileURL(`${folder}/`).href;
    bases['http'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`;
    browser = await chromium.launch({
      executablePath: chromiumPath ?? '',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    });
    page = await browser.newPage();
    page.on('console', (message) => {
      if (message.type() !== 'log') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('requestfailed', (request) => complaints.push(request.url()));
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  afterEach(async () => {
    // Recent searches are stored; the next test is another reader.
    await page.evaluate(() => localStorage.clear());
    // Requests that navigation aborts must not count as errors of the next page.
    await page.goto('about:blank');
    complaints.length = 0;
  });

  async function open(from: string, path: string): Promise<void> {
    await page.goto(`${bases[from]}${path}`);
  }

  const selected = '.dy-search-dialog [role="option"][aria-selected="true"]';

  it.each(['disk', 'http'])('the search finds a section and opens it, from %s', async (from) => {
    await open(from, 'guides/loud.html');
    expect(await page.locator('script[src*="search"]').count()).toBe(0);
    await page.keyboard.press('/');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('verfy sign');
    await page.locator(`${selected} mark`).first().waitFor();
    expect(await page.locator(selected).innerText()).toContain('Verify a signature');
    await page.keyboard.press('Enter');
    await page.waitForURL(/guides\/webhooks\.html#verify-a-signature$/);
    expect(complaints).toEqual([]);
  });

  it('the dialog is operated with arrows, Escape and Control+K', async () => {
    await open('disk', 'index.html');
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox');
    await field.waitFor();
    expect(await field.getAttribute('placeholder')).toBe('Ask the finder…');
    await page.keyboard.type('marmalade');
    await page.locator(selected).filter({ hasText: 'Loud' }).waitFor();
    await page.keyboard.press('ArrowDown');
    const second = page.locator(selected);
    expect(await field.getAttribute('aria-activedescendant')).toBe(await second.getAttribute('id'));
    expect(await second.innerText()).not.toContain('Loud');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(0);
    /** Focus leaves a closed dialog only with the next frame. */
    await expect
      .poll(() => page.evaluate('document.activeElement.id || document.activeElement.tagName'))
      .toMatch(/search-bar-entry|BODY/);
    expect(complaints).toEqual([]);
  });

  it('a query runs when typing stops or Enter is pressed', async () => {
    await open('disk', 'index.html');
    await page.keyboard.press('/');
    const options = page.locator('.dy-search-dialog [role="option"]');
    await options.first().waitFor();
    await page.evaluate(() => {
      const field = document.querySelector<HTMLInputElement>('.dy-search-field');
      for (const value of ['m', 'ma', 'marm', 'marmal', 'webh', 'webhooks']) {
        if (field) field.value = value;
        field?.dispatchEvent(new Event('input'));
      }
      field?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', cancelable: true }));
    });
    await page.waitForURL(/guides\/webhooks\.html$/);
    expect(complaints).toEqual([]);
  });

  it('continued typing loads nothing for the earlier letters', async () => {
    await open('http', 'index.html');
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    await page.keyboard.press('/');
    await page.locator('.dy-search-dialog [role="option"]').first().waitFor();
    const count = (): number => loaded.filter((url) => /search\/[tp]\d+\.js$/.test(url)).length;
    expect(count()).toBe(0);
    await page.evaluate(() => {
      const field = document.querySelector<HTMLInputElement>('.dy-search-field');
      for (const value of ['m', 'ma', 'mar', 'loud', 'zzzzzzzz']) {
        if (field) field.value = value;
        field?.dispatchEvent(new Event('input'));
      }
    });
    await page.locator('.dy-search-nothing').waitFor();
    expect(loaded.filter((url) => /search\/p\d+\.js$/.test(url))).toEqual([]);
  });

  it('the dialog suggests pages, corrections and other languages', async () => {
    await open('disk', 'de/index.html');
    await page.locator('[data-search]').first().click();
    const options = page.locator('.dy-search-dialog [role="option"]');
    await options.first().waitFor();
    expect(await options.allInnerTexts()).toEqual(['Willkommen']);
    await page.keyboard.type('zzzzzzzz');
    await page.locator('.dy-search-nothing').waitFor();
    await page.getByRole('combobox').fill('marmalade');
    await options.first().waitFor();
    expect(await page.locator('.dy-search-group').count()).toBe(1);
    await page.locator('.dy-search-scope').click();
    await expect.poll(() => page.locator('.dy-search-group').count()).toBe(5);
    await page.keyboard.press('Enter');
    await page.waitForURL(/guides\/loud\.html$/);
    await page.keyboard.press('/');
    await page.locator('.dy-search-label').first().waitFor();
    expect(await options.first().innerText()).toBe('marmalade');
    expect(complaints).toEqual([]);
  });
});

function serve(folder: string): Promise<Server> {
  const types: Record<string, string> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname).replace('/base/', '');
    readFile(join(folder, path)).then(
      (content) => {
        response.setHeader('content-type', types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream');
        response.end(content);
      },
      () => response.writeHead(path === '/favicon.ico' ? 204 : 404).end(),
    );
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
