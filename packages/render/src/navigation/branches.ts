/**
 * Walks a navigation tree into branches (one per way through tabs, versions and the like) and answers, for a page:
 * which branch is around it, which groups lead to it, what comes before and after. It renders nothing.
 */
import type { Branch, BranchStep, Division, GroupEntry, NavEntry, Section, Switcher } from './tree.ts';

export interface PagePlace {
  branch: Branch;
  /** Labels of the groups around the page, from the outside in. */
  trail: readonly string[];
  /** For each of those groups the page that a click on its label leads to. */
  trailRoutes: readonly (string | undefined)[];
  /** Where the page stands among the pages of its branch. */
  index: number;
  /** The group that the page stands for, if it does. */
  group?: GroupEntry | undefined;
}

export interface NavigationMap {
  branches: Branch[];
  /** Where each page of the navigation is shown first. */
  places: Map<string, PagePlace>;
  /** All navigation pages in reading order, each once. */
  order: string[];
  /** The branch that the first page of each folder is in. */
  byFolder: Map<string, Branch>;
}

export function mapNavigation(root: Section): NavigationMap {
  const branches: Branch[] = [];
  collectBranches(root, { steps: [], asides: [], globals: [] }, branches);
  const places = new Map<string, PagePlace>();
  const order: string[] = [];
  for (const branch of branches) placePages(branch, places, order);
  return { branches, places, order, byFolder: branchesByFolder(places) };
}

interface Way {
  steps: BranchStep[];
  asides: Switcher[];
  globals: Division[];
}

function collectBranches(section: Section, way: Way, branches: Branch[]): void {
  const globals = [...way.globals, ...section.globals];
  if (section.entries.length > 0) {
    const language = way.steps.find((step) => step.switcher.kind === 'language')?.division.label;
    branches.push({
      id: String(branches.length),
      steps: way.steps,
      asides: [...way.asides, ...section.switchers],
      globals,
      entries: section.entries,
      pages: [],
      ...(language ? { language } : {}),
    });
  }
  for (const switcher of section.switchers) {
    const others = section.switchers.filter((other) => other !== switcher);
    for (const division of defaultFirst(switcher.divisions)) {
      collectBranches(
        division.section,
        {
          steps: [...way.steps, { switcher, division }],
          asides: [...way.asides, ...others],
          globals,
        },
        branches,
      );
    }
  }
}

/** The default version or language is visited first, so a page shared by several belongs to the default one. */
function defaultFirst(divisions: Division[]): Division[] {
  return [...divisions].toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault));
}

interface FlatPage {
  route: string;
  groups: GroupEntry[];
  group?: GroupEntry;
}

function placePages(branch: Branch, places: Map<string, PagePlace>, order: string[]): void {
  const flat = uniqueByRoute(flatten(branch.entries, []));
  branch.pages = flat.map(({ route }) => route);
  const trails = new Map<GroupEntry[], Trail>();
  flat.forEach(({ route, groups, group }, index) => {
    if (places.has(route)) return;
    const { trail, trailRoutes } = trailOf(groups, trails);
    places.set(route, { branch, trail, trailRoutes, index, group });
    order.push(route);
  });
}

type Trail = Pick<PagePlace, 'trail' | 'trailRoutes'>;

/** One for all pages of a group, which have the list of groups in common. */
function trailOf(groups: GroupEntry[], known: Map<GroupEntry[], Trail>): Trail {
  const trail = known.get(groups) ?? {
    trail: groups.map(({ label }) => label),
    trailRoutes: groups.map(({ root, entries }) => root ?? firstRouteOf(entries)),
  };
  known.set(groups, trail);
  return trail;
}

/** A page may be listed twice in a branch; the place where it stands for a group counts more. */
function uniqueByRoute(pages: FlatPage[]): FlatPage[] {
  const seen = new Map<string, FlatPage>();
  for (const page of pages) {
    const known = seen.get(page.route);
    if (!known) seen.set(page.route, page);
    else if (page.group && !known.group) known.group = page.group;
  }
  return [...seen.values()];
}

function flatten(entries: readonly NavEntry[], groups: GroupEntry[]): FlatPage[] {
  return entries.flatMap((entry) => {
    if (entry.kind === 'page') return [{ route: entry.route, groups }];
    if (entry.kind === 'link') return [];
    const own = entry.root === undefined ? [] : [{ route: entry.root, groups, group: entry }];
    return [...own, ...flatten(entry.entries, entry.label ? [...groups, entry] : groups)];
  });
}

export function firstRouteOf(entries: readonly NavEntry[]): string | undefined {
  for (const entry of entries) {
    if (entry.kind === 'page') return entry.route;
    const inner = entry.kind === 'group' ? (entry.root ?? firstRouteOf(entry.entries)) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** The page a division opens: its first page in reading order that is part of the output, the default version first. */
export function firstPageOf(section: Section, isShown: (route: string) => boolean): string | undefined {
  const own = flatten(section.entries, []).find(({ route }) => isShown(route))?.route;
  if (own !== undefined) return own;
  for (const switcher of section.switchers) {
    for (const division of defaultFirst(switcher.divisions)) {
      const route = firstPageOf(division.section, isShown);
      if (route !== undefined) return route;
    }
  }
  return undefined;
}

/** A page outside the navigation is shown within the branch whose pages live nearest to it. */
export function nearestBranch(map: NavigationMap, route: string): Branch | undefined {
  for (let slash = route.lastIndexOf('/'); slash > 0; slash = route.lastIndexOf('/', slash - 1)) {
    const branch = map.byFolder.get(route.slice(0, slash));
    if (branch) return branch;
  }
  return map.branches[0];
}

function branchesByFolder(places: ReadonlyMap<string, PagePlace>): Map<string, Branch> {
  const byFolder = new Map<string, Branch>();
  for (const [route, { branch }] of places) {
    for (let slash = route.indexOf('/'); slash > 0; slash = route.indexOf('/', slash + 1)) {
      const folder = route.slice(0, slash);
      if (!byFolder.has(folder)) byFolder.set(folder, branch);
    }
  }
  return byFolder;
}
