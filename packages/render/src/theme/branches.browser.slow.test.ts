import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContext, type Locator, type Page, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { renderFixture, writeOutput } from '../../test/support/render-fixture.ts';
import { chromiumPath } from '../../test/support/chromium.ts';

const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

describe.skipIf(chromiumPath === undefined)('the navigation of a rendered site', () => {
  let browser: Browser;
  let folder: string;
  let server: Server;
  let context: BrowserContext;
  let page: Page;
  const bases: Record<string, string> = {};
  const complaints: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'docyard-branches-'));
    await writeSite('navigation/shared-pages', folder);
    server = await serve(folder);
    bases['disk'] = pathToFileURL(`${folder}/`).href;
    bases['http'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`;
    browser = await chromium.launch({
      executablePath: chromiumPath ?? '',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    });
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  beforeEach(() => {
    complaints.length = 0;
  });

  afterEach(async () => {
    await context.close();
  });

  async function openReader(options: { phone?: boolean; javaScriptEnabled?: boolean } = {}): Promise<void> {
    const { javaScriptEnabled = true } = options;
    context = await browser.newContext({ viewport: options.phone ? phone : desktop, javaScriptEnabled });
    page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() !== 'log') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('requestfailed', (request) => complaints.push(request.url()));
  }

  async function chooseVersion(name: string): Promise<void> {
    const menu = page.locator('details', { has: page.locator('summary[aria-label^="Version"]') }).first();
    await menu.locator('summary').click();
    await follow(menu.getByRole('link', { name, exact: true }));
  }

  async function follow(link: Locator): Promise<void> {
    const loaded = page.waitForEvent('load');
    await link.click();
    await loaded;
  }

  async function shown() {
    return page.evaluate(() => {
      const texts = (selector: string): string[] =>
        [...document.querySelectorAll(selector)].map((part) => part.textContent.trim());
      return {
        title: document.querySelector('h1')?.textContent ?? '',
        version: texts('header details[data-menu] summary')[0],
        tab: texts('header nav a[aria-current="true"]')[0],
        groups: texts('nav#sidebar section h2'),
        entry: texts('nav#sidebar a[aria-current="page"]'),
        trail: texts('main header nav ol li'),
        next: texts('nav#pagination a[rel="next"] span:last-child')[0],
        previous: texts('nav#pagination a[rel="prev"] span:last-child')[0],
      };
    });
  }

  const indexInSecond = {
    title: 'Index',
    version: '2.0',
    tab: 'Guides',
    groups: ['Begin', 'Set up'],
    entry: ['Index'],
    trail: ['Begin'],
    next: 'Install',
    previous: undefined,
  };

  it.each(['disk', 'http'])(
    'a shared page shows the navigation of the chosen version, from %s',
    async (from) => {
      await openReader();
      await page.goto(`${bases[from]}index.html`);
      expect(await shown()).toMatchObject({ version: '1.0', groups: ['Start', 'Old ways'] });
      await chooseVersion('2.0');
      expect(page.url()).toBe(`${bases[from]}index.html?nav=2.0_guides`);
      expect(await shown()).toEqual(indexInSecond);
      await follow(page.locator('nav#pagination a[rel="next"]'));
      expect(await shown()).toMatchObject({
        title: 'Install',
        version: '2.0',
        groups: ['Begin', 'Set up'],
        trail: ['Set up'],
        previous: 'Index',
        next: 'Modern',
      });
      await follow(page.locator('nav#pagination a[rel="next"]'));
      expect(page.url()).toBe(`${bases[from]}v2/modern.html`);
      expect(complaints).toEqual([]);
    },
  );

  it.each(['disk', 'http'])(
    'a shared page stays in the chosen version after a link in the text, from %s',
    async (from) => {
      await openReader();
      await page.goto(`${bases[from]}v2/modern.html`);
      await follow(page.getByRole('link', { name: 'the reference' }));
      expect(await shown()).toMatchObject({ title: 'Reference', version: '2.0', tab: 'Reference' });
      expect(page.url()).toBe(`${bases[from]}reference.html?nav=2.0_reference`);
      expect(complaints).toEqual([]);
    },
  );

  it('a page outside of the navigation stays in the version of the reader', async () => {
    await openReader();
    await page.goto(`${bases['http']}v2/modern.html`);
    await follow(page.getByRole('link', { name: 'the imprint' }));
    expect(await shown()).toMatchObject({
      title: 'Imprint',
      version: '2.0',
      groups: ['Begin', 'Set up'],
      entry: [],
    });
    expect(complaints).toEqual([]);
  });

  it('a shared page shows each version again when the reader goes back and forth or reloads', async () => {
    await openReader();
    await page.goto(`${bases['http']}index.html`);
    await chooseVersion('2.0');
    await chooseVersion('1.0');
    expect(page.url()).toBe(`${bases['http']}index.html`);
    expect(await shown()).toMatchObject({ version: '1.0' });
    await page.goBack();
    expect(await shown()).toEqual(indexInSecond);
    await page.reload();
    expect(await shown()).toEqual(indexInSecond);
    await page.goBack();
    expect(await shown()).toMatchObject({ version: '1.0' });
  });

  it('a switcher opens the same page in a version that has it, else the first page of the version', async () => {
    await openReader();
    await page.goto(`${bases['http']}install.html?nav=2.0_guides`);
    await chooseVersion('3.0 beta');
    expect(await shown()).toMatchObject({ title: 'Index', version: '3.0 beta', groups: ['Preview'] });
    await follow(page.getByRole('link', { name: 'the reference' }));
    await chooseVersion('2.0');
    expect(await shown()).toMatchObject({ title: 'Reference', version: '2.0', tab: 'Reference' });
    await chooseVersion('1.0');
    expect(await shown()).toMatchObject({ title: 'Reference', version: '1.0', tab: 'Reference' });
    expect(complaints).toEqual([]);
  });

  it('a shared page ignores a version that it is not part of', async () => {
    await openReader();
    await page.goto(`${bases['http']}install.html?nav=3.0-beta`);
    expect(await shown()).toMatchObject({ title: 'Install', version: '1.0' });
  });

  it('a shared page never paints the navigation of another branch', async () => {
    await openReader();
    await page.addInitScript(() => {
      const seen = new Set<string>();
      Object.assign(window, { seenVersions: seen });
      const look = (): void => {
        const label = document.querySelector('header details[data-menu] summary');
        if (label && getComputedStyle(label).visibility === 'visible') seen.add(label.textContent);
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await page.goto(`${bases['http']}index.html?nav=2.0_guides`);
    const seen = await page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          requestAnimationFrame(() =>
            requestAnimationFrame(() =>
              resolve([...(window as unknown as { seenVersions: Set<string> }).seenVersions]),
            ),
          );
        }),
    );
    expect(seen).toEqual(['2.0']);
  });

  it.each(['disk', 'http'])(
    'a switcher links to pages of another version without JavaScript, from %s',
    async (from) => {
      await openReader({ javaScriptEnabled: false });
      await page.goto(`${bases[from]}index.html`);
      await chooseVersion('2.0');
      expect(page.url()).toBe(`${bases[from]}v2/modern.html`);
      expect(await page.locator('nav#sidebar a[aria-current="page"]').textContent()).toBe('Modern');
      await follow(page.locator('nav#sidebar').getByRole('link', { name: 'Index', exact: true }));
      expect(await page.locator('h1').textContent()).toBe('Index');
    },
  );

  it.each(['disk', 'http'])('the drawer of a phone shows the chosen version, from %s', async (from) => {
    await openReader({ phone: true });
    await page.goto(`${bases[from]}index.html`);
    await chooseVersion('2.0');
    await page.locator('[data-menu-toggle]').click();
    await page.locator('nav#sidebar').getByRole('link', { name: 'Install', exact: true }).click();
    await page.waitForURL(/install\.html\?nav=2\.0_guides$/);
    expect(await shown()).toMatchObject({ title: 'Install', version: '2.0', groups: ['Begin', 'Set up'] });
    expect(complaints).toEqual([]);
  });

  it('the frame of a page shared by two languages is in the chosen language', async () => {
    const other = join(folder, 'shared-languages');
    await writeSite('navigation/shared-languages', other);
    await openReader();
    await page.goto(pathToFileURL(join(other, 'index.html')).href);
    await page.locator('header summary[aria-label^="Language"]').click();
    await follow(page.getByRole('link', { name: 'Français' }));
    expect(page.url()).toMatch(/index\.html\?nav=fr$/);
    await follow(page.locator('nav#pagination a[rel="next"]'));
    const languages = await page.evaluate(() =>
      ['html', 'body > header', 'nav#sidebar', 'body > footer'].map(
        (selector) => document.querySelector(selector)?.getAttribute('lang') ?? '',
      ),
    );
    expect(languages).toEqual(['en', 'fr', 'fr', 'fr']);
    expect(await page.locator('nav#pagination').innerText()).toContain('Précédent');
    expect(await page.locator('body > footer').innerText()).toContain('Mentions');
    expect(complaints).toEqual([]);
  });

  it.each(['file', 'http'])(
    'a page shared by several languages has the banner of the chosen one, over %s',
    async (from) => {
      const other = join(folder, 'language-banners');
      await writeSite('navigation/language-banners', other);
      await openReader();
      const base = from === 'file' ? pathToFileURL(`${other}/`).href : `${bases['http']}language-banners/`;
      const banner = page.locator('#banner');
      const choose = async (language: string): Promise<void> => {
        await page.locator('header summary').first().click();
        await follow(page.locator('header').getByRole('link', { name: language }));
      };
      await page.goto(`${base}index.html`);
      expect(await banner.innerText()).toBe('Read the contact page.');
      await choose('Français');
      expect(page.url()).toMatch(/index\.html\?nav=fr$/);
      expect(await banner.innerText()).toBe('Lisez la page de contact.');
      expect(await banner.evaluate((box) => [box.getAttribute('lang'), box.className])).toEqual([
        'fr',
        'dy-site-banner dy-banner-warning',
      ]);
      expect(await banner.getByRole('link').getAttribute('href')).toBe('fr/contact.html#adresse-postale');
      await banner.getByRole('button', { name: 'Fermer' }).click();
      await page.reload();
      expect(await banner.isHidden()).toBe(true);
      await choose('Español');
      expect(await banner.innerText()).toBe('Read the contact page.');
      await choose('Deutsch');
      expect(await page.locator('.dy-site-banner').count()).toBe(0);
      await choose('English');
      expect(await page.locator('.dy-site-banner').innerText()).toBe('Read the contact page.');
      expect(complaints).toEqual([]);
    },
  );

  it('a group after ungrouped pages has the same space before it as any group', async () => {
    const other = join(folder, 'home-link');
    await writeSite('navigation/home-link', other);
    await openReader();
    await page.goto(pathToFileURL(join(other, 'index.html')).href);
    const spaces = await page.evaluate(() => {
      const bottomOf = (part: Element | null): number => part?.getBoundingClientRect().bottom ?? 0;
      return [...document.querySelectorAll('nav#sidebar section')].map(
        (group) => group.getBoundingClientRect().top - bottomOf(group.previousElementSibling),
      );
    });
    expect(spaces).toEqual([28, 28]);
  });
});

async function writeSite(fixture: string, folder: string): Promise<void> {
  await writeOutput(await renderFixture(fixture), folder);
}

const types: Record<string, string> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };

function serve(root: string): Promise<Server> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.replace('/base/', '');
    if (path === '/favicon.ico') return void response.writeHead(204).end();
    readFile(join(root, decodeURIComponent(path))).then(
      (content) => {
        response.setHeader('Content-Type', types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream');
        response.end(content);
      },
      () => {
        response.statusCode = 404;
        response.end();
      },
    );
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}
