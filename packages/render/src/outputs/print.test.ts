/** The whole site in one document: what it holds, and how pages become parts of it. */
import { describe, expect, test } from 'vitest';
import { renderFiles } from '../render-fixture.ts';
import { printedSection } from './print-section.ts';

const config = (navigation: unknown): string =>
  JSON.stringify({ name: 'Boats', theme: 'mint', colors: { primary: '#0f766e' }, navigation });

describe('print.html', () => {
  test('holds every page in the order of the navigation, with links that stay inside', async () => {
    const { files } = await renderFiles({
      'docs.json': config({ groups: [{ group: 'Guide', pages: ['b', 'deep/a'] }] }),
      'b.mdx':
        '---\ntitle: Second first\n---\n\n## Part\n\n[Further](/deep/a#end) [Here](#part) [Hidden](/hidden)',
      'deep/a.mdx':
        '---\ntitle: A\n---\n\n## End\n\n<Accordion title="More">inside</Accordion>\n\n![Boat](/boat.svg)',
      'hidden.mdx': '# Hidden',
      'boat.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    });
    const html = files.get('print.html') ?? '';
    expect([...html.matchAll(/<h2 id="([^"]*)"/g)].map(([, id]) => id)).toEqual(['b', 'deep/a']);
    expect(html).toMatch(/<h3 id="b:part"/);
    expect(html).toContain('href="#deep/a:end"');
    expect(html).toContain('href="#b:part"');
    expect(html).toContain('href="hidden.html"');
    expect(html).toMatch(/<details open[^>]*>/);
    expect(html).toMatch(/<img[^>]* src="boat\.svg"/);
    expect(html).not.toMatch(/loading="lazy"|<script|<style|\sstyle=/);
    expect(html).toContain('<meta name="robots" content="noindex">');
    expect(html).not.toContain('>Hidden</h2>');
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('is in one language and one version: those that readers meet first', async () => {
    const { files } = await renderFiles({
      'docs.json': config({
        languages: [
          { language: 'de', pages: ['de/eins'] },
          {
            language: 'en',
            default: true,
            versions: [
              { version: 'v2', pages: ['two'] },
              { version: 'v1', pages: ['one'] },
            ],
          },
        ],
      }),
      'de/eins.mdx': '# Eins',
      'two.mdx': '# Two',
      'one.mdx': '# One',
    });
    const html = files.get('print.html') ?? '';
    expect([...html.matchAll(/<h2 id="([^"]*)"/g)].map(([, id]) => id)).toEqual(['two']);
    expect(html).toMatch(/<html lang="en"/);
  });

  test('is a list of parts when the site has more than 500 pages', async () => {
    const routes = Array.from({ length: 501 }, (_, index) => `p/${index}`);
    const { files } = await renderFiles({
      'docs.json': config({
        tabs: [
          { tab: 'Start', pages: routes.slice(0, 2) },
          { tab: 'All the rest!', pages: routes.slice(2) },
        ],
      }),
      ...Object.fromEntries(routes.map((route) => [`${route}.mdx`, '[First](/p/0) [Last](/p/500)'])),
    });
    expect([...files.keys()].filter((path) => path.startsWith('print'))).toEqual([
      'print/start.html',
      'print/all-the-rest.html',
      'print.html',
    ]);
    expect(files.get('print.html')).toContain(
      '<a href="print/all-the-rest.html">All the rest!</a> (499 pages)',
    );
    expect(files.get('print/start.html')).toContain('<a href="#p/0">First</a>');
    expect(files.get('print/start.html')).toContain('<a href="../p/500.html">Last</a>');
  }, 60_000);
});

describe('a page as a part', () => {
  const place = {
    route: 'a/b',
    href: 'a/b.html',
    prefix: '',
    printedAt: (path: string) => (path === 'c.html' ? 'c' : undefined),
  };

  test.each([
    ['<h1>x</h1><h6>y</h6>', '<h2>x</h2><h6>y</h6>'],
    ['<p id="x"><label for="x">', '<p id="a/b:x"><label for="a/b:x">'],
    ['<a href="#p-&amp;-q">', '<a href="#a/b:p-&amp;-q">'],
    ['<a href="../c.html">', '<a href="#c">'],
    ['<a href="../c.html?x=1&amp;y=2">', '<a href="c.html?x=1&amp;y=2">'],
    ['<a href="https://example.com/a?b&amp;c">', '<a href="https://example.com/a?b&amp;c">'],
    ['<a href="mailto:a@b.c">', '<a href="mailto:a@b.c">'],
    [
      '<img src="../i/x.png" srcset="../i/x.png 1x, ../i/y.png 2x">',
      '<img src="i/x.png" srcset="i/x.png 1x, i/y.png 2x">',
    ],
    ['<path marker-end="url(#tip)">', '<path marker-end="url(#a/b:tip)">'],
    ['<section class="tab" aria-label="curl">x</section>', '<div class="tab">x</div>'],
    ['<details open><details class="x">', '<details open><details open class="x">'],
    ['<code>&lt;h1 id="x"&gt;</code>', '<code>&lt;h1 id="x"&gt;</code>'],
  ])('%s', (html, expected) => {
    expect(printedSection(html, place)).toBe(expected);
  });
});
