/**
 * axe looks at a page of every kind, in light and dark, in each of the nine themes, with the search and the menu of
 * small screens open, and finds nothing. The pages are the site `fixtures/sites/everything` of the renderer.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchChromium } from '../scripts/measure/browser.ts';
import { render } from '../scripts/measure/render.ts';
import { temporaryFolder } from './service.ts';

if (chromiumPath === undefined) {
  console.warn('SKIPPED: accessibility, because Chromium is not installed (Debian package: chromium).');
}

const source = fileURLToPath(new URL('../packages/render/fixtures/sites/everything', import.meta.url));
const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const themes = ['mint', 'maple', 'palm', 'willow', 'linden', 'almond', 'aspen', 'sequoia', 'luma'];
const colours = ['light', 'dark'] as const;
/** While the menu is open the page behind it is inert, as behind a dialog, and its main part is not counted. */
const behindTheMenu = /^(?:page-has-heading-one|landmark-one-main):/;
const pages = [
  'index',
  'guides/components',
  'guides/code',
  'guides/tables',
  'guides/wide',
  'guides/center',
  'guides/custom',
  'guides/broken',
  'api/create',
  'api/result',
  'changelog',
  '404',
];

describe.skipIf(chromiumPath === undefined)('axe', () => {
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    browser = await launchChromium();
    folder = await rendered('mint');
  });
  afterAll(() => browser?.close());

  describe.each(colours)('in %s', (colorScheme) => {
    test.each(pages)('finds nothing on %s', async (route) => {
      expect(await violations(`${folder}/${route}.html`, { colorScheme })).toEqual([]);
    });

    test('finds nothing in the open search', async () => {
      const open = async (page: Page) => {
        await page.keyboard.press('ControlOrMeta+k');
        const field = page.getByRole('dialog').locator('input');
        await field.fill('component');
        await page.waitForTimeout(500);
      };
      expect(await violations(`${folder}/index.html`, { colorScheme }, open)).toEqual([]);
    });

    test('finds nothing in the open menu of a small screen', async () => {
      const open = async (page: Page) => {
        await page.getByRole('button', { name: /menu|navigation/i }).click();
      };
      const phone = { colorScheme, viewport: { width: 390, height: 800 } };
      const found = await violations(`${folder}/guides/code.html`, phone, open);
      expect(found.filter((text) => !behindTheMenu.test(text))).toEqual([]);
    });
  });

  test.each(themes)('finds nothing in the theme %s', async (theme) => {
    const themed = await rendered(theme);
    for (const colorScheme of colours)
      expect(await violations(`${themed}/api/create.html`, { colorScheme })).toEqual([]);
  });

  interface Look {
    colorScheme: (typeof colours)[number];
    viewport?: { width: number; height: number };
  }

  /** Each violation as `rule: selector: why`, so that a failure reads as a list of things to do. */
  async function violations(
    file: string,
    look: Look,
    prepare?: (page: Page) => Promise<void>,
  ): Promise<string[]> {
    const context = await browser.newContext({
      viewport: { width: 1400, height: 1000 },
      reducedMotion: 'reduce',
      ...look,
      bypassCSP: true,
    });
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(10_000);
      await page.goto(pathToFileURL(file).href);
      await prepare?.(page);
      await page.addScriptTag({ path: axePath });
      return await page.evaluate(async () => {
        interface Found {
          id: string;
          nodes: {
            target: unknown[];
            any: { message: string }[];
            all: { message: string }[];
            none: { message: string }[];
          }[];
        }
        const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Found[] }> } };
        const result = await axe.run();
        return result.violations.flatMap(({ id, nodes }) =>
          nodes.map((node) => {
            const why = [...node.any, ...node.all, ...node.none].map(({ message }) => message)[0] ?? '';
            return `${id}: ${node.target.join(' ')}: ${why}`;
          }),
        );
      });
    } finally {
      await context.close();
    }
  }
});

/** The site in a theme, rendered into a folder of its own. */
async function rendered(theme: string): Promise<string> {
  const copy = join(temporaryFolder('themed'), 'site');
  cpSync(source, copy, { recursive: true });
  const config = JSON.parse(readFileSync(join(copy, 'docs.json'), 'utf8')) as Record<string, unknown>;
  writeFileSync(join(copy, 'docs.json'), JSON.stringify({ ...config, theme }));
  const { out, crash } = await render(copy, join(temporaryFolder('themed'), 'out'));
  expect(crash).toBeUndefined();
  return out;
}
