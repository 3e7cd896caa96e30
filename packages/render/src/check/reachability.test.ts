import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Branch, Division } from '../navigation/tree.ts';
import { fixture, renderFolder } from '../render-fixture.ts';
import { type NavigationOutput, unreachableEntries } from './reachability.ts';

/** Pages are rendered in this process: starting others costs more than all of these pages together. */
vi.mock(import('../page/pool.ts'), async () => {
  const { loadApiPages, renderPage, siteTools } = await import('../page/render-page.ts');
  await loadApiPages();
  return {
    async *renderPages(tasks, { plan }) {
      const tools = siteTools(plan);
      for (const task of tasks) yield renderPage(tools, task, 'fast');
    },
  };
});

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

/** A site whose pages have the given links around them, by branch. */
function output(branches: Branch[], links: Record<string, string[]>): NavigationOutput {
  const [first] = branches;
  const namesOf = (route: string): string[] =>
    branches.filter(({ pages }) => pages.includes(route)).map(({ name }) => name);
  return {
    home: first && { route: first.pages[0] ?? '', branch: first },
    branches,
    viewOf: ({ name }) => ({
      prefix: '../',
      html: (links[name] ?? []).map((address) => `<a class="x" href="../${address}">`),
    }),
    routeAt: (address) => address.replace('.html', ''),
    namesOf,
    isShown: () => true,
  };
}

describe('entries of the navigation', () => {
  it('are all reached when every page has its sidebar and the menus lead to every branch', () => {
    const branches = [branch('v1', ['index', 'a']), branch('v2', ['index', 'b'])];
    const links = { v1: ['index.html', 'a.html', 'index.html?nav=v2'], v2: ['index.html?nav=v2', 'b.html'] };
    expect(unreachableEntries(output(branches, links), 'docs.json')).toEqual([]);
  });

  it('are reported by branch when no click leads to them', () => {
    const branches = [branch('v1', ['index', 'a']), branch('v2', ['index', 'b'])];
    const links = { v1: ['index.html', 'a.html'], v2: ['index.html', 'b.html'] };
    expect(unreachableEntries(output(branches, links), 'docs.json')).toEqual([
      expect.objectContaining({
        code: 'nav_unreachable',
        file: 'docs.json',
        message: 'No menu, tab or sidebar leads to 2 entries of the navigation in "v2": index, b',
      }),
    ]);
  });

  it('are not reached by a link that opens the page in another branch', () => {
    const branches = [branch('v1', ['index', 'a']), branch('v2', ['a'])];
    const links = { v1: ['index.html', 'a.html'], v2: [] };
    const [finding] = unreachableEntries(output(branches, links), 'docs.json');
    expect(finding?.message).toBe('No menu, tab or sidebar leads to an entry of the navigation in "v2": a');
  });
});

describe('every entry of the navigation is reachable by clicking from the home page', () => {
  it.each(sitesBelow(fixture('')))('in the fixture %s', async (name) => {
    const { diagnostics } = await renderFolder(fixture(name));
    expect(diagnostics.filter(({ code }) => code === 'nav_unreachable')).toEqual([]);
  });
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
