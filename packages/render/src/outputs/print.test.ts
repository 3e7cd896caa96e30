import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../model/diagnostic.ts';
import { loadSite } from '../pipeline/load.ts';
import { addressesFor } from '../navigation/addresses.ts';
import type { PageTask } from '../model/page.ts';
import { renderFiles, withFolder } from '../../test/support/render-fixture.ts';
import { planSite } from '../pipeline/site-plan.ts';
import type { OutputContext } from './contract.ts';
import { PrintPages } from './print-pages.ts';
import { printOutput } from './print.ts';
import { decodedText } from '../text/encoded-text.ts';
import { addressMarker, printedAddress, printedSection } from './print-section.ts';

const config = (navigation: unknown): string =>
  JSON.stringify({ name: 'Boats', theme: 'mint', colors: { primary: '#0f766e' }, navigation });

describe('print.html', () => {
  test('contains every page in navigation order, with internal links', async () => {
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

  test('contains the default language and version only', async () => {
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
    expect(files.get('print/start.html')).toContain('<a class="link" href="#p/0">First</a>');
    expect(files.get('print/start.html')).toContain(
      '<a class="link" href="../print/all-the-rest.html#p/500">Last</a>',
    );
  }, 60_000);

  test('splits a section between pages above the size limit', async () => {
    const large = `<p>${'x'.repeat(1_600_000)}</p>`;
    const { files } = await printed({
      a: `<a href="d.html">Last</a>${large}`,
      b: large,
      c: large,
      d: `<a href="a.html#top">First</a><a href="c.html">Before</a>${large}`,
    });
    expect(new Map([...files].map(([path, html]) => [path, idsOf(html)]))).toEqual(
      new Map([
        ['print/guide.html', ['a', 'b']],
        ['print/guide-2.html', ['c', 'd']],
        ['print.html', []],
      ]),
    );
    for (const html of files.values()) expect(html.length).toBeLessThan(5_000_000);
    expect(files.get('print.html')).toContain('<a href="print/guide-2.html">Guide (2 of 2)</a> (2 pages)');
    expect(files.get('print/guide.html')).toContain('<a href="../print/guide-2.html#d">Last</a>');
    expect(files.get('print/guide-2.html')).toContain('<a href="../print/guide.html#a:top">First</a>');
    expect(files.get('print/guide-2.html')).toContain('<a href="#c">Before</a>');
  });

  test('reports the omitted pages of a very large site', async () => {
    const { files, findings } = await printed(
      { a: 'x'.repeat(600), b: 'x'.repeat(600), c: '' },
      { limit: 1000 },
    );
    expect(idsOf(files.get('print.html') ?? '')).toEqual(['a']);
    expect(findings).toEqual([
      {
        severity: 'warning',
        code: 'print_cut',
        message: 'The site exceeds the size limit for printing: the last 2 pages are omitted',
        file: 'docs.json',
      },
    ]);
  });
});

function idsOf(html: string): (string | undefined)[] {
  return [...html.matchAll(/<h2 id="([^"]*)"/g)].map(([, id]) => id);
}

async function printed(pages: Record<string, string>, room: { limit?: number } = {}) {
  const routes = Object.keys(pages);
  const sources = {
    'docs.json': config({ groups: [{ group: 'Guide', pages: routes }] }),
    ...Object.fromEntries(routes.map((route) => [`${route}.mdx`, '# Page'])),
  };
  return withFolder(sources, async (root) => {
    const site = await loadSite({ root });
    const plan = planSite(site, {});
    const addresses = addressesFor('html', plan.routes);
    const print = new PrintPages(site, plan, addresses, room);
    for (const [route, html] of Object.entries(pages))
      print.add({ route } as PageTask, [], () => ({
        lead: '',
        html: Buffer.from(html),
        aside: Buffer.alloc(0),
      }));
    const context = { site, plan, print, addresses, pages: [] } as unknown as OutputContext;
    const files = new Map<string, string>();
    const findings: Diagnostic[] = [];
    for await (const item of printOutput(context)) {
      if ('finding' in item) findings.push(item.finding);
      else if ('content' in item && item.path.endsWith('.html'))
        files.set(item.path, Buffer.from(item.content).toString());
    }
    return { files, findings };
  });
}

describe('a page in a print document', () => {
  const page = { route: 'a/b', href: 'a/b.html' };
  const document = {
    prefix: '',
    printedAt: (path: string) =>
      path === 'c.html'
        ? { route: 'c', document: '' }
        : path === 'd.html'
          ? { route: 'd', document: '../print/d-2.html' }
          : undefined,
  };

  test.each([
    ['<h1>x</h1><h6>y</h6>', '<h2>x</h2><h6>y</h6>'],
    ['<p id="x"><label for="x">', '<p id="a/b:x"><label for="a/b:x">'],
    ['<a href="#p-&amp;-q">', '<a href="#a/b:p-&amp;-q">'],
    ['<a href="../c.html">', '<a href="#c">'],
    ['<a class="x" href="../d.html#y">', '<a class="x" href="../print/d-2.html#d:y">'],
    ['<span class="id">a</span><!-- <h1 id="x"> -->', '<span class="id">a</span><!-- <h1 id="x"> -->'],
    ['<a href="../c.html?x=1&amp;y=2">', '<a href="c.html?x=1&amp;y=2">'],
    ['<a href="https://example.com/a?b&amp;c">', '<a href="https://example.com/a?b&amp;c">'],
    ['<a href="mailto:a@b.c">', '<a href="mailto:a@b.c">'],
    [
      '<img src="../i/x.png" srcset="../i/x.png 1x, ../i/y.png 2x">',
      '<img src="i/x.png" srcset="i/x.png 1x, i/y.png 2x">',
    ],
    ['<img srcset="../i/x.png, ../i/y.png">', '<img srcset="i/x.png, i/y.png">'],
    [
      '<path style="a:url(#b);c:url(#d)" fill=url(#e)>',
      '<path style="a:url(#a/b:b);c:url(#a/b:d)" fill=url(#e)>',
    ],
    ['<path marker-end="url(#tip)">', '<path marker-end="url(#a/b:tip)">'],
    ['<section class="dy-tab" aria-label="curl">x</section>', '<div class="dy-tab">x</div>'],
    ['<nav role="list" class="x"><p role="list"></nav >', '<div class="x"><p role="list"></div>'],
    ['<h7 id="x"><h26><hr><header-x>', '<h7 id="a/b:x"><h26><hr><header-x>'],
    [
      '<video poster="//h/p.png" src="#"><a href="">',
      '<video poster="//h/p.png" src="#"><a href="a/b.html">',
    ],
    ['<img loading="lazy" alt="a" decoding="async">', '<img alt="a">'],
    ['<td headers="one  two" title="id=">', '<td headers="a/b:one  a/b:two" title="id=">'],
    ['a \0 < b <!-- <p> --> <', 'a  < b <!-- <p> --> <'],
    ['<p id="x" <p id="y">', '<p id="x" <p id="y">'],
    ['<p id="x', '<p id="x'],
    ['<details open><details class="x">', '<details open><details open class="x">'],
    ['<code>&lt;h1 id="x"&gt;</code>', '<code>&lt;h1 id="x"&gt;</code>'],
    ['<h2 id="à-日">à “日”\u00a0</h2>', '<h3 id="a/b:à-日">à “日”\u00a0</h3>'],
    ['<label for="à x\u00a0y">', '<label for="a/b:à a/b:x\u00a0y">'],
    ['<a href="../à.html?b=日&amp;c#日">', '<a href="%C3%A0.html?b=%E6%97%A5&amp;c#日">'],
    ['<span class="dy-k" id="x"><span class="t-kk">', '<span class="dy-k" id="a/b:x"><span class="t-kk">'],
  ])('is rewritten: %s', (html, expected) => {
    const { content, addresses } = printedSection([Buffer.from(html)], page);
    const written = addresses.map((address) => printedAddress(address, document));
    expect(
      decodedText(content)
        .split(addressMarker)
        .map((part, at) => part + (written[at] ?? ''))
        .join(''),
    ).toBe(expected);
  });
});
