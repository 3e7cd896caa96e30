/**
 * API pages in Chromium. The request form sends real requests to a local server, from served pages and from
 * pages opened from disk.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type Page, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Received, answer, specification } from '../../test/support/example-api.ts';
import { renderFiles, writeOutput } from '../../test/support/render-fixture.ts';
import { chromiumPath } from '../../test/support/chromium.ts';

describe.skipIf(chromiumPath === undefined)('an API page in a browser', () => {
  let browser: Browser;
  let page: Page;
  let folder: string;
  let api: Server;
  let site: Server;
  const received: Received[] = [];
  const violations: string[] = [];

  beforeAll(async () => {
    api = await listening(async (request, response) => answer(request, response, received));
    folder = await mkdtemp(join(tmpdir(), 'docyard-form-'));
    const rendered = await renderFiles({
      'docs.json': JSON.stringify({ name: 'Form', api: { openapi: 'openapi.json' } }),
      'openapi.json': JSON.stringify(specification(originOf(api))),
      'index.mdx': 'Home',
      'list.mdx': '---\nopenapi: GET /things/{group}\n---\n',
      'create.mdx': '---\nopenapi: POST /things\n---\n',
      'upload.mdx': '---\nopenapi: PUT /file\n---\n',
      'picture.mdx': '---\nopenapi: GET /picture\n---\n',
      'closed.mdx': '---\nopenapi: GET /closed\n---\n',
      'slow.mdx': '---\nopenapi: GET /slow\n---\n',
    });
    await writeOutput(rendered, folder);
    site = await listening((request, response) => serveFile(folder, request, response));
    browser = await chromium.launch({
      executablePath: chromiumPath ?? '',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    });
    page = await browser.newPage();
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) violations.push(message.text());
    });
    page.on('pageerror', (error) => violations.push(error.message));
  });

  afterAll(async () => {
    await browser?.close();
    api?.closeAllConnections();
    site?.closeAllConnections();
    api?.close();
    site?.close();
    await rm(folder, { recursive: true, force: true });
    expect(violations).toEqual([]);
  });

  afterEach(async () => {
    received.length = 0;
    // Choices persist in local storage across pages.
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
  });

  const places = ['over http', 'from disk'] as const;

  async function visit(name: string, place: (typeof places)[number] = 'over http'): Promise<void> {
    const base = place === 'over http' ? originOf(site) : pathToFileURL(folder).href;
    await page.goto(`${base}/${name}.html`);
  }

  async function open(name: string, place?: (typeof places)[number]): Promise<void> {
    await visit(name, place);
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByRole('dialog', { name: 'Try it' }).waitFor();
  }

  const status = (): Promise<string> => page.locator('.dy-try-it-status strong').innerText();
  const send = (): Promise<void> => page.getByRole('button', { name: 'Send' }).click();

  it('shows the example of the status that is chosen in the text', async () => {
    await visit('create');
    const failure = page.getByRole('region', { name: 'Response example' }).getByText('"too_long"');
    expect(await failure.isVisible()).toBe(false);
    await page.locator('.dy-api-responses').getByRole('tab', { name: '422' }).click();
    await expect.poll(() => failure.isVisible()).toBe(true);
  });

  it('keeps the chosen sample language across pages, but not the chosen status', async () => {
    await visit('create');
    const language = page.getByRole('region', { name: 'Request example' }).getByLabel('Language');
    await language.selectOption('Python');
    await page.locator('.dy-api-responses').getByRole('tab', { name: '422' }).click();
    await page.goto(`${originOf(site)}/list.html`);
    await expect.poll(() => language.locator('option:checked').innerText()).toBe('Python');
    await expect
      .poll(() => page.getByRole('region', { name: 'Request example' }).innerText())
      .toContain('import requests');
  });

  it('opens collapsed fields around a linked field', async () => {
    await visit('create');
    expect(await page.locator('#body-owner-name').isVisible()).toBe(false);
    await page.goto(`${originOf(site)}/create.html#body-owner-name`);
    await expect.poll(() => page.locator('#body-owner-name').isVisible()).toBe(true);
  });

  it('shows all content without JavaScript', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const silent = await context.newPage();
    await silent.goto(`${originOf(site)}/create.html`);
    expect(await silent.getByText('"too_long"').isVisible()).toBe(true);
    expect(await silent.getByText('import requests').isVisible()).toBe(true);
    expect(await silent.getByRole('button', { name: 'Try it' }).count()).toBe(0);
    await context.close();
  });

  it.each(places)('sends a query and a secret, %s', async (place) => {
    await open('list', place);
    await page.getByLabel('group').fill('a/b');
    await page.getByLabel('words').fill('one, two');
    await page.getByLabel('size').selectOption('large');
    await page.getByLabel('Token').fill('secret-1');
    await expect.poll(() => page.locator('.dy-try-it-command code').innerText()).toContain('Bearer secret-1');
    await send();
    await expect.poll(status).toBe('200 OK');
    expect(received.at(-1)).toMatchObject({
      method: 'GET',
      url: '/things/a%2Fb?words=one&words=two&size=large',
      headers: { authorization: 'Bearer secret-1' },
    });
    await expect.poll(() => page.locator('.dy-try-it-answer').innerText()).toContain('"name": "first"');
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  it.each(places)('sends JSON, %s', async (place) => {
    await open('create', place);
    await page.getByRole('textbox', { name: 'JSON' }).fill('{ "name": ');
    await expect.poll(() => page.locator('.dy-try-it-fields').innerText()).toContain('Not valid JSON');
    await page.getByRole('textbox', { name: 'JSON' }).fill('{ "name": "new" }');
    await expect
      .poll(() => page.getByRole('textbox', { name: 'JSON' }).getAttribute('aria-invalid'))
      .toBe('false');
    await page.getByLabel('X-Key').fill('k');
    await send();
    await expect.poll(status).toBe('422 Unprocessable Entity');
    expect(received.at(-1)).toMatchObject({
      method: 'POST',
      url: '/things',
      headers: { 'content-type': 'application/json', 'x-key': 'k' },
      body: '{ "name": "new" }',
    });
  });

  it('requires mandatory fields before it sends a request', async () => {
    await open('list');
    await send();
    await expect
      .poll(() =>
        page.getByLabel('group').evaluate((input: HTMLInputElement) => input.matches(':invalid:focus')),
      )
      .toBe(true);
    expect(received).toEqual([]);
  });

  it('warns about an empty required token, and sends without it when asked again', async () => {
    await open('list');
    const token = page.getByLabel('Token');
    await page.getByLabel('group').fill('a');
    await send();
    await expect.poll(() => token.getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('alert').innerText()).toContain('Token is required and empty.');
    expect(await token.evaluate((input) => input === document.activeElement)).toBe(true);
    expect(received).toEqual([]);
    await token.fill('x');
    await expect.poll(() => token.getAttribute('aria-invalid')).toBe('false');
    await token.fill('');
    await send();
    await expect.poll(() => token.getAttribute('aria-invalid')).toBe('true');
    await send();
    await expect.poll(status).toBe('200 OK');
    expect(received.at(-1)?.headers).not.toHaveProperty('authorization');
  });

  it('sends files', async () => {
    await open('upload');
    await page.getByLabel('note').fill('hello');
    await page.getByLabel('data').setInputFiles({
      name: 'a.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('content of the file'),
    });
    await send();
    await expect.poll(status).toBe('200 OK');
    expect(received.at(-1)?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(received.at(-1)?.body).toContain('content of the file');
    expect(received.at(-1)?.body).toContain('hello');
  });

  it('shows pictures', async () => {
    await open('picture');
    await send();
    const width = () =>
      page.locator('.dy-try-it-answer img').evaluate((image: HTMLImageElement) => image.naturalWidth);
    await expect.poll(width).toBe(1);
  });

  it.each(places)('explains a request that CORS blocks, %s', async (place) => {
    await open('closed', place);
    await send();
    const failure = page.locator('.dy-try-it-failure');
    await failure.waitFor();
    expect(await failure.innerText()).toContain(originOf(api));
    expect(await failure.innerText()).toMatch(/CORS/);
  });

  it('aborts a running request', async () => {
    await open('slow');
    await send();
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => page.locator('.dy-try-it-answer').innerText()).toBe('Stopped.');
  });

  it('stores a secret for the tab when the reader opts in, and deletes it when the reader opts out', async () => {
    await open('list');
    await page.getByLabel('Token').fill('kept');
    await page.getByLabel('Remember in this tab').check();
    await page.reload();
    await page.getByRole('button', { name: 'Try it' }).click();
    await expect.poll(() => page.getByLabel('Token').inputValue()).toBe('kept');
    await page.getByLabel('Remember in this tab').uncheck();
    await expect.poll(() => page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  it('is opened, filled, sent and closed with the keyboard alone', async () => {
    await open('list');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('dialog') !== null))
      .toBe(true);
    await page.getByLabel('Token').focus();
    await page.keyboard.type('t');
    await page.getByLabel('group').focus();
    await page.keyboard.type('g');
    await page.keyboard.press('Enter');
    await expect.poll(status).toBe('200 OK');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.hasAttribute('data-try-it')))
      .toBe(true);
  });
});

const types: Record<string, string> = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };

function serveFile(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  readFile(join(folder, path)).then(
    (content) =>
      response.writeHead(200, { 'content-type': types[extname(path)] ?? 'text/plain' }).end(content),
    () => response.writeHead(404).end(),
  );
}

function listening(handle: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<Server> {
  const server = createServer((request, response) => void handle(request, response));
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
