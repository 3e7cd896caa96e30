import { describe, expect, test } from 'vitest';
import { makeSite, startServer } from '../../test/support/served-releases.ts';
import { markdownOf, prefersMarkdown } from './markdown-preference.ts';

const files = {
  'index.html': '<h1>Home</h1>',
  'index.md': '# Home',
  'guide.html': '<h1>Guide</h1>',
  'guide.md': '# Guide',
  'deep/index.html': '<h1>Deep</h1>',
  'deep.md': '# Deep',
  'bare.html': '<h1>Bare</h1>',
  '404.html': 'not found',
};

describe('a client that accepts Markdown', () => {
  test.each([
    ['/', '# Home'],
    ['/guide', '# Guide'],
    ['/deep/', '# Deep'],
    ['/bare', '<h1>Bare</h1>'],
    ['/none', 'not found'],
  ])('gets it at %s if the page has it', async (path, text) => {
    const { get } = await startServer(await makeSite(files));
    expect((await get(path, { Accept: 'text/markdown, text/html, */*' })).text).toBe(text);
  });

  test('gets another ETag than a browser, and caches know why', async () => {
    const { get } = await startServer(await makeSite(files));
    const [page, markdown] = [await get('/guide'), await get('/guide', { Accept: 'text/markdown' })];
    expect([page.headers['content-type'], markdown.headers['content-type']]).toEqual([
      'text/html; charset=utf-8',
      'text/markdown; charset=utf-8',
    ]);
    expect(page.headers['etag']).not.toBe(markdown.headers['etag']);
    expect([page.headers['vary'], markdown.headers['vary']]).toEqual(['Accept', 'Accept']);
    expect((await get('/bare')).headers['vary']).toBeUndefined();
  });
});

test.each([
  [undefined, false],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
  ['*/*', false],
  ['text/markdown', true],
  ['Text/HTML, text/markdown', true],
  ['text/markdown;q=0.5, text/html', false],
  ['text/markdown;q=0, */*', false],
  ['text/html;q=0.5, text/markdown;q=0.9', true],
])('Accept: %s prefers Markdown: %s', (accept, preferred) => {
  expect(prefersMarkdown(accept)).toBe(preferred);
});

test.each([
  ['index.html', 'index.md'],
  ['guide.html', 'guide.md'],
  ['guides/index.html', 'guides.md'],
  ['assets/site.css', undefined],
])('the Markdown of %s is %s', (page, markdown) => {
  expect(markdownOf(page)).toBe(markdown);
});
