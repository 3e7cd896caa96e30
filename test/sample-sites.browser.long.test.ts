/**
 * The sample and the manual in Chromium without a network, over http and from disk: no failed or external requests, no errors,
 * no CSP violations and no dead links.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browse, chromiumPath, launchChromium } from '../scripts/measure/browser.ts';
import { crawl } from '../scripts/measure/crawl.ts';
import { pagesLeftOut } from '../scripts/measure/navigation.ts';
import { type RenderedSite, filesBelow, render } from '../scripts/measure/render.ts';
import { temporaryFolder } from './service.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

describe.each(['packages/server/sample', 'docs', 'packages/render/fixtures/sites/everything'])(
  '%s',
  (source) => {
    let site: RenderedSite;
    let pages: string[];

    beforeAll(async () => {
      site = await render(join(root, source), join(temporaryFolder('site'), 'out'));
      pages = filesBelow(site.out).filter((file) => file.endsWith('.html'));
    });

    test('has every page of its navigation', () => {
      expect(site.crash).toBeUndefined();
      expect(pages.length).toBeGreaterThan(5);
      expect(pagesLeftOut(join(root, source), new Set(pages))).toEqual([]);
    });

    test('has no address that leads nowhere or to another host', () => {
      expect(crawl(site.out)).toEqual([]);
    });

    describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
      let browser: Browser;

      beforeAll(async () => {
        browser = await launchChromium();
      });
      afterAll(() => browser?.close());

      test.each(['http', 'file'] as const)('gives no complaint over %s', async (over) => {
        expect(await browse(browser, site.out, pages, over)).toEqual([]);
      });
    });
  },
);
