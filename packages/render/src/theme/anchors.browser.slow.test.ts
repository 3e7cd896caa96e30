import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderFixture, writeOutput } from '../../test/support/render-fixture.ts';
import { chromiumPath } from '../../test/support/chromium.ts';

describe.skipIf(chromiumPath === undefined)('an incoming address', () => {
  let browser: Browser;
  let server: Server;
  const folder = mkdtempSync(join(tmpdir(), 'docyard-anchors-'));

  beforeAll(async () => {
    await writeOutput(await renderFixture('anomalies/anchors'), folder);
    server = createServer((request, response) => {
      const path = new URL(request.url ?? '', 'http://site').pathname;
      const types: Record<string, string> = { html: 'text/html', css: 'text/css', js: 'text/javascript' };
      response.setHeader('content-type', types[path.split('.').at(-1) ?? ''] ?? 'text/plain');
      response.end(existsSync(join(folder, path)) ? readFileSync(join(folder, path)) : '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    browser = await chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const roots = {
    http: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    file: () => pathToFileURL(folder).href,
  };

  it.each([
    ['http', 'Getting_Started', 'getting-started'],
    ['file', 'Getting_Started', 'getting-started'],
    ['http', "WHAT'S-NEW%3F", 'what’s-new'],
    ['file', 'v1.2.0', 'v1-2-0'],
  ] as const)('over %s the fragment %s leads to the heading "%s"', async (scheme, fragment, id) => {
    const page = await browser.newPage({ viewport: { width: 1000, height: 300 } });
    await page.goto(`${roots[scheme]()}/guide.html#${fragment}`);
    await page.waitForFunction(
      (wanted) =>
        decodeURIComponent(location.hash) === `#${wanted}` &&
        document.querySelector(':target')?.id === wanted,
      id,
    );
    await page.close();
  });

  it.each(['http', 'file'] as const)('over %s an ambiguous fragment is not changed', async (scheme) => {
    const page = await browser.newPage();
    await page.goto(`${roots[scheme]()}/guide.html#a_b`);
    expect(await page.evaluate(() => location.hash)).toBe('#a_b');
    await page.goto(`${roots[scheme]()}/guide.html#Getting_Started`);
    await page.waitForFunction(() => location.hash === '#getting-started');
    await page.evaluate(() => (location.hash = 'V1_2_0'));
    await page.waitForFunction(() => location.hash === '#v1-2-0');
    await page.close();
  });

  it('with an invalid percent-encoding leads to its heading without an error', async () => {
    const page = await browser.newPage({ viewport: { width: 1400, height: 300 } });
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    await page.goto(`${roots.file()}/guide.html`);
    const link = page.locator('.dy-site-contents a', { hasText: 'Remainder' });
    await link.click();
    await page.waitForFunction(() => document.querySelector(':target')?.textContent?.includes('Remainder'));
    await page.reload();
    expect(errors).toEqual([]);
    await page.close();
  });
});
