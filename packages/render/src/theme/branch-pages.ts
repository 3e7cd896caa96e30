/**
 * Pages that belong to several branches of the navigation. Such a page is written once, with the navigation of
 * its first branch, its home. In the other branches it is a guest, and its address names the branch:
 * `page.html?nav=v2_guides`.
 */
import { isWithinDivision, nearestName } from '../navigation/branch-names.ts';
import { type NavigationMap, branchOfFolder } from '../navigation/branches.ts';
import type { Branch, Division } from '../navigation/tree.ts';
import type { DivisionAddress } from './site-links.ts';

/** Limits the branch names listed in a page outside of all branches. */
const maxHosts = 100;

interface PageInBranch {
  route: string;
  branch: Branch;
}

interface Entrance {
  first?: PageInBranch | undefined;
  /** Its first page that has its home in the division. */
  own?: string | undefined;
}

export function navParameter({ name }: Branch): string {
  return `?nav=${name}`;
}

export class BranchPages {
  readonly #map: NavigationMap;
  readonly #isShown: (route: string) => boolean;
  readonly #entrances = new Map<Division, Entrance>();
  readonly #hosts: readonly Branch[];

  constructor(map: NavigationMap, isShown: (route: string) => boolean) {
    this.#map = map;
    this.#isShown = isShown;
    const hosts = new Set<Branch>();
    for (const [route, branches] of map.shared)
      if (isShown(route)) for (const branch of branches.slice(1)) hosts.add(branch);
    this.#hosts = [...hosts];
  }

  isGuest(route: string, branch: Branch): boolean {
    const branches = this.#map.shared.get(route);
    return branches !== undefined && branches[0] !== branch && branches.includes(branch);
  }

  isShared(route: string): boolean {
    return this.#map.shared.has(route);
  }

  /** Home first; undefined when no page of the site has several branches. */
  namesOf(route: string): string | undefined {
    const branches = this.shownIn(route);
    return branches.length === 0 ? undefined : branches.map(({ name }) => name).join(' ');
  }

  /** Home first; empty when no page of the site has several branches. */
  shownIn(route: string): readonly Branch[] {
    if (this.#hosts.length === 0) return [];
    return this.#map.places.has(route) ? this.branchesOf(route) : this.#branchesAround(route);
  }

  /** A page outside of the navigation belongs to the branch of its folder, else to all branches. */
  #branchesAround(route: string): readonly Branch[] {
    const [first] = this.#map.branches;
    if (!first || branchOfFolder(this.#map, route) || this.#hosts.length > maxHosts) return [];
    return [first, ...this.#hosts.filter((branch) => branch !== first)];
  }

  branchesOf(route: string): readonly Branch[] {
    const home = this.#map.places.get(route)?.branch;
    return this.#map.shared.get(route) ?? (home ? [home] : []);
  }

  get hosts(): readonly Branch[] {
    return this.#hosts;
  }

  /** `own` is the address for readers without JavaScript. */
  addressOf(href: string, { route, branch }: PageInBranch, own: string | undefined): DivisionAddress {
    if (!this.isShared(route)) return { href };
    const navHref = href + navParameter(branch);
    return own === undefined ? { href: navHref } : { href: own, navHref };
  }

  /** The branch of a division that shows the page and is closest to the reader's branch. */
  branchWithin(division: Division, route: string, reader: Branch): Branch | undefined {
    const name = this.#map.divisionNames.get(division) ?? '';
    const branches = (this.#map.shared.get(route) ?? []).filter((branch) =>
      isWithinDivision(branch.name, name),
    );
    const nearest = nearestName(
      branches.map((branch) => branch.name),
      reader.name,
    );
    return branches.find((branch) => branch.name === nearest);
  }

  entranceOf(division: Division): Entrance {
    const known = this.#entrances.get(division);
    if (known) return known;
    const entrance: Entrance = {};
    for (const branch of this.#map.branches) {
      if (!branch.steps.some((step) => step.division === division)) continue;
      const shown = branch.pages.filter(this.#isShown);
      const [route] = shown;
      if (route !== undefined) entrance.first ??= { route, branch };
      entrance.own ??= shown.find((page) => this.#map.places.get(page)?.branch === branch);
    }
    this.#entrances.set(division, entrance);
    return entrance;
  }
}
