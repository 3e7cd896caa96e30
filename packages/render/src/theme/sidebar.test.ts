import { describe, expect, it } from 'vitest';
import type { Branch, GroupEntry, NavEntry } from '../navigation/tree.ts';
import { SidebarTemplate } from './sidebar.ts';
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

function sidebar(entries: NavEntry[], route: string): string {
  const branch: Branch = { id: '0', steps: [], asides: [], globals: [], entries };
  return new SidebarTemplate(branch, '../', { links, infoOf: (name) => ({ title: name }) }).htmlFor(route);
}

describe('the sidebar', () => {
  const entries = [
    group('Top', [page('a'), group('Inner', [page('b')], 'root'), group('Shut', [page('c')])]),
  ];

  it('marks the page and opens the groups that lead to it', () => {
    const html = sidebar(entries, 'b');
    expect(html).toContain('<a href="../b.html" aria-current="page">b</a>');
    expect(html.match(/aria-current/g)).toHaveLength(1);
    expect(html).toMatch(/<details open><summary><span>Inner/);
    expect(html).toMatch(/<details><summary><span>Shut/);
  });

  it('lists the page of a group first in it', () => {
    expect(sidebar(entries, 'root')).toMatch(
      /<ul><li><a href="..\/root.html" aria-current="page">root<\/a><\/li><li><a href="..\/b.html">/,
    );
  });

  it('leaves out pages that are not part of the output, and groups left empty', () => {
    const html = sidebar([group('Top', [page('a'), page('gone')]), group('Empty', [page('gone')])], 'a');
    expect(html).not.toMatch(/gone|Empty/);
  });

  it('does not carry the whole of a large branch on every page', () => {
    const large = Array.from({ length: 20 }, (_, index) =>
      group(
        `G${index}`,
        Array.from({ length: 20 }, (_unused, at) => page(`p${index}-${at}`)),
      ),
    );
    const html = sidebar([group('Top', large)], 'p3-4');
    expect(html).toContain('href="../p3-19.html"');
    expect(html).not.toContain('p4-5');
    expect(html).toContain('<a href="../p4-0.html">Open this section</a>');
  });
});
