import { describe, expect, it } from 'vitest';
import { mapNavigation } from './branches.ts';
import { type ApiNavigation, buildNavigation } from './build.ts';

const pages = new Set(['a', 'b', 'c', 'd', 'e']);

function build(navigation: unknown, api?: ApiNavigation): ReturnType<typeof buildNavigation> {
  const source = {
    file: 'docs.json',
    text: JSON.stringify(navigation),
    config: { navigation },
    diagnostics: [],
  };
  return buildNavigation(
    source,
    (name) => (pages.has(name) ? name : undefined),
    () => false,
    api,
  );
}

function branchesOf(navigation: unknown): string[] {
  const { branches } = mapNavigation(build(navigation).root);
  return branches.map(({ steps, entries }) => {
    const way = steps.map(({ division }) => division.label).join(' > ');
    return `${way}: ${JSON.stringify(entries.map((entry) => (entry.kind === 'page' ? entry.route : entry)))}`;
  });
}

describe('navigation shapes', () => {
  it('supports pages, groups and tabs', () => {
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

  it('support versions, dropdowns, anchors and products in any order', () => {
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

  it('omit hidden and empty divisions, and keep those with only links', () => {
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

  it('yield each page once in reading order, with its neighbors and groups', () => {
    const { order, places } = mapNavigation(
      build({ groups: [{ group: 'G', root: 'a', pages: ['b', { group: 'H', pages: ['c', 'a'] }] }] }).root,
    );
    expect(order).toEqual(['a', 'b', 'c']);
    expect(places.get('c')).toMatchObject({ trail: ['G', 'H'], trailRoutes: ['a', 'c'], index: 2 });
    expect(places.get('a')).toMatchObject({ trail: [], index: 0, group: { label: 'G' } });
    expect(places.get('a')?.branch.pages).toEqual(['a', 'b', 'c']);
  });

  it('report missing pages and unsupported references', () => {
    const { diagnostics } = build({
      groups: [
        { group: 'G', pages: ['a', 'nope'] },
        { group: 'Symbols', sdk: { source: 'types.json', format: 'typedoc' } },
      ],
    });
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ['nav_page_missing', 'The navigation lists "nope", which does not exist'],
      ['reference_unsupported', 'No pages are generated from "types.json" (sdk)'],
    ]);
  });

  it('pass the enclosing API descriptions when operations are resolved', () => {
    const asked: string[] = [];
    const api: ApiNavigation = {
      page: (reference, sources) => {
        asked.push(`${reference.kind} of ${sources.map(({ source }) => source).join()}`);
        return { route: 'made' };
      },
      expand: (sources) => {
        asked.push(`all of ${sources.map(({ source }) => source).join()}`);
        return { entries: [{ kind: 'page', route: 'expanded' }], findings: [] };
      },
    };
    const { root, specsAround } = build(
      {
        tabs: [
          { tab: 'One', openapi: 'one.json', groups: [{ group: 'G', pages: ['a', 'GET /x'] }] },
          { tab: 'Two', openapi: ['two.json', { source: 'three.json' }] },
          { tab: 'Hidden', hidden: true, asyncapi: 'four.json' },
        ],
      },
      api,
    );
    expect(asked).toEqual(['operation of one.json', 'all of two.json,three.json', 'all of four.json']);
    expect(mapNavigation(root).order).toEqual(['a', 'made', 'expanded']);
    expect(specsAround.get('a')).toEqual([{ source: 'one.json', overlays: [] }]);
  });
});

describe('a level that names several kinds of divisions', () => {
  const versions = [
    { version: 'v2', tabs: [{ tab: 'One', pages: ['a', 'b'] }] },
    { version: 'v1', tabs: [{ tab: 'One', pages: ['a'] }] },
  ];

  it('shows repeated tabs once and names the ignored key', () => {
    const navigation = { versions, tabs: [{ tab: 'One', pages: ['a', 'b'] }] };
    expect(branchesOf(navigation)).toEqual(['v2 > One: ["a","b"]', 'v1 > One: ["a"]']);
    expect(build(navigation).diagnostics).toEqual([
      expect.objectContaining({
        severity: 'warning',
        code: 'nav_mixed',
        message: '2 entries of "tabs" beside "versions" repeat what "versions" holds and are ignored',
        hint: 'Move "tabs" into the entries of "versions" that they belong to.',
      }),
    ]);
  });

  it('loses no page', () => {
    expect(branchesOf({ versions, groups: [{ group: 'More', pages: ['a', 'c'] }], pages: ['d'] })).toEqual([
      expect.stringMatching(/^v2 > One: .*"c".*"d"/),
      expect.stringMatching(/^v1 > One: .*"c".*"d"/),
    ]);
  });

  it('reports which entries received the other keys', () => {
    const navigation = { languages: [{ language: 'en' }, { language: 'fr', pages: ['b'] }], pages: ['a'] };
    expect(branchesOf(navigation)).toEqual(['en: ["a"]', 'fr: ["b"]']);
    expect(build(navigation).diagnostics.map(({ message }) => message)).toEqual([
      '"pages" beside "languages" belong to the entries of "languages" without navigation (en) and are shown only there',
    ]);
  });
});
