import { compileFunction } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { GroupEntry, NavEntry } from '../navigation/tree.ts';
import { createSidebar } from './sidebar.ts';
import type { SiteLinks } from './site-links.ts';

const links: SiteLinks = {
  page: (prefix, route) => (route === 'gone' ? undefined : `${prefix}${route}.html`),
  file: (prefix, file) => prefix + file,
  address: (_prefix, address) => address,
  division: () => undefined,
  icon: () => '',
};

const page = (route: string): NavEntry => ({ kind: 'page', route });
const group = (label: string, entries: NavEntry[], root?: string): GroupEntry => ({
  kind: 'group',
  label,
  expanded: false,
  entries,
  ...(root ? { root } : {}),
});
const options = { links, infoOf: (name: string) => ({ title: name }), drilldown: false, more: 'More' };

function sidebar(entries: NavEntry[], route: string, drilldown = false): string {
  return createSidebar({ id: '7', entries }, { ...options, drilldown })
    .from('../')
    .textFor(route).text;
}

function files(entries: NavEntry[]): { path: string; content: string }[] {
  return createSidebar({ id: '7', entries }, options).files();
}

function numbered(count: number, prefix: string): NavEntry[] {
  return Array.from({ length: count }, (_, index) => page(`${prefix}${index}`));
}

describe('the mark of a page', () => {
  /** Multi-byte characters: byte and character offsets differ. */
  const infoOf = (name: string) => ({ title: `Über ${name} – 漢字` });
  const marked = (entries: NavEntry[], route: string): string =>
    createSidebar({ id: '7', entries }, { ...options, infoOf })
      .from('')
      .textFor(route).text;
  const current = /<a href="([^"]*)" aria-current="page">/g;
  const small = [page('a'), group('Größe', [page('b'), page('c')], 'root')];
  const large = [...small, ...numbered(200, 'more')];

  it.each([
    ['small', small, ['a', 'b', 'c']],
    ['large', large, ['a', 'b', 'c', 'more0', 'more60', 'more199']],
  ])('is at its own entry of a %s sidebar, with any names', (_size, entries, routes) => {
    for (const route of routes)
      expect([...marked(entries, route).matchAll(current)].map(([, href]) => href)).toEqual([
        `${route}.html`,
      ]);
    expect(marked(entries, 'root')).toContain(
      '<a class="dy-nav-label sidebar-title" href="root.html" aria-current="page">',
    );
    expect(marked(entries, 'unlisted')).not.toContain('aria-current');
  });
});

describe('the sidebar', () => {
  const entries = [
    group('Top', [page('a'), group('Inner', [page('b')], 'root'), group('Shut', [page('c')])]),
  ];

  it('marks the page and opens the groups that lead to it', () => {
    const html = sidebar(entries, 'b');
    expect(html).toContain('<a href="../b.html" aria-current="page"><span>b</span></a>');
    expect(html.match(/aria-current/g)).toHaveLength(1);
    expect(html).toContain(
      '<a class="dy-nav-label" href="../root.html"><span>Inner</span></a><details open><summary aria-label="Inner">',
    );
    expect(html).toMatch(/<details><summary><span class="dy-nav-label"><span>Shut/);
  });

  it('links a group label to its root page, or to its first page when drilldown is enabled', () => {
    expect(sidebar(entries, 'root')).toContain(
      '<a class="dy-nav-label" href="../root.html" aria-current="page"><span>Inner',
    );
    expect(sidebar(entries, 'a', true)).toContain('<a class="dy-nav-label" href="../c.html"><span>Shut');
  });

  it('omits pages that are not part of the output, and empty groups', () => {
    const html = sidebar([group('Top', [page('a'), page('gone')]), group('Empty', [page('gone')])], 'a');
    expect(html).not.toMatch(/gone|Empty/);
  });
});

describe('the sidebar of a large branch', () => {
  const large = [
    group(
      'Top',
      Array.from({ length: 20 }, (_, index) => group(`G${index}`, numbered(20, `p${index}-`))),
    ),
    group('Other', [page('other')]),
  ];

  it('shows the path to the page and its siblings; other groups link to their first page', () => {
    const html = sidebar(large, 'p3-4');
    expect(html).toContain('<a href="../p3-4.html" aria-current="page">');
    expect(html).toContain('href="../p3-19.html"');
    expect(html).not.toContain('p4-5');
    expect(html).toContain(
      '<li class="dy-nav-closed"><a class="dy-nav-label" href="../p4-0.html"><span>G4</span>',
    );
    expect(html).toContain(
      '<section class="dy-nav-group dy-nav-closed"><h2 class="sidebar-group-header"><a class="dy-nav-label sidebar-title" href="../other.html">',
    );
  });

  it('does not grow with the number of pages in one list', () => {
    const size = (count: number): number => sidebar([group('Top', numbered(count, 'p'))], 'p100').length;
    expect(size(5000) - size(500)).toBeLessThan(100);
    expect(sidebar([group('Top', numbered(5000, 'p'))], 'p100')).toContain('More …</a>');
  });

  it('is loaded from one shared script with addresses relative to the root', () => {
    expect(sidebar(large, 'p3-4')).toMatch(
      /^<div class="dy-nav-tree" data-nav="\.\.\/_docyard\/nav\/7\.js">/,
    );
    const [script, ...others] = files(large);
    expect(others).toEqual([]);
    expect(script?.path).toBe('_docyard/nav/7.js');
    expect(script?.content).toContain('<a href=\\"~/p19-19.html\\">');
    expect(script?.content).not.toContain('aria-current');
  });

  it('continues where the next entry is a link, and labels an unnamed group', () => {
    const entries = [
      ...numbered(40, 'p'),
      { kind: 'link', label: 'Out', href: 'https://out.example' } as const,
    ];
    const long = [group('Top', [...entries, ...numbered(200, 'q')]), group('', [page('z')])];
    expect(sidebar(long, 'p0')).toContain(
      '<li class="dy-nav-rest"><a href="https://out.example">More …</a></li>',
    );
    expect(sidebar(long, 'p0')).toContain('href="../z.html"><span>More …</span></a></h2>');
  });
});

describe('the sidebar of a very large branch', () => {
  const groups = Array.from({ length: 60 }, (_, index) =>
    group(`G${index}`, numbered(20, `p${index}-`), index === 5 ? 'own' : undefined),
  );
  const entries = [
    group('Top', groups.slice(0, 30)),
    group('Other', groups.slice(30)),
    group('Long', numbered(900, 'long')),
  ];
  const branch = createSidebar({ id: '7', entries }, options);
  const parts = branch.files();
  const facts =
    /data-nav-parts="([^"]+)"/.exec(branch.from('../').textFor('p0-0').text)?.[1]?.split(' ') ?? [];
  const starts = facts.slice(2).map(Number);

  function unitsOf(contents: string[]): string[][] {
    const units: string[][] = [];
    const docyard = {
      takeNavigation(fingerprint: string, first: number, list: string[][]): void {
        expect([fingerprint, first]).toEqual([facts[1], units.length]);
        units.push(...list);
      },
    };
    for (const content of contents) compileFunction(content, ['docyard'])(docyard);
    return units;
  }
  const units = unitsOf(parts.map(({ content }) => content));

  it('is divided into parts of a minimum size, which a page lists by their first unit', () => {
    expect(facts[0]).toBe('../_docyard/nav/7');
    expect(parts.map(({ path }) => path)).toEqual(starts.map((_, part) => `_docyard/nav/7-${part}.js`));
    expect(parts.length).toBeGreaterThan(2);
    for (const { content } of parts.slice(0, -1)) expect(content.length).toBeGreaterThanOrEqual(30_000);
    for (const { content } of parts) expect(content.length).toBeLessThan(60_000);
  });

  it('has a unit for each closed group, which links to its first page without JavaScript', () => {
    const html = branch.from('../').textFor('p0-0').text;
    const closed =
      /<li class="dy-nav-closed" data-nav="(\d+)"><a class="dy-nav-label" href="..\/p4-0.html">/.exec(html);
    expect(units[Number(closed?.[1])]?.[19]).toBe('<li><a href="~/p4-19.html"><span>p4-19</span></a></li>');
    expect(html).toMatch(
      /<li class="dy-nav-closed dy-nav-linked" data-nav="\d+"><a class="dy-nav-label" href="..\/own.html">/,
    );
    const section =
      /<section class="dy-nav-group dy-nav-closed" data-nav="(\d+)"><h2[^<>]*><a [^<>]*><span>Other</.exec(
        html,
      );
    const other = units[Number(section?.[1])];
    expect(other).toHaveLength(30);
    expect(other?.[0]).toMatch(
      /^<li class="dy-nav-closed" data-nav="\d+"><a class="dy-nav-label" href="~\/p30-0.html">/,
    );
  });

  it('continues a long list at both ends without duplicates or gaps', () => {
    const html = branch.from('').textFor('long450').text;
    const [before = '', after = ''] = Array.from(
      html.matchAll(/<li class="dy-nav-rest" data-nav="([^"]+)"/g),
      ([, asked = '']) => asked,
    );
    const seen = [
      ...followed(before, units).toReversed().flat(),
      ...html.matchAll(/<li(?: data-active="true")?><a href="(long\d+)/g),
      ...followed(after, units).flat(),
    ];
    const routes = seen.map((item) => (typeof item === 'string' ? item : item[1]));
    expect(routes).toEqual(Array.from({ length: 900 }, (_, index) => `long${index}`));
  });

  it('changes its units only when the navigation changes', () => {
    const titled = { ...options, infoOf: (name: string) => ({ title: `Another ${name}` }) };
    const fingerprint = (entriesNow: NavEntry[], with_ = options): string | undefined =>
      /data-nav-parts="\S+ (\w+)/.exec(
        createSidebar({ id: '7', entries: entriesNow }, with_).from('').textFor('').text,
      )?.[1];
    expect(fingerprint(entries, titled)).toBe(facts[1]);
    expect(fingerprint([...entries, page('new')])).not.toBe(facts[1]);
  });

  it('has a bounded number of parts at any size', () => {
    const huge = Array.from({ length: 400 }, (_, index) =>
      group(`G${index}`, numbered(200, `a-page-with-a-name-${index}-`)),
    );
    expect(files(huge).length).toBeLessThanOrEqual(64);
  });
});

function followed(asked: string, units: string[][]): string[][] {
  if (asked === '') return [];
  const [unit = 0, from, to] = asked.split(' ').map(Number);
  const pieces = units[unit]?.slice(from, to) ?? [];
  const routes = pieces.flatMap((piece) => /^<li><a href="~\/([^.]+)/.exec(piece)?.[1] ?? []);
  const next = pieces
    .map((piece) => /^<li class="dy-nav-rest" data-nav="([^"]+)"/.exec(piece)?.[1])
    .find(Boolean);
  return [routes, ...followed(next ?? '', units)];
}
