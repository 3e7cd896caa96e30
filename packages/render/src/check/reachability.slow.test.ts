import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Branch, Division } from '../navigation/tree.ts';
import { fixture, renderFiles, renderFixture, renderFolder } from '../../test/support/render-fixture.ts';
import { unreachableEntries } from './reachability.ts';
import type { NavigationOutput } from '../theme/navigation-output.ts';

vi.mock(import('../pipeline/process-pool.ts'), () => import('../../test/support/in-process-pool.ts'));

function branch(name: string, pages: string[]): Branch {
  const division: Division = {
    kind: 'version',
    label: name,
    isDefault: false,
    section: { entries: [], switchers: [], globals: [] },
  };
  const switcher = { kind: 'version', divisions: [division] } as const;
  const steps = [{ switcher: { ...switcher, divisions: [division] }, division }];
  return { id: name, name, steps, asides: [], globals: [], entries: [], pages };
}

function output(
  branches: Branch[],
  links: Record<string, string[]>,
  bare: Record<string, string[]> = {},
): NavigationOutput {
  const [first] = branches;
  const namesOf = (route: string): string[] =>
    branches.filter(({ pages }) => pages.includes(route)).map(({ name }) => name);
  return {
    home: first && { route: first.pages[0] ?? '', branch: first },
    branches,
    viewOf: ({ name }) => linked(links[name] ?? []),
    bareViewOf: (route) => bare[route] && linked(bare[route]),
    routeAt: (address) => address.replace('.html', ''),
    namesOf,
    isShown: () => true,
  };
}

function linked(addresses: string[]) {
  return { prefix: '../', html: addresses.map((address) => `<a class="x" href="../${address}">`) };
}

describe('entries of the navigation', () => {
  it('all entries are reached when every page has its sidebar and the menus link to every branch', () => {
    const branches = [branch('v1', ['index', 'a']), branch('v2', ['index', 'b'])];
    const links = { v1: ['index.html', 'a.html', 'index.html?nav=v2'], v2: ['index.html?nav=v2', 'b.html'] };
    expect(unreachableEntries(output(branches, links), 'docs.json')).toEqual([]);
  });

  it('unreachable entries are reported by branch', () => {
    const branches = [branch('v1', ['index', 'a']), branch('v2', ['index', 'b'])];
    const links = { v1: ['index.html', 'a.html'], v2: ['index.html', 'b.html'] };
    expect(unreachableEntries(output(branches, links), 'docs.json')).toEqual([
      expect.objectContaining({
        code: 'nav_unreachable',
        file: 'docs.json',
        message: 'No click from the home page leads to 2 entries of the navigation in "v2": index, b',
      }),
    ]);
  });

  it('a link that opens a page in another branch does not reach the entry', () => {
    const branches = [branch('v1', ['index', 'a']), branch('v2', ['a'])];
    const links = { v1: ['index.html', 'a.html'], v2: [] };
    const [finding] = unreachableEntries(output(branches, links), 'docs.json');
    expect(finding?.message).toBe(
      'No click from the home page leads to an entry of the navigation in "v2": a',
    );
  });
});

describe('a home page without a sidebar', () => {
  const branches = [branch('guides', ['index', 'a', 'b'])];
  const links = { guides: ['index.html', 'a.html', 'b.html'] };

  it('a home page without links leaves all other pages unreachable', () => {
    const [finding] = unreachableEntries(output(branches, links, { index: ['index.html'] }), 'docs.json');
    expect(finding?.message).toBe(
      'No click from the home page leads to 2 entries of the navigation in "guides": a, b',
    );
  });

  it('a home page reaches all pages through a page with a sidebar', () => {
    expect(unreachableEntries(output(branches, links, { index: ['a.html#part'] }), 'docs.json')).toEqual([]);
  });
});

const unreachable = 'unreachable-entries';

describe('a rendered site whose home page has no sidebar', () => {
  const site = (text: string) => ({
    'docs.json': JSON.stringify({ navigation: { pages: ['index', 'start', 'use'] } }),
    'index.mdx': `---\ntitle: Index\nmode: custom\n---\n\n${text}\n`,
    'start.mdx': 'Start.',
    'use.mdx': 'Use.',
  });

  it('unreachable pages are reported when the home page links to nothing', async () => {
    const { diagnostics } = await renderFixture(unreachable);
    expect(diagnostics.find(({ code }) => code === 'nav_unreachable')).toMatchObject({
      file: 'docs.json',
      message: 'No click from the home page leads to 2 entries of the navigation: start, use',
    });
  });

  it('nothing is reported when the home page links to a page with a sidebar', async () => {
    const { codes } = await renderFiles(site('Read [this](/start).'));
    expect(codes).not.toContain('nav_unreachable');
  });
});

describe('every entry of the navigation is reachable by clicking from the home page', () => {
  it.each(sitesBelow(fixture('')).filter((name) => name !== unreachable))(
    'in the fixture %s',
    async (name) => {
      const { diagnostics } = await renderFolder(fixture(name));
      expect(diagnostics.filter(({ code }) => code === 'nav_unreachable')).toEqual([]);
    },
  );
});

function sitesBelow(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?:^|\/)(?:docs|mint)\.json$/.test(path))
    .map((path) => dirname(path))
    .filter(
      (folder, at, all) => all.indexOf(folder) === at && !existsSync(join(root, folder, '..', 'docs.json')),
    )
    .toSorted();
}
