/** Questions and answers in the search dialog, in Chromium: on the real program, and on servers in every state. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchChromium } from '../packages/render/test/support/chromium.ts';
import type { AnswerSettings } from '../packages/site/src/answers/answer-settings.ts';
import { AskEndpoint } from '../packages/site/src/answers/ask-endpoint.ts';
import { openLog } from '../packages/site/src/log/log.ts';
import { precompress } from '../packages/site/src/serving/compressed-files.ts';
import { HostedSite } from '../packages/site/src/serving/hosted-site.ts';
import { openSite } from '../packages/site/src/serving/served-site.ts';
import { SiteServer } from '../packages/site/src/serving/site-server.ts';
import { bundle, startSite } from './deployment/site.ts';
import { type ModelServer, type Script, startModelServer } from './fakes/model-server.ts';
import { program, temporaryFolder, writeFiles } from './service.ts';

const looks: [name: string, options: BrowserContextOptions][] = [
  ['desktop-light', { viewport: { width: 1280, height: 900 }, colorScheme: 'light' }],
  ['desktop-dark', { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' }],
  ['phone-light', { viewport: { width: 390, height: 780 }, colorScheme: 'light' }],
  ['phone-dark', { viewport: { width: 320, height: 640 }, colorScheme: 'dark' }],
];
const screenshots = process.env['SCREENSHOTS'];
const asked = 'How do I restore a backup?';
const cited =
  'Stop the service, then unpack the copy into the **data folder** [1]:\n\n' +
  '1. Run `harbor stop` [1].\n2. Unpack the copy:\n\n```bash\ntar -xf copy.tar\n```\n\nThe harbor opens again at noon [1].';

const source = {
  'docs.json': JSON.stringify({
    name: 'Harbor',
    search: { answers: true },
    navigation: {
      languages: [
        { language: 'en', groups: [{ group: 'Guides', pages: ['index', 'backups', 'tides', 'moorings'] }] },
        { language: 'ar', groups: [{ group: 'Guides', pages: ['ar/index', 'ar/backups'] }] },
      ],
    },
  }),
  'index.mdx': '---\ntitle: Welcome\n---\n\nWelcome to the harbor.\n',
  'backups.mdx':
    '---\ntitle: Backups\n---\n\nCopies of the harbor.\n\n## Make a backup\n\nRun `harbor copy` every night.\n\n## Restore a backup\n\nStop the service with `harbor stop` and unpack the copy.\n\n```bash\ntar -xf copy.tar\n```\n',
  'tides.mdx': '---\ntitle: Tides\n---\n\nTide tables.\n\n## Spring tide\n\nThe quay floods.\n',
  'moorings.mdx': '---\ntitle: Moorings\n---\n\n## Rent a mooring\n\nMoorings cost nothing in winter.\n',
  'ar/index.mdx': '---\ntitle: مرحبا\n---\n\nمرحبا بكم في الميناء.\n',
  'ar/backups.mdx': '---\ntitle: النسخ\n---\n\n## Restore a backup\n\nأوقف الخدمة.\n',
};

describe.skipIf(chromiumPath === undefined)('questions in the search dialog', () => {
  let browser: Browser;
  let siteFolder: string;
  const open: { close(): unknown }[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
    siteFolder = build(source);
  });

  afterAll(async () => {
    await browser?.close();
    for (const { close } of open) await close();
  });

  /** Without settings, the server does not answer. */
  async function serve(settings?: Partial<AnswerSettings>, folder = siteFolder): Promise<string> {
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    const release = {
      id: 'r1',
      siteFolder: folder,
      compressedFolder: temporaryFolder('compressed'),
      manifest,
    };
    await precompress(release);
    const status = () => ({ release: null, lastRefresh: null, refreshes: {}, refusals: {} });
    const hosted = new HostedSite({ status });
    const server = new SiteServer({ host: '127.0.0.1', port: 0, sites: [hosted] });
    open.push({ close: () => server.close(0) });
    const log = openLog({ level: 'silent', format: 'json' });
    if (settings) hosted.add(new AskEndpoint({ ...defaults, ...settings }, { offline: false, log }));
    hosted.activate(await openSite(release));
    const { port } = await server.listen();
    return `http://127.0.0.1:${port}/docs/`;
  }

  async function startModel(script: Script): Promise<ModelServer & { model: AnswerSettings['model'] }> {
    const server = await startModelServer(script);
    open.push(server);
    return {
      ...server,
      model: { provider: 'openai-compatible', url: server.url, name: 'small', key: null },
    };
  }

  async function visit(address: string, options: BrowserContextOptions = {}) {
    const page = await (await browser.newContext({ reducedMotion: 'reduce', ...options })).newPage();
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

  async function ask(page: Page, question = asked): Promise<void> {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill(question);
    await page.getByRole('option', { name: /^Ask: / }).click();
  }

  test('the real program streams an answer whose citation leads to the heading', async () => {
    const { url, requests } = await startModel(() => ({ text: cited, pieces: 20 }));
    const folder = temporaryFolder('bundles');
    writeFileSync(join(folder, 'harbor.tar.gz'), await bundle(filesOf(build(source, ''))));
    const environment = {
      ASSISTANT_ENABLED: 'on',
      ASSISTANT_MODEL_URL: url,
      ASSISTANT_MODEL: 'small',
    };
    const site = await startSite({ staticExport: { bundleUrl: folder }, environment });
    open.push({ close: () => site.stop() });
    while ((await site.readiness()).release === null) await sleep(50);
    const { page, complaints } = await visit(`${site.origin}/`);
    await ask(page);
    await page.getByText('Answer complete. Sources: 1').waitFor();
    expect(await page.locator('.dy-answer-text').innerText()).toContain('Run harbor stop 1.');
    expect(await page.locator('.dy-answer-text ol li').count()).toBe(2);
    expect(await page.locator('.dy-answer-text pre').innerText()).toBe('tar -xf copy.tar');
    await page.getByRole('link', { name: '1: Backups › Restore a backup' }).first().click();
    await page.waitForURL(/\/backups(?:\.html)?#restore-a-backup$/);
    expect(requests).toHaveLength(1);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test.each(looks)('an answer is readable and accessible: %s', async (name, options) => {
    const { model } = await startModel(() => ({ text: cited }));
    const address = await serve({ model });
    const { page, complaints } = await visit(address, options);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('restore a backup');
    await page.getByRole('option', { name: 'Ask: restore a backup' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await shoot(page, `${name}-entry`);
    await page.keyboard.press('Control+Enter');
    await page.getByText('Answer complete. Sources: 1').waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('restore a backup');
    expect(await findings(page)).toEqual([]);
    await shoot(page, `${name}-answer`);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('the first result keeps Enter, and the question above it is reached with an arrow key', async () => {
    const { model } = await startModel(() => ({ text: cited }));
    const { page } = await visit(await serve({ model }));
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('mooring');
    await page.getByRole('option', { name: 'Ask: mooring' }).waitFor();
    expect(await page.locator('[aria-selected="true"]').innerText()).toContain('Moorings');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'mooring' }).waitFor();
    await page.getByRole('button', { name: 'Back to results' }).click();
    expect(await page.getByRole('combobox').inputValue()).toBe('mooring');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/moorings/);
    await page.context().close();
  });

  test('a follow-up sends the conversation within the limits of the server', async () => {
    const long = 'ツ'.repeat(7900);
    const { model, requests } = await startModel(({ turn }) => ({ text: `${turn} [1] ${long}` }));
    const { page, complaints } = await visit(await serve({ model }));
    await ask(page);
    const complete = page.getByRole('status').filter({ hasText: 'Answer complete' });
    await complete.waitFor();
    for (const turn of [1, 2, 3, 4]) {
      await page.getByLabel('Ask a follow-up question').fill(`And restore backup ${turn}?`);
      await page.keyboard.press('Enter');
      await page.locator('.dy-answer-turn').nth(turn).locator('.dy-answer-sources').waitFor();
    }
    const roles = requests.map(({ messages }) => messages.filter(({ role }) => role === 'user').length);
    expect(roles).toEqual([1, 2, 3, 3, 3]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('Stop ends an answer, and Escape closes the dialog', async () => {
    const answer = { text: 'Stop it [1]. '.repeat(400), pieces: 200 };
    const { model } = await startModel(() => ({ fault: 'slow', answer, pauseMilliseconds: 60 }));
    const { page, complaints } = await visit(await serve({ model }));
    await ask(page);
    await page.getByRole('link', { name: /^1: / }).first().waitFor();
    expect(await findings(page)).toEqual([]);
    await shoot(page, 'streaming');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('status').filter({ hasText: 'Stopped.' }).waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.dy-search-dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('Control+k');
    expect(await page.getByRole('combobox').isVisible()).toBe(true);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a question that the pages do not answer gets the closest pages', async () => {
    const { model } = await startModel(() => ({ text: 'NOT_FOUND' }));
    const { page, complaints } = await visit(await serve({ model }));
    await ask(page, 'Can I restore a backup of the moon?');
    await page.getByRole('heading', { name: 'Closest pages' }).waitFor();
    expect(await page.locator('.dy-answer-notice').innerText()).toBe(
      'These docs do not answer this question.',
    );
    expect(await page.getByRole('link', { name: 'Backups › Restore a backup' }).isVisible()).toBe(true);
    expect(await findings(page)).toEqual([]);
    await shoot(page, 'not-found');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a model that fails leaves the closest pages, and the question can be asked again', async () => {
    const { model } = await startModel(({ turn }) =>
      turn === 0 ? { fault: 'status', status: 500 } : { text: cited },
    );
    const { page } = await visit(await serve({ model }));
    await ask(page);
    await page.locator('.dy-answer-notice').waitFor();
    expect(await page.locator('.dy-answer-notice').innerText()).toBe(
      'Answers are not available now. Try again later.',
    );
    expect(await page.getByRole('heading', { name: 'Closest pages' }).isVisible()).toBe(true);
    await shoot(page, 'model-down');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Answer complete. Sources: 1').waitFor();
    await page.context().close();
  });

  test.each([
    ['a reader', { maxQuestionsPerHour: 1 }, 'Too many questions. Try again in 60 min.'],
    ['the site', { maxTokensPerDay: 1 }, 'No more questions are answered today. Try again tomorrow.'],
  ])('the limit of %s is explained', async (_, limits, text) => {
    const { model } = await startModel(() => ({ text: cited }));
    const { page } = await visit(await serve({ model, ...limits }));
    await ask(page);
    await page.getByText('Answer complete. Sources: 1').waitFor();
    await page.getByLabel('Ask a follow-up question').fill('And on a moored boat?');
    await page.keyboard.press('Enter');
    await page.locator('.dy-answer-notice').waitFor();
    expect(await page.locator('.dy-answer-notice').innerText()).toBe(text);
    await page.context().close();
  });

  test('without a model the passages are shown', async () => {
    const { page, complaints } = await visit(await serve({}), looks[2]?.[1]);
    await ask(page);
    await page.getByRole('heading', { name: 'Passages from these docs' }).waitFor();
    expect(await page.locator('.dy-answer-passage').first().innerText()).toContain('Stop the service');
    expect(await findings(page)).toEqual([]);
    await shoot(page, 'passages');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a question in the language of the page is answered from pages in that language', async () => {
    const { page, complaints } = await visit(`${await serve({})}ar/`, looks[3]?.[1]);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('restore backup');
    await page.getByRole('option', { name: /^اسأل: / }).click();
    await page.locator('.dy-answer-passage').first().waitFor();
    const links = await page
      .locator('.dy-answer-passage > a')
      .evaluateAll((all) => all.map((link) => new URL((link as HTMLAnchorElement).href).pathname));
    expect(links.every((path) => path.startsWith('/docs/ar/'))).toBe(true);
    expect(await findings(page)).toEqual([]);
    await shoot(page, 'arabic');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('hostile text of a model stays text', async () => {
    const hostile =
      '<img src=x onerror="document.title=1"> [1] [click](javascript:alert(1)) [999] <script>document.title=2</script>\n' +
      '[x](https://evil.example) **<b>bold</b>** `<i>`\n```html\n<iframe src=//evil.example>\n';
    const text = `${hostile}${'`*[1'.repeat(20_000)}${'<p>'.repeat(20_000)}`;
    const { model } = await startModel(() => ({ text }));
    const { page, complaints } = await visit(await serve({ model }));
    await ask(page);
    await page.getByText('Answer complete. Sources: 1').waitFor();
    const shown = page.locator('.dy-answer-text');
    expect(await shown.locator('img, script, iframe, b, i').count()).toBe(0);
    expect(await shown.locator('a').count()).toBe(1);
    expect((await shown.innerText()).length).toBeLessThan(21_000);
    expect(await page.title()).not.toMatch(/^\d$/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('nothing is offered from a folder, by another server, and by a site without the setting', async () => {
    const withoutSetting = build({
      ...source,
      'docs.json': source['docs.json'].replace('"search":{"answers":true},', ''),
    });
    const fromDisk = pathToFileURL(join(siteFolder, 'index.html')).href;
    for (const address of [
      fromDisk,
      await serve(undefined, withoutSetting),
      await serve({}, withoutSetting),
    ]) {
      const { page, complaints } = await visit(address);
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('restore a backup');
      await page.getByRole('option').first().waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.getByRole('option', { name: /^Ask: / }).count()).toBe(0);
      expect(complaints).toEqual([]);
      await page.context().close();
    }
    expect(filesOf(withoutSetting)).not.toHaveProperty('_docyard/answers.js');
    const { page } = await visit(await serve());
    const response = page.waitForResponse((reply) => reply.url().endsWith('/_docyard/ask'));
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('restore a backup');
    expect((await response).status()).toBe(404);
    await page.getByRole('option').first().waitFor();
    expect(await page.getByRole('option', { name: /^Ask: / }).count()).toBe(0);
    await page.context().close();
  });
});

const defaults: AnswerSettings = {
  model: null,
  embeddings: null,
  maxQuestionsPerHour: 100,
  maxTokensPerDay: 10_000_000,
  maxAnswerTokens: 500,
  timeoutSeconds: 20,
  instructions: '',
  site: { url: null, trustedProxies: [] },
};

function build(files: Record<string, string>, basePath = '/docs'): string {
  const folder = temporaryFolder('answers-source');
  writeFiles(folder, files);
  const out = join(temporaryFolder('answers'), 'site');
  const options = ['--out', out, '--base-path', basePath, '--offline'];
  const built = spawnSync(process.execPath, [program, 'build', folder, ...options], { encoding: 'utf8' });
  expect(built.stderr).toBe('');
  return out;
}

function filesOf(folder: string): Record<string, Uint8Array> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(folder, name)).isFile() && name !== 'manifest.json');
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name))]));
}

async function shoot(page: Page, name: string): Promise<void> {
  if (screenshots !== undefined) writeFileSync(join(screenshots, `${name}.png`), await page.screenshot());
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
