/** Opens exported sites from disk in Chromium, without a network. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page, type Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serve } from '../scripts/measure/serve.ts';
import { program, startService, temporaryFolder, type Service } from './service.ts';
import { chromiumPath } from '../packages/render/test/support/chromium.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let browser: Browser;
  let service: Service;
  let sample: string;

  beforeAll(async () => {
    const quiet = [
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ];
    browser = await chromium.launch({
      executablePath: chromiumPath ?? '',
      args: ['--no-sandbox', '--disable-gpu', ...quiet],
    });
    service = await startService({ sample: false });
    sample = build('packages/server/sample');
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  /** A page that records its problems. */
  async function newPage(width = 1280): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
    page.on('requestfailed', (request) => {
      // Chromium aborts a request that a navigation has made obsolete.
      if (request.failure()?.errorText !== 'net::ERR_ABORTED') complaints.push(`failed: ${request.url()}`);
    });
    page.on('request', (request) => {
      if (!/^(file|data|http:\/\/127\.0\.0\.1)/.test(request.url()))
        complaints.push(`outside: ${request.url()}`);
    });
    return { page, complaints };
  }

  function build(source: string): string {
    const out = join(temporaryFolder('site'), 'out');
    const ended = spawnSync(process.execPath, [program, 'build', join(root, source), '--out', out], {
      encoding: 'utf8',
    });
    expect(ended.stderr).toBe('');
    expect(ended.status).toBe(0);
    return out;
  }

  test('a reader follows the navigation, changes the colours and comes back to them', async () => {
    const { page, complaints } = await newPage();
    await page.goto(pathToFileURL(join(sample, 'index.html')).href);
    await page.getByRole('navigation').getByRole('link', { name: 'Unboxing' }).first().click();
    await page.waitForURL(/unboxing\.html$/);
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page
      .getByRole('button', { name: /dark|theme|colou?r/i })
      .first()
      .click();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await background()).toBe(dark);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('nothing is wider than a phone', async () => {
    const { page } = await newPage(360);
    for (const file of [
      'index.html',
      'living/readings.html',
      'api/introduction.html',
      'api/observations/latest-observation.html',
    ]) {
      await page.goto(pathToFileURL(join(sample, file)).href);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, file).toBeLessThanOrEqual(360);
    }
    await page.close();
  });

  test('a reader of the sample downloads little, with the fonts as well', async () => {
    const server = await serve(sample);
    const download = async (file: string) => {
      const { page } = await newPage();
      const requests: Request[] = [];
      page.on('requestfinished', (request) => requests.push(request));
      await page.goto(`${server.origin}/${file}`, { waitUntil: 'networkidle' });
      const bytes = { font: 0, image: 0, text: 0 };
      for (const request of requests) {
        const type = request.resourceType();
        const { responseBodySize } = await request.sizes();
        bytes[type === 'font' || type === 'image' ? type : 'text'] += responseBodySize;
      }
      await page.close();
      return { text: bytes.text, withFonts: bytes.text + bytes.font };
    };
    const plain = await download('index.html');
    const withCode = await download('api/introduction.html');
    const withForm = await download('api/observations/latest-observation.html');
    await server.close();
    for (const { text } of [plain, withCode, withForm]) expect(text).toBeLessThanOrEqual(60_000);
    expect(plain.withFonts).toBeLessThanOrEqual(110_000);
    for (const { withFonts } of [withCode, withForm]) expect(withFonts).toBeLessThanOrEqual(150_000);
    // The fonts were downloaded: text alone is smaller.
    expect(plain.withFonts - plain.text).toBeGreaterThan(40_000);
    expect(withCode.withFonts - withCode.text).toBeGreaterThan(80_000);
  });

  test('the start page leads to the manual and the OpenAPI document', async () => {
    // The first request renders the manual.
    await fetch(new URL('/docs/', service.origin));
    const { page, complaints } = await newPage();
    await page.goto(service.origin);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Docyard');
    expect(await page.getByRole('link', { name: /OpenAPI/ }).getAttribute('href')).toBe('/openapi.json');
    await page.getByRole('link', { name: /Manual/ }).click();
    await page.waitForURL(/\/docs\/$/);
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
