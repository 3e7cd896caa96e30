import { describe, expect, it } from 'vitest';
import type { GroupEntry, NavEntry } from '../navigation/tree.ts';
import { createSidebar, wholeSidebarHtml } from './sidebar.ts';
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
  return createSidebar(entries, '../', { ...options, drilldown }).htmlFor(route);
}

function numbered(count: number, prefix: string): NavEntry[] {
  return Array.from({ length: count }, (_, index) => page(`${prefix}${index}`));
}

describe('the sidebar', () => {
  const entries = [
    group('Top', [page('a'), group('Inner', [page('b')], 'root'), group('Shut', [page('c')])]),
  ];

  it('marks the page and opens the groups that lead to it', () => {
    const html = sidebar(entries, 'b');
    expect(html).toContain('<a href="../b.html" aria-current="page"><span>b</span></a>');
    expect(html.match(/aria-current/g)).toHaveLength(1);
    expect(html).toContain(
      '<a class="nav-label" href="../root.html"><span>Inner</span></a><details open><summary aria-label="Inner">',
    );
    expect(html).toMatch(/<details><summary><span class="nav-label"><span>Shut/);
  });

  it('leads from the name of a group to its own page, or to its first when the site asks for it', () => {
    expect(sidebar(entries, 'root')).toContain(
      '<a class="nav-label" href="../root.html" aria-current="page"><span>Inner',
    );
    expect(sidebar(entries, 'a', true)).toContain('<a class="nav-label" href="../c.html"><span>Shut');
  });

  it('leaves out pages that are not part of the output, and groups left empty', () => {
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

  it('shows the way to the page and what stands beside it; other groups lead to their first page', () => {
    const html = sidebar(large, 'p3-4');
    expect(html).toContain('<a href="../p3-4.html" aria-current="page">');
    expect(html).toContain('href="../p3-19.html"');
    expect(html).not.toContain('p4-5');
    expect(html).toContain('<li class="nav-closed"><a class="nav-label" href="../p4-0.html"><span>G4</span>');
    expect(html).toContain(
      '<section class="nav-group nav-closed"><h2><a class="nav-label" href="../other.html">',
    );
  });

  it('does not grow with the number of pages in one list', () => {
    const size = (count: number): number => sidebar([group('Top', numbered(count, 'p'))], 'p100').length;
    expect(size(5000) - size(500)).toBeLessThan(50);
    expect(sidebar([group('Top', numbered(5000, 'p'))], 'p100')).toContain('More …</a>');
  });

  it('is whole in the script that its pages share, with addresses from the root', () => {
    const html = wholeSidebarHtml(large, options);
    expect(html).toContain('<a href="~/p19-19.html">');
    expect(html).not.toContain('aria-current');
  });
});
