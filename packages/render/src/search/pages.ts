/**
 * Determines which pages are searchable, their weight, language and version: the format's rules for `hidden`,
 * `noindex`, `searchable` and `boost` in front matter and navigation.
 */
import { asList, asObject, asText } from '../config/json.ts';
import { type NavigationMap, nearestBranch } from '../navigation/branches.ts';
import type { Branch, NavEntry } from '../navigation/tree.ts';
import type { PageMeta } from '../model/page-source.ts';
import type { SearchTask } from '../model/page.ts';

export interface NavigationRule {
  found: boolean;
  boost?: number;
}

/** Readers search pages of their language and version. */
export interface SearchScope {
  language: string;
  version: string;
}

export interface SearchedPage {
  title: string;
  /** The address from the root of the site. */
  href: string;
  trail: readonly string[];
  /** Indexes into the list of scopes. */
  scopes: readonly number[];
  task: SearchTask;
}

/** The searchable pages by route, and the scopes that a search can be limited to. */
export interface SearchedPages {
  pages: ReadonlyMap<string, SearchedPage>;
  scopes: SearchScope[];
}

export interface SearchedSite {
  settings: { indexHidden: boolean };
  navigation: NavigationMap;
  metas: ReadonlyMap<string, PageMeta>;
  searchRules: ReadonlyMap<string, NavigationRule>;
}

export function searchedPages(
  site: SearchedSite,
  routes: readonly string[],
  hrefOf: (route: string) => string,
): SearchedPages {
  const { scopes, ofRoute } = scopesOf(site.navigation);
  const pages = new Map<string, SearchedPage>();
  for (const route of routes) {
    const meta = site.metas.get(route);
    if (!meta || !canBeFound(site, meta)) continue;
    const trail = site.navigation.places.get(route)?.trail ?? [];
    pages.set(route, {
      title: meta.title,
      href: hrefOf(route),
      trail,
      scopes: ofRoute(route),
      task: searchTask(meta, trail, site.searchRules.get(route)),
    });
  }
  return { pages, scopes };
}

function canBeFound({ settings, navigation, searchRules }: SearchedSite, meta: PageMeta): boolean {
  if (!meta.searchable || meta.url) return false;
  const hidden = meta.hidden || (!navigation.places.has(meta.route) && !searchRules.get(meta.route)?.found);
  if (hidden) return settings.indexHidden;
  return !meta.noIndex && searchRules.get(meta.route)?.found !== false;
}

function searchTask(meta: PageMeta, trail: readonly string[], rule: NavigationRule | undefined): SearchTask {
  const requestedBoost = meta.boost ?? rule?.boost ?? 1;
  /** Damped, so that a boosted passing mention does not outrank another page's title. */
  const boost = Math.min(100, Math.max(0.01, requestedBoost)) ** 0.6 * (meta.deprecated ? 0.7 : 1);
  const hints = [slugOf(meta.route), trail.at(-1) ?? ''];
  if (meta.endpoint) hints.push(`${meta.endpoint.method} ${meta.endpoint.path}`);
  if (meta.sidebarTitle !== meta.title) hints.push(meta.sidebarTitle);
  return { keywords: meta.keywords, boost, hints: hints.join(' ').trim() };
}

/** The last segment of a route; for the index page of a folder, the folder's name. */
function slugOf(route: string): string {
  const end =
    route === 'index' ? 0 : route.endsWith('/index') ? route.length - '/index'.length : route.length;
  return route.slice(route.lastIndexOf('/', end - 1) + 1, end);
}

/** Nearly all pages share one of these objects. */
const plainRules = { true: { found: true }, false: { found: false } } as const;

/**
 * Reads the navigation as written, because hidden entries are missing from the tree that readers see. A page
 * that is listed several times is searchable when one entry allows it; the nearest `boost` above it counts.
 */
export function navigationRules(
  navigation: unknown,
  findPage: (reference: string) => string | undefined,
): Map<string, NavigationRule> {
  const rules = new Map<string, NavigationRule>();
  const note = (reference: string, place: Place): void => {
    const route = findPage(reference);
    if (route === undefined) return;
    const found = place.searchable ?? !place.hidden;
    const known = rules.get(route);
    if (known?.found || (known && !found)) return;
    rules.set(route, place.boost === undefined ? plainRules[`${found}`] : { found, boost: place.boost });
  };
  const visit = (value: unknown, place: Place, depth: number): void => {
    if (depth > 60) return;
    const reference = asText(value);
    if (reference !== undefined) return note(reference, place);
    const node = asObject(value);
    if (!node) return;
    const inner = placeInside(node, place);
    for (const key of ['root', 'page']) {
      const page = asText(node[key]);
      if (page !== undefined) note(page, inner);
    }
    for (const key of childLists) for (const child of asList(node[key])) visit(child, inner, depth + 1);
  };
  visit(navigation, { hidden: false }, 0);
  return rules;
}

interface Place {
  hidden: boolean;
  searchable?: boolean;
  boost?: number;
}

const childLists = 'languages versions products tabs dropdowns anchors menu groups pages'.split(' ');

function placeInside(node: Record<string, unknown>, place: Place): Place {
  const inner: Place = { ...place };
  if (node['hidden'] === true) {
    inner.hidden = true;
    if (inner.searchable === true) delete inner.searchable;
  }
  if (typeof node['searchable'] === 'boolean') inner.searchable = node['searchable'];
  if (typeof node['boost'] === 'number' && node['boost'] > 0) inner.boost = node['boost'];
  return inner;
}

export function scopeOfBranch(branch: Branch | undefined): SearchScope {
  const label = (kind: string): string =>
    branch?.steps.find(({ switcher }) => switcher.kind === kind)?.division.label ?? '';
  return { language: label('language'), version: label('version') };
}

function scopesOf(navigation: NavigationMap): {
  scopes: SearchScope[];
  ofRoute: (route: string) => readonly number[];
} {
  const scopes: SearchScope[] = [];
  const idOf = (branch: Branch | undefined): number => {
    const { language, version } = scopeOfBranch(branch);
    const at = scopes.findIndex((scope) => scope.language === language && scope.version === version);
    return at >= 0 ? at : scopes.push({ language, version }) - 1;
  };
  /** Interned lists: many pages share few of them. */
  const lists = new Map<string, readonly number[]>();
  const listOf = (ids: number[]): readonly number[] => {
    const list = lists.get(ids.join()) ?? ids;
    lists.set(ids.join(), list);
    return list;
  };
  const byRoute = new Map<string, readonly number[]>();
  for (const branch of navigation.branches) {
    const id = idOf(branch);
    const alone = listOf([id]);
    for (const route of routesOf(branch.entries)) {
      const known = byRoute.get(route) ?? alone;
      byRoute.set(route, known.includes(id) ? known : listOf([...known, id].toSorted((a, b) => a - b)));
    }
  }
  if (scopes.length === 0) idOf(undefined);
  return {
    scopes,
    ofRoute: (route) => byRoute.get(route) ?? listOf([idOf(nearestBranch(navigation, route))]),
  };
}

function routesOf(entries: readonly NavEntry[]): string[] {
  return entries.flatMap((entry) => {
    if (entry.kind === 'page') return [entry.route];
    if (entry.kind === 'link') return [];
    return [...(entry.root === undefined ? [] : [entry.root]), ...routesOf(entry.entries)];
  });
}
