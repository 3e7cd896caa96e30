/** Children of authors' components as elements, in exported pages of `fixtures/live-children`. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSite, chromiumPath, openBrowserSite } from '../../test/support/browser-site.ts';

describe.skipIf(chromiumPath === undefined)('children of components in a browser', () => {
  let site: BrowserSite;
  let page: Page;

  beforeAll(async () => {
    site = await openBrowserSite('live-children');
    ({ page } = site);
  });
  afterAll(() => site.close());
  afterEach(() => expect(site.complaints.splice(0)).toEqual([]));

  const open = (path: string, from: 'http' | 'file' = 'file') => page.goto(`${site.origins[from]}/${path}`);
  const within = (testId: string) => page.getByTestId(testId);
  const text = (testId: string) => expect.poll(() => within(testId).innerText());

  describe.each(['http', 'file'] as const)('over %s', (from) => {
    it.each(['index.html', 'react.html'])('%s has the same tree before and after hydration', async (path) => {
      const still = await site.browser.newContext({ javaScriptEnabled: false });
      const read = await still.newPage();
      await read.goto(`${site.origins[from]}/${path}`);
      const before = await read.locator('main').evaluate(islandTrees);
      await still.close();
      // The theme's script adds buttons and roles to content.
      await page.route('**/_docyard/app.js', (route) => route.fulfill({ body: '' }));
      await open(path, from);
      await expect.poll(() => page.evaluate(() => 'React' in window)).toBe(true);
      const after = await page.locator('main').evaluate(islandTrees);
      await page.unroute('**/_docyard/app.js');
      expect(before.length).toBeGreaterThan(4);
      expect(after.map((tree) => tree.replace('em|Loaded', 'i|Loading'))).toEqual(before);
    });

    it('a component maps over paragraphs, code and built-in components after every change', async () => {
      await open('index.html', from);
      await text('kinds').toBe('p pre ul Note');
      await page.getByRole('button', { name: 'Count on' }).click();
      await expect
        .poll(() =>
          within('numbered')
            .locator('ol > li')
            .evaluateAll((items) => items.map((item) => item.textContent?.trim().slice(0, 14))),
        )
        .toEqual(
          ['11: A paragrap', '12: Exampleco', '13: \none\ntwo', '14: A note tha'].map((line) =>
            expect.stringContaining(line.slice(0, 6)),
          ),
        );
      expect(await within('numbered').locator('figure.dy-code .dy-k').count()).toBe(1);
      expect(await within('numbered').getByRole('link', { name: 'link' }).getAttribute('href')).toBe(
        'react.html',
      );
    });

    it('a component reads the properties of its children and shows what is inside of one of them', async () => {
      await open('index.html', from);
      await page.getByRole('button', { name: 'Second' }).click();
      await expect.poll(() => within('own').getByText('Words of the second option.').isVisible()).toBe(true);
      expect(await within('own').locator('figure.dy-code').textContent()).toContain('print("second")');
      expect(await within('own').locator('em').count()).toBe(0);
      await page.getByRole('button', { name: 'Beta' }).click();
      await expect.poll(() => within('builtin').locator('code').textContent()).toBe('beta');
      await page.getByRole('button', { name: 'Alpha' }).click();
      await expect.poll(() => within('builtin').locator('strong').textContent()).toBe('alpha');
    });
  });

  it('a component changes the properties of its children with cloneElement', async () => {
    await open('index.html');
    const titles = () => within('renamed').locator('.dy-card-title').allTextContents();
    expect(await titles()).toEqual(['One!', 'Two!']);
    await page.getByRole('button', { name: 'Louder' }).click();
    await expect.poll(titles).toEqual(['One!!', 'Two!!']);
    expect(await within('renamed').locator('a.dy-card').getAttribute('href')).toBe('react.html');
    expect(await within('renamed').getByText('The first card.').count()).toBe(1);
  });

  it('a component chooses children by their type, also by one that the format brings', async () => {
    await open('index.html');
    expect(await within('only').getByText('A card that is kept.').count()).toBe(1);
    expect(await within('only').getByText('Words that are left out').count()).toBe(0);
    await page.getByRole('button', { name: 'All' }).click();
    await expect.poll(() => within('only').getByText('Words that are left out').count()).toBe(1);
  });

  it('built-in components find their counterparts among the children of an interactive component', async () => {
    await open('index.html');
    await page.getByRole('tab', { name: 'Right' }).click();
    await expect.poll(() => page.getByText('The right side.').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Clicked 0' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Clicked 1' }).count()).toBe(1);
    expect(await page.getByText('The right side.').isVisible()).toBe(true);
  });

  it('context reaches components inside of a paragraph between the tags', async () => {
    await open('index.html');
    await text('shade').toBe('light');
    await page.getByRole('button', { name: 'Shade' }).click();
    await text('shade').toBe('dark');
  });

  it('React of the page has reducers, stores, references with handles, HTML as text, lazy components and portals', async () => {
    await open('react.html');
    await page.getByRole('button', { name: 'Global 0 10 on' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Global 1 15 on' }).count()).toBe(1);
    await expect
      .poll(() =>
        page.getByLabel('field', { exact: true }).evaluate((field) => field === document.activeElement),
      )
      .toBe(true);
    await text('html').toContain('count 1');
    expect(await within('html').innerHTML()).not.toMatch(/script|onerror/);
    expect(await page.evaluate(() => 'ran' in window)).toBe(false);
    await text('waiting').toContain('Loaded');
    await page.getByRole('button', { name: 'Overlay' }).click();
    await expect.poll(() => page.locator('body > [role=dialog]').textContent()).toBe('Over the page');
    await page.getByRole('button', { name: 'Overlay' }).click();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    for (const name of ['First field', 'Second field']) await page.getByLabel(name).fill(name);
    expect(await page.getByLabel('First field').inputValue()).toBe('First field');
  });

  it('a component that throws keeps what was exported, and one that throws in the export is reported', async () => {
    await open('throws.html');
    await page.getByRole('button', { name: 'Break' }).click();
    await expect
      .poll(() => site.complaints.some((complaint) => complaint.includes('broken later')))
      .toBe(true);
    await expect.poll(() => page.getByText('Second paragraph.').isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Break' }).isVisible()).toBe(true);
    site.complaints.length = 0;
    const reported = site.site.diagnostics.filter(({ file }) => file === 'throws.mdx');
    expect(reported.map(({ code, line }) => [code, line])).toEqual([['code_failed', 7]]);
    expect(reported[0]?.message).toMatch(/^<Broken> shows nothing: TypeError/);
  });

  it('a component without state is plain HTML', () => {
    const html = site.site.content('still.html');
    expect(html).toContain(
      '<dl><dt>Install</dt><dd>Run <strong>it</strong>.</dd><dt>Use</dt><dd>Then use it.</dd></dl>',
    );
    expect(html).toContain('<b>3</b>');
    expect(html).toContain(
      '<div class="raw"><b class="x">Bold</b> &amp; <a href="react.html">link</a></div>',
    );
    expect(html).not.toMatch(/docyard-|bad\(/);
  });
});

/** Runs in the page. Omits attributes that only scripts or only the export set. */
function islandTrees(main: Element): string[] {
  const ignored = new Set([
    'value',
    'class',
    'style',
    'loading',
    'decoding',
    'width',
    'height',
    'data-of',
    'data-wired',
  ]);
  const treeOf = (node: Node): string => {
    if (node.nodeType === Node.TEXT_NODE) return node.textContent ?? '';
    if (!(node instanceof Element)) return '';
    const attributes = [...node.attributes]
      .filter(({ name }) => !ignored.has(name) && !name.startsWith('data-part'))
      .map(({ name, value }) => ` ${name}=${value}`)
      .toSorted();
    return `<${node.localName}${attributes.join('')}|${[...node.childNodes].map(treeOf).join('')}>`;
  };
  return [...main.querySelectorAll('docyard-island')].map(treeOf);
}
