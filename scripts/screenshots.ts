/**
 * Takes screenshots of the sample site, light and dark, on a desktop and a phone: `node scripts/screenshots.ts FOLDER [--theme
 * NAME]`. `--dashboard` takes every screen of the dashboard instead, `--readme` only the images of the README, as WebP.
 */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { loadSite, renderSite } from '../packages/render/src/index.ts';
import { launchChromium } from './measure/browser.ts';

const sample = fileURLToPath(new URL('../packages/server/sample', import.meta.url));

const views: { name: string; file: string; prepare?: (page: Page) => Promise<void> }[] = [
  { name: 'home', file: 'index.html' },
  { name: 'guide', file: 'setup/siting.html' },
  { name: 'code', file: 'api/introduction.html' },
  { name: 'reference', file: 'api/observations/latest-observation.html' },
  {
    name: 'search',
    file: 'index.html',
    prepare: async (page) => {
      await page.click('[data-search]');
      await page.waitForSelector('.dy-search-field');
      await page.keyboard.type('wind');
      await page.waitForTimeout(600);
    },
  },
];
const screens = [
  { name: 'desktop', width: 1440, height: 900, scale: 1, isMobile: false },
  { name: 'phone', width: 390, height: 844, scale: 2, isMobile: true },
];

const readmeSize = { width: 1280, height: 800 };

const { values: options, positionals } = parseArgs({
  options: {
    theme: { type: 'string' },
    dashboard: { type: 'boolean' },
    readme: { type: 'boolean' },
    help: { type: 'boolean' },
  },
  allowPositionals: true,
});
const [target] = positionals;
if (target === undefined) {
  console.log('npm run screenshots -- FOLDER [--theme NAME | --dashboard | --readme]');
  process.exitCode = options.help ? 0 : 2;
} else if (options.readme) {
  await takeReadme(resolve(target));
} else if (options.dashboard) {
  await takeDashboard(resolve(target));
} else {
  await main(resolve(target), options.theme);
}

async function takeReadme(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await withSample(undefined, async (browser, site) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ viewport: readmeSize, colorScheme, reducedMotion: 'reduce' });
      await page.goto(pathToFileURL(join(site, 'index.html')).href);
      await writeFile(join(folder, `site-${colorScheme}.webp`), await webp(page));
      await page.close();
    }
  });
  const { openFurnishedDashboard, screens: ofDashboard } = await import('../test/dashboard/screens.ts');
  const dashboard = await openFurnishedDashboard();
  try {
    for (const colorScheme of ['light', 'dark'] as const)
      for (const screen of ofDashboard.filter(({ name }) => name === 'export')) {
        const { page } = await dashboard.show(screen, { ...readmeSize, colorScheme });
        await writeFile(join(folder, `dashboard-${colorScheme}.webp`), await webp(page));
        await page.context().close();
      }
  } finally {
    await dashboard.close();
  }
}

async function webp(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 85 });
  return Buffer.from(data, 'base64');
}

/** Full-page screenshots, except with an open dialog. */
async function takeDashboard(folder: string): Promise<void> {
  const { openFurnishedDashboard, screens: ofDashboard } = await import('../test/dashboard/screens.ts');
  await mkdir(folder, { recursive: true });
  const dashboard = await openFurnishedDashboard();
  try {
    for (const { name, width, height, scale, isMobile } of screens) {
      const context = { deviceScaleFactor: scale, isMobile, hasTouch: isMobile };
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const screen of ofDashboard) {
          const { page } = await dashboard.show(screen, { width, height, colorScheme, context });
          const whole = await page.evaluate(() => document.documentElement.scrollHeight);
          if ((await page.locator('.veil, :popover-open').count()) === 0)
            await page.setViewportSize({ width, height: Math.max(whole, height) });
          await page.screenshot({ path: join(folder, `${screen.name}-${name}-${colorScheme}.png`) });
          await page.context().close();
        }
      }
    }
  } finally {
    await dashboard.close();
  }
}

async function main(folder: string, look: string | undefined): Promise<void> {
  await mkdir(folder, { recursive: true });
  await withSample(look, async (browser, site) => {
    for (const screen of screens) {
      for (const colorScheme of ['light', 'dark'] as const)
        await takeAll(browser, site, folder, screen, colorScheme);
    }
  });
}

async function withSample(
  look: string | undefined,
  take: (browser: Browser, site: string) => Promise<void>,
): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'docyard-screenshots-'));
  const browser = await launchChromium();
  try {
    await take(browser, await renderSample(work, look));
  } finally {
    await browser.close();
    await rm(work, { recursive: true, force: true });
  }
}

async function renderSample(work: string, look: string | undefined): Promise<string> {
  const source = join(work, 'source');
  await cp(sample, source, { recursive: true });
  if (look) {
    const file = join(source, 'docs.json');
    const config = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    await writeFile(file, JSON.stringify({ ...config, theme: look }));
  }
  const output = join(work, 'site');
  for await (const event of renderSite(await loadSite({ root: source }))) {
    if (event.type !== 'file') continue;
    const path = join(output, event.file.path);
    await mkdir(dirname(path), { recursive: true });
    const { content } = event.file;
    if ('copyFrom' in content) await cp(content.copyFrom, path);
    else await writeFile(path, 'pieces' in content ? content.pieces : content.read());
  }
  return output;
}

async function takeAll(
  browser: Browser,
  site: string,
  folder: string,
  screen: (typeof screens)[number],
  colorScheme: 'light' | 'dark',
): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: screen.width, height: screen.height },
    deviceScaleFactor: screen.scale,
    colorScheme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  for (const { name, file, prepare } of views) {
    await page.goto(pathToFileURL(join(site, file)).href);
    await prepare?.(page);
    await page.screenshot({ path: join(folder, `${name}-${screen.name}-${colorScheme}.png`) });
  }
  await context.close();
}
