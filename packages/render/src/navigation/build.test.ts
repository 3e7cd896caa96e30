import { describe, expect, it } from 'vitest';
import { mapNavigation } from './branches.ts';
import { buildNavigation } from './build.ts';

const pages = new Set(['a', 'b', 'c', 'd', 'e']);

function build(navigation: unknown): ReturnType<typeof buildNavigation> {
  const source = {
    file: 'docs.json',
    text: JSON.stringify(navigation),
    config: { navigation },
    diagnostics: [],
  };
  return buildNavigation(source, (name) => (pages.has(name) ? name : undefined));
}

function branchesOf(navigation: unknown): string[] {
  const { branches } = mapNavigation(build(navigation).root);
  return branches.map(({ steps, entries }) => {
    const way = steps.map(({ division }) => division.label).join(' > ');
    return `${way}: ${JSON.stringify(entries.map((entry) => (entry.kind === 'page' ? entry.route : entry)))}`;
  });
}

describe('navigation shapes', () => {
  it('takes pages, groups and tabs', () => {
    expect(branchesOf({ pages: ['a', 'b'] })).toEqual([': ["a","b"]']);
    expect(
      branchesOf({
        tabs: [
          { tab: 'One', pages: ['a'] },
          { tab: 'Two', pages: ['b'] },
        ],
      }),
    ).toEqual(['One: ["a"]', 'Two: ["b"]']);
  });

  it('goes through versions, dropdowns, anchors and products in any order', () => {
    const navigation = {
      versions: [
        { version: 'v1', dropdowns: [{ dropdown: 'Docs', pages: ['a'] }] },
        {
          version: 'v2',
          default: true,
          anchors: [{ anchor: 'Guide', products: [{ product: 'X', pages: ['b'] }] }],
        },
      ],
    };
    expect(branchesOf(navigation)).toEqual(['v2 > Guide > X: ["b"]', 'v1 > Docs: ["a"]']);
  });

  it('leaves out hidden and empty divisions, and keeps those that only link', () => {
    const { root } = build({
      tabs: [
        { tab: 'Docs', pages: ['a'] },
        { tab: 'Secret', hidden: true, pages: ['b'] },
        { tab: 'Empty', pages: [] },
        { tab: 'Blog', href: 'https://example.com' },
      ],
    });
    expect(root.switchers[0]?.divisions.map(({ label }) => label)).toEqual(['Docs', 'Blog']);
  });

  it('reads in order, each page once, with its neighbours and groups', () => {
    const { order, places } = mapNavigation(
      build({ groups: [{ group: 'G', root: 'a', pages: ['b', { group: 'H', pages: ['c', 'a'] }] }] }).root,
    );
    expect(order).toEqual(['a', 'b', 'c']);
    expect(places.get('c')).toMatchObject({ trail: ['G', 'H'], trailRoutes: ['a', 'c'], index: 2 });
    expect(places.get('a')).toMatchObject({ trail: [], index: 0, group: { label: 'G' } });
    expect(places.get('a')?.branch.pages).toEqual(['a', 'b', 'c']);
  });

  it('tells of missing pages, operations and generated parts', () => {
    const { diagnostics } = build({
      groups: [
        { group: 'G', pages: ['a', 'nope', 'GET /users', 'spec.json POST /x'] },
        { group: 'API', openapi: 'spec.json' },
      ],
    });
    expect(diagnostics.map(({ code }) => code)).toEqual([
      'nav_page_missing',
      'openapi_page_skipped',
      'openapi_page_skipped',
      'openapi_page_skipped',
    ]);
  });
});
