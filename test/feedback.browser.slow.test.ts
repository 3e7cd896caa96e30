/** The question whether a page helps, in Chromium on a real server: votes, comments, searches, and sites without it. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';

import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchChromium } from '../packages/render/test/support/chromium.ts';
import { Analytics } from '../packages/site/src/analytics/analytics.ts';
import { analyticsEndpoints } from '../packages/site/src/analytics/endpoints.ts';
import { openLog } from '../packages/site/src/log/log.ts';
import { precompress } from '../packages/site/src/serving/compressed-files.ts';
import { HostedSite } from '../packages/site/src/serving/hosted-site.ts';
import { openSite } from '../packages/site/src/serving/served-site.ts';
import { SiteServer } from '../packages/site/src/serving/site-server.ts';
import { program, temporaryFolder, writeFiles } from './service.ts';

const looks: [name: string, options: BrowserContextOptions][] = [
  ['desktop-light', { viewport: { width: 1280, height: 900 }, colorScheme: 'light' }],
  ['phone-dark', { viewport: { width: 320, height: 640 }, colorScheme: 'dark' }],
];
const screenshots = process.env['SCREENSHOTS'];

describe.skipIf(chromiumPath === undefined)('the question whether a page helps', () => {
  let browser: Browser;
  let siteFolder: string;
  const servers: SiteServer[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
    const source = temporaryFolder('feedback-source');
    siteFolder = join(temporaryFolder('feedback'), 'site');
    const navigation = {
      languages: [
        { language: 'en', groups: [{ group: 'Guides', pages: ['index', 'guides/tides'] }] },
        { language: 'ar', groups: [{ group: 'Guides', pages: ['ar/index'] }] },
      ],
    };
    writeFiles(source, {
      'docs.json': JSON.stringify({ name: 'Harbor', navigation, feedback: { thumbsRating: true } }),
      'index.mdx': 'Welcome.',
      'guides/tides.mdx': 'Tide tables.',
      'ar/index.mdx': 'Welcome.',
    });
    const options = ['--out', siteFolder, '--base-path', '/docs', '--offline'];
    const built = spawnSync(process.execPath, [program, 'build', source, ...options], { encoding: 'utf8' });
    expect(built.status).toBe(0);
  });

  afterAll(async () => {
    await browser?.close();
    await Promise.all(servers.map((server) => server.close(0)));
  });

  async function serve({ collects = true } = {}) {
    const analytics = new Analytics({
      dataDir: temporaryFolder('data'),
      retentionDays: 30,
      log: openLog({ level: 'silent', format: 'json' }),
    });
    const manifest = JSON.parse(readFileSync(join(siteFolder, 'manifest.json'), 'utf8'));
    const release = { id: 'r1', siteFolder, compressedFolder: temporaryFolder('compressed'), manifest };
    await precompress(release);
    const hosted = new HostedSite({
      status: () => ({ release: null, lastRefresh: null, refreshes: {}, refusals: {} }),
    });
    const server = new SiteServer({ host: '127.0.0.1', port: 0, sites: [hosted] });
    servers.push(server);
    if (collects)
      for (const endpoint of analyticsEndpoints(analytics, { url: null, trustedProxies: [] }))
        hosted.add(endpoint);
    hosted.activate(await openSite(release));
    const { port } = await server.listen();
    const feedback = () => {
      analytics.flush();
      return [...analytics.database.feedback('2000-01-01')];
    };
    const counts = () => {
      analytics.flush();
      return [...analytics.database.counts('2000-01-01')];
    };
    return { origin: `http://127.0.0.1:${port}`, feedback, counts };
  }

  async function open(address: string, options: BrowserContextOptions = {}) {
    const page = await (await browser.newContext(options)).newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== new URL(address).origin) complaints.push(request.url());
    });
    await page.goto(address);
    return { page, complaints };
  }

  test.each(looks)('stores a vote and its comment, by keyboard alone: %s', async (name, options) => {
    const { origin, feedback } = await serve();
    const { page, complaints } = await open(`${origin}/docs/guides/tides`, options);
    await page.getByRole('group', { name: 'Was this page helpful?' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await shoot(page, `${name}-question`);
    await page.getByRole('button', { name: 'No', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Thank you for your feedback.').waitFor();
    await page.keyboard.press('Enter');
    expect(await findings(page)).toEqual([]);
    await page.getByLabel('What can we improve? (optional)').fill('Where is the quay?');
    await shoot(page, `${name}-comment`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send' }).waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(
      'Thank you for your feedback.',
    );
    expect(await findings(page)).toEqual([]);
    expect(feedback()).toMatchObject([
      { path: '/guides/tides', isHelpful: false, comment: 'Where is the quay?' },
    ]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('is asked in the language of the page', async () => {
    const { origin, feedback } = await serve();
    const { page } = await open(`${origin}/docs/ar`, looks[1]?.[1]);
    await page.getByRole('button', { name: 'نعم' }).click();
    await page.getByText('شكرًا على ملاحظاتك.').waitFor();
    expect(await findings(page)).toEqual([]);
    await shoot(page, 'arabic');
    expect(feedback()).toMatchObject([{ path: '/ar', isHelpful: true, comment: null }]);
    await page.context().close();
  });

  test('a search without results is reported once, when the reader closes the dialog', async () => {
    const { origin, counts } = await serve();
    const { page } = await open(`${origin}/docs/`);
    await page.getByRole('group', { name: 'Was this page helpful?' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').pressSequentially('zebra crossing', { delay: 20 });
    await page.getByText('Nothing found for “zebra crossing”').waitFor();
    const sent = page.waitForResponse((response) => response.url().endsWith('/_docyard/events'));
    await page.keyboard.press('Escape');
    await sent;
    expect(counts()).toMatchObject([
      { metric: 'empty_searches', name: 'zebra crossing', reader: 'agent', count: 1 },
      { metric: 'searches', name: '', count: 1 },
    ]);
    await page.context().close();
  });

  test('is not asked by a server that collects nothing, and not from a folder', async () => {
    const { origin } = await serve({ collects: false });
    const { page } = await open(`${origin}/docs/guides/tides`);
    await page.waitForLoadState('networkidle');
    expect(await page.locator('#page-feedback').isVisible()).toBe(false);
    const fromDisk = await open(pathToFileURL(join(siteFolder, 'guides/tides.html')).href);
    await fromDisk.page.waitForLoadState('networkidle');
    expect(await fromDisk.page.locator('#page-feedback').isVisible()).toBe(false);
    expect(fromDisk.complaints).toEqual([]);
    await page.context().close();
    await fromDisk.page.context().close();
  });
});

async function shoot(page: Page, name: string): Promise<void> {
  if (screenshots === undefined) return;
  await page.locator('.dy-page-foot').scrollIntoViewIfNeeded();
  writeFileSync(join(screenshots, `${name}.png`), await page.screenshot());
}

/** The policy of a page forbids scripts, so axe runs in a world of its own. */
async function findings(page: Page): Promise<string[]> {
  const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  });
  const evaluate = (expression: string) =>
    session.send('Runtime.evaluate', { expression, contextId, awaitPromise: true, returnByValue: true });
  await evaluate(axe.source);
  const { result } = await evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))');
  return [...(result.value as string[]), ...(isTooWide ? ['too wide'] : [])];
}
