/**
 * Flattens the navigation tree into branches, one per combination of tabs, versions and other divisions, and
 * locates pages in them.
 */
import { nameDivisions, rootName } from './branch-names.ts';
import type { Branch, BranchStep, Division, GroupEntry, NavEntry, Section, Switcher } from './tree.ts';

export interface PagePlace {
  branch: Branch;
  /** Labels of the enclosing groups, outermost first. */
  trail: readonly string[];
  /** The page that each of these group labels links to. */
  trailRoutes: readonly (string | undefined)[];
  index: number;
  group?: GroupEntry | undefined;
}

export interface NavigationMap {
  branches: Branch[];
  /** The first occurrence of each page. */
  places: Map<string, PagePlace>;
  /** For pages in several branches: all of them, the first occurrence first. */
  shared: ReadonlyMap<string, readonly Branch[]>;
  divisionNames: ReadonlyMap<Division, string>;
  order: string[];
  /** The branch of the first page in each folder. */
  byFolder: Map<string, Branch>;
}

export function mapNavigation(root: Section): NavigationMap {
  const branches: Branch[] = [];
  const divisionNames = new Map<Division, string>();
  collectBranches(root, { name: '', steps: [], asides: [], globals: [] }, branches, divisionNames);
  const places = new Map<string, PagePlace>();
  const order: string[] = [];
  const shared = new Map<string, Branch[]>();
  for (const branch of branches) {
    const own = placesIn(branch);
    branch.pages = [...own.keys()];
    for (const [route, place] of own) {
      const home = places.get(route)?.branch;
      if (home === undefined) {
        places.set(route, place);
        order.push(route);
      } else if (!shared.get(route)?.push(branch)) shared.set(route, [home, branch]);
    }
  }
  return { branches, places, shared, divisionNames, order, byFolder: branchesByFolder(places) };
}

interface Way {
  name: string;
  steps: BranchStep[];
  asides: Switcher[];
  globals: Division[];
}

function collectBranches(section: Section, way: Way, branches: Branch[], names: Map<Division, string>): void {
  const globals = [...way.globals, ...section.globals];
  nameDivisions(section, way.name, names);
  if (section.entries.length > 0) {
    const language = way.steps.find((step) => step.switcher.kind === 'language')?.division.label;
    branches.push({
      id: String(branches.length),
      name: way.name || rootName,
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
          name: names.get(division) ?? '',
          steps: [...way.steps, { switcher, division }],
          asides: [...way.asides, ...others],
          globals,
        },
        branches,
        names,
      );
    }
  }
}

/** The default version or language comes first, so that it owns shared pages. */
function defaultFirst(divisions: Division[]): Division[] {
  return [...divisions].toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault));
}

interface FlatPage {
  route: string;
  groups: GroupEntry[];
  group?: GroupEntry;
}

export function placesIn(branch: Branch): ReadonlyMap<string, PagePlace> {
  const flat = uniqueByRoute(flatten(branch.entries, []));
  const trails = new Map<GroupEntry[], Trail>();
  return new Map(
    flat.map(({ route, groups, group }, index) => {
      const { trail, trailRoutes } = trailOf(groups, trails);
      return [route, { branch, trail, trailRoutes, index, group }];
    }),
  );
}

type Trail = Pick<PagePlace, 'trail' | 'trailRoutes'>;

/** Pages of a group share one list of groups and therefore one trail. */
function trailOf(groups: GroupEntry[], known: Map<GroupEntry[], Trail>): Trail {
  const trail = known.get(groups) ?? {
    trail: groups.map(({ label }) => label),
    trailRoutes: groups.map(({ root, entries }) => root ?? firstRouteOf(entries)),
  };
  known.set(groups, trail);
  return trail;
}

/** When a branch lists a page twice, the occurrence as a group's root page wins. */
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

/** A page outside of the navigation uses the branch with the nearest pages. */
export function nearestBranch(map: NavigationMap, route: string): Branch | undefined {
  return branchOfFolder(map, route) ?? map.branches[0];
}

export function branchOfFolder(map: NavigationMap, route: string): Branch | undefined {
  for (let slash = route.lastIndexOf('/'); slash > 0; slash = route.lastIndexOf('/', slash - 1)) {
    const branch = map.byFolder.get(route.slice(0, slash));
    if (branch) return branch;
  }
  return undefined;
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
