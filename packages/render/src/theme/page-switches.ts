/**
 * Fills in the addresses of a frame's switches for one page: the same or equivalent page in another version or
 * language.
 */
import { attributes } from '../text/html.ts';
import type { NavigationMap } from '../navigation/branches.ts';
import type { Equivalents } from '../navigation/equivalents.ts';
import type { Branch } from '../navigation/tree.ts';
import type { BranchPages } from './branch-pages.ts';
import { type PageSwitch, switchMarks } from './menus.ts';
import { type DivisionAddress, type SiteLinks, addressAttributes } from './site-links.ts';

interface SwitchedFrame {
  branch: Branch | undefined;
  switches: readonly PageSwitch[];
}

export class PageSwitches {
  readonly #map: NavigationMap;
  readonly #branches: BranchPages;
  readonly #equivalents: Equivalents;
  readonly #links: SiteLinks;

  constructor(map: NavigationMap, branches: BranchPages, equivalents: Equivalents, links: SiteLinks) {
    this.#map = map;
    this.#branches = branches;
    this.#equivalents = equivalents;
    this.#links = links;
  }

  /** Without a route, every switch links to the first page of its division. */
  fill(html: string, { branch, switches }: SwitchedFrame, prefix: string, route?: string): string {
    if (switches.length === 0) return html;
    return html.replaceAll(switchMarks, (_whole, index: string) => {
      const { from, to, otherwise } = switches[Number(index)] as PageSwitch;
      const address =
        route === undefined
          ? undefined
          : (this.#samePage(route, branch, from, to, prefix) ?? this.#equivalent(route, from, to, prefix));
      const canBeGuest = route === undefined || this.#branches.isShared(route);
      return attributes({
        ...addressAttributes(address ?? otherwise),
        'data-division': canBeGuest ? this.#map.divisionNames.get(to) : undefined,
      });
    });
  }

  #samePage(
    route: string,
    reader: Branch | undefined,
    from: PageSwitch['from'],
    to: PageSwitch['to'],
    prefix: string,
  ): DivisionAddress | undefined {
    const branch = reader && this.#branches.branchWithin(to, route, reader);
    const href = this.#links.page(prefix, route);
    if (branch === undefined || href === undefined) return undefined;
    const own = this.#equivalents.find(route, from, to) ?? this.#branches.entranceOf(to).own;
    return this.#branches.addressOf(href, { route, branch }, own && this.#links.page(prefix, own));
  }

  #equivalent(
    route: string,
    from: PageSwitch['from'],
    to: PageSwitch['to'],
    prefix: string,
  ): DivisionAddress | undefined {
    const other = this.#equivalents.find(route, from, to);
    const branch = other === undefined ? undefined : this.#map.places.get(other)?.branch;
    const href = other === undefined ? undefined : this.#links.page(prefix, other);
    if (other === undefined || branch === undefined || href === undefined) return undefined;
    return this.#branches.addressOf(href, { route: other, branch }, href);
  }
}
