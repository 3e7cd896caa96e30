/** A private site of the real program in Chromium: sign-in, sign-out, a restart and a new release. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchChromium } from '../scripts/measure/browser.ts';
import { bundle, type Site, siteOf, startSite } from './deployment/site.ts';
import { program, temporaryFolder } from './service.ts';

const password = 'seven small boats at noon';
const looks: [name: string, options: BrowserContextOptions][] = [
  ['desktop, light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
  ['phone, dark', { viewport: { width: 320, height: 640 }, colorScheme: 'dark' }],
];

const logoOf = (color: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 10"><rect width="40" height="10" fill="${color}"/></svg>`;
const logos = { light: logoOf('#92400e'), dark: logoOf('#fde68a') };

describe.skipIf(chromiumPath === undefined)('a private site', () => {
  let browser: Browser;
  let site: Site;
  let folder: string;
  let environment: Record<string, string>;

  beforeAll(async () => {
    browser = await launchChromium();
    folder = temporaryFolder('bundles');
    const files = { ...siteOf('first'), '_docyard/sign-in.html': themedSignIn() };
    writeFileSync(join(folder, 'first.tar.gz'), await bundle(files));
    const passwords = join(temporaryFolder('passwords'), 'passwords');
    const { stdout } = spawnSync(process.execPath, [program, 'site', 'hash-password'], {
      input: `${password}\n`,
      encoding: 'utf8',
    });
    writeFileSync(passwords, stdout);
    environment = { ACCESS_MODE: 'password', ACCESS_PASSWORD_FILE: passwords };
    site = await startSite({ staticExport: { bundleUrl: folder }, environment });
    while ((await site.readiness()).release === null) await sleep(50);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
  });

  const open = async (options: BrowserContextOptions, path: string): Promise<Page> => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    await page.goto(site.origin + path);
    return page;
  };
  const signIn = async (page: Page, text = password): Promise<void> => {
    await page.getByLabel('Password').fill(text);
    await page.keyboard.press('Enter');
  };

  test.each(looks)('asks for the password and opens the wanted page: %s', async (_, options) => {
    const page = await open(options, '/guides/page-1?from=mail');
    expect(await findings(page)).toEqual([]);
    const { colorScheme } = options;
    const logo = page.getByRole('img', { name: 'Harbour' });
    const shown = await logo.evaluate((image: HTMLImageElement) => image.currentSrc);
    expect(Buffer.from(shown.split(',')[1] ?? '', 'base64').toString()).toBe(
      logos[colorScheme === 'dark' ? 'dark' : 'light'],
    );
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(background).toBe(colorScheme === 'dark' ? 'rgb(20, 16, 12)' : 'rgb(255, 250, 240)');
    await signIn(page, 'a wrong password');
    await page.getByRole('alert').getByText('This password is wrong.').waitFor();
    expect(await findings(page)).toEqual([]);
    await signIn(page);
    await page.waitForURL(/\/guides\/page-1\?from=mail$/);
    await page.getByText('release first').waitFor();
    await page.goto(`${site.origin}/_docyard/access/sign-out`);
    expect(await findings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.goBack();
    await page.goto(`${site.origin}/guides/page-1`);
    await page.getByLabel('Password').waitFor();
    await page.context().close();
  });

  test('keeps sessions over a restart, and serves a new release without a failed request', async () => {
    const page = await open({}, '/');
    await signIn(page);
    await page.getByText('release first').waitFor();
    const { dataDir } = site;
    await site.stop();
    site = await startSite({ dataDir, staticExport: { bundleUrl: folder }, environment });
    const cookies = await page.context().cookies();
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    writeFileSync(join(folder, 'second.tar.gz'), await bundle(siteOf('second')));
    const seen = new Set<string>();
    while (!seen.has('second')) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => fetch(`${site.origin}/guides/page-2`, { headers: { cookie } })),
      );
      for (const answer of answers) {
        expect(answer.status).toBe(200);
        seen.add(/release (\w+)/.exec(await answer.text())?.[1] ?? '');
      }
    }
    expect([...seen].every((name) => ['first', 'second'].includes(name))).toBe(true);
    await page.context().close();
  });

  test('stores its key so that other users of the machine cannot read it', () => {
    const key = join(site.dataDir, 'session-key');
    expect(readFileSync(key, 'utf8').trim()).toMatch(/^[\w-]{64}$/);
    expect(spawnSync('stat', ['-c', '%a', key], { encoding: 'utf8' }).stdout.trim()).toBe('600');
  });
});

/** The page that an export of a site with these settings contains. */
function themedSignIn(): string {
  const source = temporaryFolder('docs');
  const out = join(temporaryFolder('built'), 'out');
  const config = {
    name: 'Harbour',
    colors: { primary: '#b45309', light: '#fbbf24' },
    background: { color: { light: '#fffaf0', dark: '#14100c' } },
    logo: { light: '/light.svg', dark: '/dark.svg' },
    navigation: { pages: ['index'] },
  };
  writeFileSync(join(source, 'docs.json'), JSON.stringify(config));
  writeFileSync(join(source, 'index.mdx'), 'Quay');
  writeFileSync(join(source, 'light.svg'), logos.light);
  writeFileSync(join(source, 'dark.svg'), logos.dark);
  spawnSync(process.execPath, [program, 'build', source, '--out', out]);
  const html = readFileSync(join(out, '_docyard', 'sign-in.html'), 'utf8');
  // The policy of the response must stop it.
  return `${html}<script>document.querySelector('main').remove()</script>`;
}

async function findings(page: Page): Promise<string[]> {
  const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  // The policy of the page forbids scripts, so axe runs in a world of its own.
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  });
  const evaluate = async (expression: string) =>
    (await session.send('Runtime.evaluate', {
      expression,
      contextId: executionContextId,
      awaitPromise: true,
      returnByValue: true,
    })) as { result: { value: unknown } };
  await evaluate(axe.source);
  const { result } = await evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes.map(({ target }) => target)))',
  );
  return [...(result.value as string[]), ...(isTooWide ? ['too wide'] : [])];
}
