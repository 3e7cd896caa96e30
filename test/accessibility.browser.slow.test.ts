/** Runs axe on pages of every kind, in both color schemes and every theme, with the search and the mobile menu open. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchChromium } from '../scripts/measure/browser.ts';
import { render } from '../scripts/measure/render.ts';
import { temporaryFolder } from './service.ts';

const sites = fileURLToPath(new URL('../packages/render/fixtures/sites', import.meta.url));
const themes = ['mint', 'maple', 'palm', 'willow', 'linden', 'almond', 'aspen', 'sequoia', 'luma'];
/** The page behind an open menu or form is inert, so axe does not find its main landmark. */
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
  'report',
];

/** `npm run test:long` checks every page and theme. */
const isLong = process.env['LONG_TESTS'] !== undefined;
const usual = new Set(['guides/components', 'api/create']);

const apiPages = ['reference/create-shipment', 'reference/list-vessels', 'reference/create-token'];

describe.skipIf(chromiumPath === undefined)('axe', () => {
  let browser: Browser;
  let page: Page;
  let folder: string;
  let apiFolder: string;

  beforeAll(async () => {
    browser = await launchChromium();
    const context = await browser.newContext({ reducedMotion: 'reduce', bypassCSP: true });
    page = await context.newPage();
    page.setDefaultTimeout(10_000);
    folder = await rendered('mint');
    apiFolder = await rendered('mint', 'api');
  });
  afterAll(() => browser?.close());

  test.each(isLong ? pages : pages.filter((route) => usual.has(route)))(
    'finds nothing on %s',
    async (route) => {
      expect(await violations(`${folder}/${route}.html`)).toEqual([]);
    },
  );

  const unfold = () =>
    page.locator('details').evaluateAll((all) => all.forEach((one) => one.setAttribute('open', '')));

  test.each(isLong ? apiPages : apiPages.slice(0, 1))(
    'finds nothing on the API page %s, with all that it can show',
    async (route) => {
      expect(await violations(`${apiFolder}/${route}.html`, { prepare: unfold })).toEqual([]);
    },
  );

  test.each(isLong ? [1400, 390] : [1400])(
    'finds nothing in the form of an API page, %i wide',
    async (width) => {
      const open = async () => {
        await page.getByRole('button', { name: 'Try it' }).click();
        await page.getByRole('textbox', { name: 'JSON' }).fill('{');
        await page.getByText('Not valid JSON').waitFor();
      };
      const file = `${apiFolder}/reference/create-shipment.html`;
      const found = await violations(file, { prepare: open, width });
      expect(found.filter((text) => !behindTheMenu.test(text))).toEqual([]);
    },
  );

  test.each(apiPages)('nothing on the API page %s is wider than a phone', async (route) => {
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto(pathToFileURL(`${apiFolder}/${route}.html`).href);
    await unfold();
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  });

  test('finds nothing in the open search', async () => {
    const open = async () => {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('dialog').locator('input').fill('component');
      await page.getByRole('dialog').getByText('Components').first().waitFor();
    };
    expect(await violations(`${folder}/index.html`, { prepare: open })).toEqual([]);
  });

  test('finds nothing in the open menu of a small screen', async () => {
    const open = () => page.getByRole('button', { name: /menu|navigation/i }).click();
    const found = await violations(`${folder}/guides/code.html`, { width: 390, prepare: open });
    expect(found.filter((text) => !behindTheMenu.test(text))).toEqual([]);
  });

  test.each(isLong ? themes.slice(1) : themes.slice(-1))('finds nothing in the theme %s', async (theme) => {
    expect(await violations(`${await rendered(theme)}/api/create.html`)).toEqual([]);
  });

  /** Violations as `scheme rule: selector: reason`. */
  async function violations(
    file: string,
    { width = 1400, prepare }: { width?: number; prepare?: () => Promise<void> } = {},
  ): Promise<string[]> {
    await page.setViewportSize({ width, height: 1000 });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(pathToFileURL(file).href);
    await prepare?.();
    await page.addScriptTag({ content: axe.source });
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const inThis = await page.evaluate(axeFindings);
      found.push(...inThis.map((text) => `${colorScheme} ${text}`));
    }
    return found;
  }
});

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

async function rendered(theme: string, site = 'everything'): Promise<string> {
  const copy = join(temporaryFolder('themed'), 'site');
  cpSync(join(sites, site), copy, { recursive: true });
  const config = JSON.parse(readFileSync(join(copy, 'docs.json'), 'utf8')) as Record<string, unknown>;
  writeFileSync(join(copy, 'docs.json'), JSON.stringify({ ...config, theme }));
  const { out, crash } = await render(copy, join(temporaryFolder('themed'), 'out'));
  expect(crash).toBeUndefined();
  return out;
}
