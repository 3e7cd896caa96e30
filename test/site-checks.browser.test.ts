/** The checks that other tests and commands use detect problems; otherwise they would prove nothing. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { browse, chromiumPath, launchChromium, sample } from '../scripts/measure/browser.ts';
import { crawl } from '../scripts/measure/crawl.ts';
import { findSites } from '../scripts/measure/find-sites.ts';
import { pagesLeftOut } from '../scripts/measure/navigation.ts';
import { temporaryFolder } from './service.ts';

function folderWith(files: Record<string, string>): string {
  const folder = temporaryFolder('checks');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

describe('following addresses', () => {
  test('finds what leads nowhere, to another host or depends on the host', () => {
    const folder = folderWith({
      'index.html': `<a href="a/b.html#there">ok</a><a href="a/b.html#gone">x</a><a href="gone.html">x</a>
        <a href="/a/b.html">x</a><a href="https://example.com/">ok</a><a href="#">ok</a><a href="mailto:a@b.c">ok</a>
        <img src="https://example.com/a.png"><img src="with%20space.svg" srcset="gone.png 2x">
        <!-- <a href="in-a-comment.html"></a> --><link rel="canonical" href="https://example.com/">`,
      'a/b.html':
        '<h2 id="there">There</h2><a href="../index.html?q=1">ok</a><a href="../../outside.html">x</a>',
      'with space.svg': '<svg/>',
    });
    expect(crawl(folder).map(({ page, address, why }) => `${page} ${address}: ${why}`)).toEqual([
      'a/b.html ../../outside.html: no such file',
      'index.html a/b.html#gone: no such id',
      'index.html gone.html: no such file',
      'index.html /a/b.html: depends on the host',
      'index.html https://example.com/a.png: asks another host',
      'index.html gone.png: no such file',
    ]);
  });
});

describe('reading the navigation', () => {
  test('finds pages that exist and were left out, also behind a reference', () => {
    const pages = [{ group: 'G', root: 'root', pages: ['/one', 'two/', 'missing', { page: 'three' }] }];
    const root = folderWith({
      'docs.json': JSON.stringify({
        navigation: { tabs: [{ tab: 'T', groups: { $ref: 'more/nav.json' } }] },
      }),
      'more/nav.json': JSON.stringify([...pages, { group: 'H', hidden: true, pages: ['hidden'] }]),
      ...Object.fromEntries(
        ['root', 'one', 'two/index', 'three', 'hidden'].map((name) => [`${name}.mdx`, '']),
      ),
    });
    expect(pagesLeftOut(root, new Set(['one.html']))).toEqual(['root', 'two/index', 'three']);
  });

  test('finds sites in folders', () => {
    const folder = folderWith({ 'a/deep/docs.json': '{}', 'b/mint.json': '{}', 'c/readme.txt': '' });
    expect(
      findSites([folder], folder).map(({ name, root }) => [name, root.slice(folder.length + 1)]),
    ).toEqual([
      ['a', 'a/deep'],
      ['b', 'b'],
    ]);
    expect(() => findSites([join(folder, 'c')], folder)).toThrow(/no site/);
  });
});

describe.skipIf(chromiumPath === undefined)('opening pages', () => {
  test('the page check reports external requests, failed requests, console errors and CSP violations', async () => {
    const page = (policy: string, body: string) =>
      `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><body>${body}`;
    const folder = folderWith({
      'fine.html': page("default-src 'self'", '<script src="fine.js"></script>'),
      'fine.js': 'document.title = "fine"',
      'other-host.html': page('img-src *', '<img src="http://example.com/a.png" loading="lazy">'),
      'missing.html': page("img-src 'self'", '<img src="gone.png">'),
      'policy.html': page("default-src 'none'", '<img src="fine.js"><style>p{}</style>'),
      'script.html': page("script-src 'self'", '<script src="bad.js"></script>'),
      'bad.js': 'console.error("said so"); throw new Error("thrown")',
    });
    const browser = await launchChromium();
    try {
      const names = ['fine', 'other-host', 'missing', 'policy', 'script'].map((name) => `${name}.html`);
      const complaints = await browse(browser, folder, names, 'http');
      const problemsOf = (name: string) =>
        complaints.filter((text) => text.startsWith(`${name}.html`)).join('\n');
      expect(problemsOf('fine')).toBe('');
      expect(problemsOf('other-host')).toContain('asks for http://example.com/a.png');
      expect(problemsOf('missing')).toContain('404 for gone.png');
      expect(problemsOf('policy')).toMatch(/policy: img-src/);
      expect(problemsOf('policy')).toMatch(/policy: style-src/);
      expect(problemsOf('script')).toContain('console: said so');
      expect(problemsOf('script')).toContain('script: thrown');
    } finally {
      await browser.close();
    }
  });

  test('samples evenly, with the first and the last', () => {
    expect(sample(['a', 'b', 'c', 'd', 'e'], 3)).toEqual(['a', 'c', 'e']);
    expect(sample(['a'], 3)).toEqual(['a']);
  });
});
