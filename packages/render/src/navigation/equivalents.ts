/**
 * Finds the corresponding page in another version or language: same route below another prefix, same file name,
 * or same position.
 */
import type { NavigationMap } from './branches.ts';
import type { Division } from './tree.ts';

interface DivisionPages {
  routes: string[];
  /** Including pages that another division owns. */
  listed: number;
  set: ReadonlySet<string>;
  prefixes: string[];
  /** Undefined for names used more than once. */
  byName: Map<string, string | undefined>;
}

export class Equivalents {
  readonly #map: NavigationMap;
  readonly #isShown: (route: string) => boolean;
  readonly #pages = new Map<Division, DivisionPages>();

  constructor(map: NavigationMap, isShown: (route: string) => boolean) {
    this.#map = map;
    this.#isShown = isShown;
  }

  find(route: string, from: Division, to: Division): string | undefined {
    const own = this.#pagesOf(from);
    const other = this.#pagesOf(to);
    for (const candidate of candidates(route, own, other, from.label, to.label)) {
      if (other.set.has(candidate)) return candidate;
    }
    const byName = other.byName.get(nameOf(route));
    if (byName !== undefined && own.byName.get(nameOf(route)) === route) return byName;
    /** Lists of equal length are assumed to be translations. */
    const isTranslation = own.routes.length === other.routes.length && own.listed === other.listed;
    return isTranslation ? other.routes[own.routes.indexOf(route)] : undefined;
  }

  /** Pages that belong to an earlier division are excluded. */
  #pagesOf(division: Division): DivisionPages {
    const known = this.#pages.get(division);
    if (known) return known;
    const branches = this.#map.branches.filter((branch) =>
      branch.steps.some((step) => step.division === division),
    );
    const listed = branches.reduce((sum, branch) => sum + branch.pages.length, 0);
    const routes = branches.flatMap((branch) =>
      branch.pages.filter((route) => this.#map.places.get(route)?.branch === branch && this.#isShown(route)),
    );
    const byName = new Map<string, string | undefined>();
    for (const route of routes) {
      const name = nameOf(route);
      byName.set(name, byName.has(name) ? undefined : route);
    }
    const pages = {
      routes,
      listed,
      set: new Set(routes),
      prefixes: prefixesOf(routes, division.label),
      byName,
    };
    this.#pages.set(division, pages);
    return pages;
  }
}

function candidates(
  route: string,
  own: DivisionPages,
  other: DivisionPages,
  ownLabel: string,
  otherLabel: string,
): string[] {
  const replaced = route
    .split('/')
    .map((part) => (part.toLowerCase() === ownLabel.toLowerCase() ? otherLabel : part))
    .join('/');
  const rests = own.prefixes
    .filter((prefix) => prefix === '' || route.startsWith(`${prefix}/`))
    .map((prefix) => (prefix === '' ? route : route.slice(prefix.length + 1)));
  return [
    replaced,
    ...rests.flatMap((rest) => other.prefixes.map((prefix) => (prefix === '' ? rest : `${prefix}/${rest}`))),
  ].filter((candidate) => candidate !== route);
}

/** Candidate folders of a division: the common prefix, the most frequent folder, its own name, the root. */
function prefixesOf(routes: readonly string[], label: string): string[] {
  const counts = new Map<string, number>();
  for (const route of routes) {
    for (let slash = route.indexOf('/'); slash > 0; slash = route.indexOf('/', slash + 1)) {
      const folder = route.slice(0, slash);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  const usual = [...counts]
    .filter(([, count]) => count * 2 > routes.length)
    .map(([folder]) => folder)
    .toSorted((a, b) => b.length - a.length);
  return [...new Set([...usual, label, label.toLowerCase(), ''])];
}

function nameOf(route: string): string {
  const parts = route.split('/');
  const last = parts.at(-1) ?? '';
  return last === 'index' && parts.length > 1 ? `${parts.at(-2) ?? ''}/` : last;
}
