/**
 * Pages that stand in several branches of the navigation. Such a page is written once, with the navigation of its home, the
 * first of them; in the others it is a guest, and its address names the branch: `page.html?nav=v2_guides`. Writes no HTML.
 */
import { liesIn, nearestName } from '../navigation/branch-names.ts';
import { type NavigationMap, branchOfFolder } from '../navigation/branches.ts';
import type { Branch, Division } from '../navigation/tree.ts';
import type { DivisionAddress } from './site-links.ts';

/** So many names of branches can stand in a page that belongs to none of them. */
const maximumHosts = 100;

/** A page within one of its branches. */
interface PageInBranch {
  route: string;
  branch: Branch;
}

/** What a division can open. */
interface Entrance {
  /** Its first page. */
  first?: PageInBranch | undefined;
  /** Its first page that has its home in it. */
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

  /** The names of the branches that a page can show, its home first; undefined where no page of the site has several. */
  namesOf(route: string): string | undefined {
    const branches = this.shownIn(route);
    return branches.length === 0 ? undefined : branches.map(({ name }) => name).join(' ');
  }

  /** The branches that a page can show, its home first; none where no page of the site has several. */
  shownIn(route: string): readonly Branch[] {
    if (this.#hosts.length === 0) return [];
    return this.#map.places.has(route) ? this.branchesOf(route) : this.#branchesAround(route);
  }

  /** A page outside the navigation belongs to no branch more than to another, unless its folder does. */
  #branchesAround(route: string): readonly Branch[] {
    const [first] = this.#map.branches;
    if (!first || branchOfFolder(this.#map, route) || this.#hosts.length > maximumHosts) return [];
    return [first, ...this.#hosts.filter((branch) => branch !== first)];
  }

  branchesOf(route: string): readonly Branch[] {
    const home = this.#map.places.get(route)?.branch;
    return this.#map.shared.get(route) ?? (home ? [home] : []);
  }

  /** Branches that pages are guests in. */
  get hosts(): readonly Branch[] {
    return this.#hosts;
  }

  /** The address of a page that a switch leads to; `own` is what readers without JavaScript get. */
  addressOf(href: string, { route, branch }: PageInBranch, own: string | undefined): DivisionAddress {
    if (!this.isShared(route)) return { href };
    const navHref = href + navParameter(branch);
    return own === undefined ? { href: navHref } : { href: own, navHref };
  }

  /** The branch of a division that shows a page, the one most like the reader's. */
  branchWithin(division: Division, route: string, reader: Branch): Branch | undefined {
    const name = this.#map.divisionNames.get(division) ?? '';
    const branches = (this.#map.shared.get(route) ?? []).filter((branch) => liesIn(branch.name, name));
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
