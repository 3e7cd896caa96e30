/** Checks every screen of the dashboard: accessibility, layout at phone width, layout shift, console and CSP errors, and size. */
import axe from 'axe-core';
import { once } from 'node:events';
import { readFile, readdir, stat } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openFurnishedDashboard, screens, type FurnishedDashboard } from './screens.ts';
import { chromiumPath } from './harness.ts';

/** Of all scripts and styles together. */
const maxGzippedBytes = 216_000;
/** Exports and an agent job, on a busy machine. */
const setUpMs = 240_000;
const built = fileURLToPath(new URL('../../packages/server/dist/dashboard', import.meta.url));
/** Web Vitals rate a shift below 0.1 as good. */
const maxShift = 0.01;

/** `npm run test:long` checks every screen. */
const isLong = process.env['LONG_TESTS'] !== undefined;
const usual = new Set(['login', 'overview', 'export-menu', 'keys-new']);
const looked = isLong ? screens : screens.filter(({ name }) => usual.has(name));

describe.skipIf(chromiumPath === undefined)('every screen of the dashboard', () => {
  let dashboard: FurnishedDashboard;

  beforeAll(async () => {
    dashboard = await openFurnishedDashboard({ withAgents: isLong });
  }, setUpMs);
  afterAll(() => dashboard?.close());

  test('all its scripts and styles together are light', async () => {
    const names = await readdir(built, { recursive: true });
    const files = names.filter((name) => /\.(?:js|css)\.gz$/.test(name));
    const bytes = await Promise.all(files.map(async (name) => (await stat(join(built, name))).size));
    // React and the frame are the lower bound.
    const total = bytes.reduce((sum, each) => sum + each, 0);
    expect(total).toBeGreaterThan(100_000);
    expect(total).toBeLessThan(maxGzippedBytes);
  });

  test.each(['/dashboard/login', '/dashboard/'])(
    '%s does not move while it arrives in pieces',
    async (path) => {
      const html = await readFile(join(built, 'index.html'), 'utf8');
      const skeleton = html.indexOf('<div id="skeleton"');
      const start = html.slice(0, skeleton).replaceAll(/<(?:script|link)[^>]* (?:src|href)=[^>]*>/g, '');
      const pieces = html.slice(skeleton).match(/.{1,300}/gs) ?? [];
      const slowly = async (response: ServerResponse) => {
        response.setHeader('Content-Type', 'text/html');
        for (const piece of [start, ...pieces]) {
          response.write(piece);
          await sleep(40);
        }
        response.end();
      };
      const server = createServer((_, response) => void slowly(response));
      onTestFinished(() => void server.close());
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const page = await dashboard.browser.newPage();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
      const { shift, moved } = await layoutShift(page);
      expect(shift, moved.join(', ')).toBe(0);
      await page.context().close();
    },
  );

  test.each(looked)('$name: axe finds nothing in light and dark, and nothing moves', async (screen) => {
    const { page } = await dashboard.show(screen, { context: { bypassCSP: true } }, async (loaded) => {
      const { shift, moved } = await layoutShift(loaded);
      expect.soft(shift, moved.join(', ')).toBeLessThan(maxShift);
    });
    expect.soft(await axeFindings(page)).toEqual([]);
    await page.context().close();
  });

  test.each(looked)('$name: fits 320 pixels, and nothing complains', async (screen) => {
    const { page, complaints } = await dashboard.show(screen, {
      width: 320,
      height: 640,
    });
    const isTooWide = () => document.documentElement.scrollWidth > window.innerWidth;
    expect.soft(await page.evaluate(isTooWide)).toBe(false);
    const showsCall = (await page.locator('.api-call').count()) > 0;
    expect.soft(showsCall).toBe(screen.isGate !== true && screen.name !== 'not-found');
    expect.soft(complaints).toEqual([]);
    await page.context().close();
  });
});

/** Violations as `scheme rule: selector: reason`. */
async function axeFindings(page: Page): Promise<string[]> {
  await page.addScriptTag({ content: axe.source });
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // Colors change with a transition.
    await page.waitForFunction(
      (dark) =>
        matchMedia('(prefers-color-scheme: dark)').matches === dark &&
        document.getAnimations().every(({ playState }) => playState !== 'running'),
      colorScheme === 'dark',
      { polling: 'raf' },
    );
    const inThis = await page.evaluate(async () => {
      const inPage = globalThis as unknown as { axe: typeof axe };
      // The previewed site has separate tests.
      const { violations } = await inPage.axe.run({ exclude: ['iframe'] }, { iframes: false });
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ any, all, none, target }) => {
          const why = [...any, ...all, ...none].map(({ message }) => message)[0] ?? '';
          return `${id}: ${target.join(' ')}: ${why}`;
        }),
      );
    });
    found.push(...inThis.map((text) => `${colorScheme} ${text}`));
  }
  return found;
}

function layoutShift(page: Page): Promise<{ shift: number; moved: string[] }> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        let shift = 0;
        const moved: string[] = [];
        const observer = new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            const { value, sources } = entry as unknown as {
              value: number;
              sources: { node: Element | null }[];
            };
            shift += value;
            moved.push(...sources.map(({ node }) => `${node?.nodeName}.${node?.className}`));
          }
        });
        observer.observe({ type: 'layout-shift', buffered: true });
        // Buffered entries are delivered before the second frame.
        requestAnimationFrame(() =>
          requestAnimationFrame(() => setTimeout(() => resolve({ shift, moved }), 0)),
        );
      }),
  );
}
