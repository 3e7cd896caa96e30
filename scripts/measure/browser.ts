/**
 * Opens rendered pages in Chromium without a network and collects failed requests, requests to other hosts, console errors,
 * script errors and CSP violations.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core';
import { serve } from './serve.ts';
import { chromiumPath } from '../../packages/render/test/support/chromium.ts';

export { chromiumPath };

const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // A slow machine ends the animation of a scroll by a key before its target.
  '--disable-smooth-scrolling',
  /** Only this machine can be resolved. */
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

export function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined)
    throw new Error('Chromium is not installed (Debian package: chromium-headless-shell).');
  return chromium.launch({ executablePath: chromiumPath, args: quiet });
}

const pageTimeoutMs = 60_000;

/** Problems as `file: problem`. */
export async function browse(
  browser: Browser,
  folder: string,
  pages: readonly string[],
  over: 'http' | 'file',
): Promise<string[]> {
  const server = over === 'http' ? await serve(folder) : undefined;
  const origin = server?.origin ?? pathToFileURL(folder).href;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    const complaints = new Set<string>();
    const watched = await watchedPage(context, `${origin}/`, (text) => complaints.add(text));
    for (const page of pages) {
      /** A redirect page navigates away before it can be checked. */
      if (readFileSync(join(folder, page), 'utf8').includes('<meta http-equiv="refresh"')) continue;
      watched.now = page;
      try {
        await watched.page.goto(`${origin}/${page.split('/').map(encodeURIComponent).join('/')}`, {
          waitUntil: 'load',
          timeout: pageTimeoutMs,
        });
        await loadLazyPictures(watched.page);
      } catch (error) {
        complaints.add(`${page}: does not load (${firstLine(error)})`);
      }
    }
    return [...complaints];
  } finally {
    await context.close();
    await server?.close();
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}

interface WatchedPage {
  page: Page;
  /** The current page, for the problems. */
  now: string;
}

async function watchedPage(
  context: BrowserContext,
  own: string,
  tell: (complaint: string) => void,
): Promise<WatchedPage> {
  const page = await context.newPage();
  const watched: WatchedPage = { page, now: '' };
  const note = (text: string) => tell(`${watched.now}: ${text}`);
  page.on('request', (request) => {
    if (!request.url().startsWith(own) && !request.url().startsWith('data:'))
      note(`asks for ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400 && !response.url().endsWith('/favicon.ico'))
      note(`${response.status()} for ${response.url().slice(own.length)}`);
  });
  page.on('requestfailed', (request) => {
    const error = request.failure()?.errorText ?? '';
    /** Chromium aborts pending requests when the next page opens. */
    if (error !== 'net::ERR_ABORTED') note(`failed: ${request.url()} (${error})`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico'))
      note(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => note(`script: ${error.message}`));
  await page.exposeFunction('tellViolation', (text: string) => note(`policy: ${text}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { tellViolation } = globalThis as unknown as { tellViolation: (text: string) => void };
      tellViolation(`${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  return watched;
}

/** Loads lazy pictures, so that they are checked too. */
async function loadLazyPictures(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const pictures = [...document.images].filter((image) => image.loading === 'lazy');
    for (const image of pictures) image.loading = 'eager';
    const settled = pictures.map((image) => image.decode().catch(() => undefined));
    await Promise.race([Promise.all(settled), new Promise((resolve) => setTimeout(resolve, 3000))]);
  });
}

/** Evenly spread over the list, including the first and the last. */
export function sample(pages: readonly string[], most: number): string[] {
  if (pages.length <= most) return [...pages];
  const step = (pages.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, index) => pages[Math.round(index * step)] ?? '');
}
