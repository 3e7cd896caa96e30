/**
 * axe looks at a page of every kind, in light and dark, in each of the nine themes, with the search and the menu of
 * small screens open, and finds nothing. The pages are the site `fixtures/sites/everything` of the renderer.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchChromium } from '../scripts/measure/browser.ts';
import { render } from '../scripts/measure/render.ts';
import { temporaryFolder } from './service.ts';

if (chromiumPath === undefined) {
  console.warn('SKIPPED: accessibility, because Chromium is not installed (Debian package: chromium).');
}

const source = fileURLToPath(new URL('../packages/render/fixtures/sites/everything', import.meta.url));
const themes = ['mint', 'maple', 'palm', 'willow', 'linden', 'almond', 'aspen', 'sequoia', 'luma'];
/** While the menu is open the page behind it is inert, as behind a dialog, and its main part is not counted. */
const behindTheMenu = /^\w+ (?:page-has-heading-one|landmark-one-main):/;
const pages = [
  'index',
  'guides/components',
  'guides/code',
  'guides/diagrams',
  'guides/tables',
  'guides/wide',
  'guides/center',
  'guides/custom',
  'guides/broken',
  'api/create',
  'api/result',
  'api/stream',
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

  test.each(pages)('finds nothing on %s', async (route) => {
    expect(await violations(`${folder}/${route}.html`)).toEqual([]);
  });

  test('finds nothing in the open search', async () => {
    const open = async (page: Page) => {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('dialog').locator('input').fill('component');
      await page.getByRole('dialog').getByText('Components').first().waitFor();
    };
    expect(await violations(`${folder}/index.html`, { prepare: open })).toEqual([]);
  });

  test('finds nothing in the open menu of a small screen', async () => {
    const open = (page: Page) => page.getByRole('button', { name: /menu|navigation/i }).click();
    const found = await violations(`${folder}/guides/code.html`, { width: 390, prepare: open });
    expect(found.filter((text) => !behindTheMenu.test(text))).toEqual([]);
  });

  test.each(themes.slice(1))('finds nothing in the theme %s', async (theme) => {
    expect(await violations(`${await rendered(theme)}/api/create.html`)).toEqual([]);
  });

  /** Each violation in light or dark as `colour rule: selector: why`, so that a failure reads as a list of things to do. */
  async function violations(
    file: string,
    { width = 1400, prepare }: { width?: number; prepare?: (page: Page) => Promise<void> } = {},
  ): Promise<string[]> {
    const viewport = { width, height: 1000 };
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce', bypassCSP: true });
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(10_000);
      await page.goto(pathToFileURL(file).href);
      await prepare?.(page);
      await page.addScriptTag({ content: axe.source });
      const found: string[] = [];
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const inThis = await page.evaluate(axeFindings);
        found.push(...inThis.map((text) => `${colorScheme} ${text}`));
      }
      return found;
    } finally {
      await context.close();
    }
  }
});

/** Runs inside of the page. */
async function axeFindings(): Promise<string[]> {
  const inPage = globalThis as unknown as { axe: typeof axe };
  const { violations } = await inPage.axe.run();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => {
      const why = [...node.any, ...node.all, ...node.none].map(({ message }) => message)[0] ?? '';
      return `${id}: ${node.target.join(' ')}: ${why}`;
    }),
  );
}

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
