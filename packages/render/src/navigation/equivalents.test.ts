import { describe, expect, it } from 'vitest';
import { mapNavigation } from './branches.ts';
import { buildNavigation } from './build.ts';
import { Equivalents } from './equivalents.ts';
import { navigationFromFolders } from './from-folders.ts';
import type { NavEntry } from './tree.ts';

function switchTo(divisions: Record<string, string[]>, kind: 'version' | 'language') {
  const navigation = {
    [`${kind}s`]: Object.entries(divisions).map(([name, pages]) => ({ [kind]: name, pages })),
  };
  const source = { file: 'docs.json', text: '', config: { navigation }, diagnostics: [] };
  const { root } = buildNavigation(source, (name) => name);
  const found = new Equivalents(mapNavigation(root), () => true);
  const named = (name: string) => root.switchers[0]?.divisions.find(({ label }) => label === name);
  return (route: string, from: string, to: string) => {
    const [one, two] = [named(from), named(to)];
    return one && two ? found.find(route, one, two) : undefined;
  };
}

describe('the same page in another version or language', () => {
  it('is the same route below another prefix', () => {
    const find = switchTo(
      { en: ['index', 'guides/a', 'guides/b'], fr: ['fr/index', 'fr/guides/a'] },
      'language',
    );
    expect(find('guides/a', 'en', 'fr')).toBe('fr/guides/a');
    expect(find('fr/guides/a', 'fr', 'en')).toBe('guides/a');
    expect(find('guides/b', 'en', 'fr')).toBeUndefined();
  });

  it('is found when each version has its own folder', () => {
    const find = switchTo(
      { '2.0': ['docs/v2/a', 'docs/v2/x/b'], '1.0': ['docs/v1/x/b', 'docs/v1/c', 'docs/v1/d'] },
      'version',
    );
    expect(find('docs/v2/x/b', '2.0', '1.0')).toBe('docs/v1/x/b');
  });

  it('is the only page with that file name, when routes do not match', () => {
    const find = switchTo(
      { two: ['new/intro/setup', 'new/a', 'new/b'], one: ['old/setup', 'old/c'] },
      'version',
    );
    expect(find('new/intro/setup', 'two', 'one')).toBe('old/setup');
  });

  it('is the page at the same position, when both have the same number of pages', () => {
    const find = switchTo({ en: ['hello', 'bye'], de: ['de/hallo', 'de/tschuess'] }, 'language');
    expect(find('bye', 'en', 'de')).toBe('de/tschuess');
  });

  it('is never a page that another division shows', () => {
    const find = switchTo({ one: ['shared', 'a'], two: ['shared', 'b', 'c'] }, 'version');
    expect(find('shared', 'one', 'two')).toBeUndefined();
  });
});

describe('navigation from folders', () => {
  it('sorts by the order in front matter, then common first pages, then number and title', () => {
    const page = (route: string, order?: number) => ({ route, title: route, order });
    const { entries } = navigationFromFolders(
      ['zebra', 'quickstart', '10-last', '02-early', 'index']
        .map((route) => page(route))
        .concat(page('chosen', 1)),
    );
    const routes = entries.map((entry: NavEntry) => (entry.kind === 'page' ? entry.route : ''));
    expect(routes).toEqual(['chosen', 'index', 'quickstart', '02-early', '10-last', 'zebra']);
  });
});
