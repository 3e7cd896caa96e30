/**
 * For tests: a fixture as an exported site in Chromium, over http and from disk, with all errors of its
 * pages.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type Page, chromium } from 'playwright-core';
import { type Rendered, fixture, renderFolder, writeOutput } from './render-fixture.ts';
import type { RenderOptions } from '../../src/pipeline/site-plan.ts';
import { chromiumPath } from './chromium.ts';

export { chromiumPath };

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

export interface BrowserSite {
  site: Rendered;
  browser: Browser;
  page: Page;
  origins: Record<'file' | 'http', string>;
  /** Console errors, script errors and CSP violations. */
  complaints: string[];
  close(): Promise<void>;
}

export function openBrowserSite(name: string, options: RenderOptions = {}): Promise<BrowserSite> {
  return openBrowserFolder(fixture(name), options);
}

export async function openBrowserFolder(root: string, options: RenderOptions = {}): Promise<BrowserSite> {
  const folder = await mkdtemp(join(tmpdir(), 'docyard-browser-site-'));
  const site = await renderFolder(root, options);
  await writeOutput(site, folder, root);
  const server = createServer((request, response) => {
    const path = join(folder, new URL(request.url ?? '/', 'http://x').pathname);
    readFile(path).then(
      (bytes) => response.setHeader('content-type', types[extname(path)] ?? 'text/plain').end(bytes),
      () => response.writeHead(path.endsWith('favicon.ico') ? 204 : 404).end(),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });
  const context = await browser.newContext();
  const complaints: string[] = [];
  await context.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', (event) =>
      console.error(`violation of ${event.violatedDirective}: ${event.blockedURI}`),
    ),
  );
  context.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  context.on('weberror', (error) => complaints.push(error.error().message));
  return {
    site,
    browser,
    page: await context.newPage(),
    origins: {
      file: pathToFileURL(folder).href,
      http: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    },
    complaints,
    close: async () => {
      await browser.close();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function paintedColors(
  page: Page,
  points: readonly (readonly [x: number, y: number])[],
): Promise<string[]> {
  const shot = await page.screenshot({ fullPage: true });
  await page.goto('about:blank');
  const address = `data:image/png;base64,${shot.toString('base64')}`;
  return page.evaluate(
    async (wanted) => {
      const picture = new Image();
      picture.src = wanted.address;
      await picture.decode();
      const canvas = document.createElement('canvas');
      canvas.width = picture.width;
      canvas.height = picture.height;
      const context = canvas.getContext('2d');
      context?.drawImage(picture, 0, 0);
      return wanted.points.map(([x, y]) =>
        [...(context?.getImageData(x, y, 1, 1).data ?? [])].slice(0, 3).join(' '),
      );
    },
    { address, points },
  );
}
