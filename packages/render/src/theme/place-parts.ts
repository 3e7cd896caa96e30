/** The parts of a page that depend on its place in a branch: breadcrumbs, pagination, group directory. */
import type { PagePlace } from '../navigation/branches.ts';
import type { PageMeta } from '../model/page-source.ts';
import { directoryHtml } from './directory.ts';
import type { PageView } from './shell.ts';
import type { EntryInfo } from './sidebar-entry.ts';
import type { SiteLinks } from './site-links.ts';
import { plainTitle } from './titles.ts';

export class PlaceParts {
  readonly #metas: ReadonlyMap<string, PageMeta>;
  readonly #hasBreadcrumbs: boolean;

  constructor(metas: ReadonlyMap<string, PageMeta>, hasBreadcrumbs: boolean) {
    this.#metas = metas;
    this.#hasBreadcrumbs = hasBreadcrumbs;
  }

  entryInfo(route: string): EntryInfo {
    const meta = this.#metas.get(route);
    return {
      title: meta?.sidebarTitle ?? route,
      icon: meta?.icon,
      tag: meta?.tag,
      deprecated: meta?.deprecated,
      url: meta?.url,
      method: meta?.hideApiMarker ? undefined : meta?.endpoint?.method,
    };
  }

  /** The enclosing group, or the full path when breadcrumbs are enabled. */
  eyebrow({ trail, trailRoutes }: PagePlace, links: SiteLinks, prefix: string): PageView['eyebrow'] {
    if (!this.#hasBreadcrumbs) return trail.slice(-1).map((label) => ({ label }));
    return trail.map((label, index) => {
      const route = trailRoutes[index];
      return { label, href: route === undefined ? undefined : links.page(prefix, route) };
    });
  }

  directory({ group }: PagePlace, links: SiteLinks, prefix: string): string {
    if (!group) return '';
    return directoryHtml(group, {
      links,
      prefix,
      infoOf: (route) => {
        const meta = this.#metas.get(route);
        return {
          title: meta?.sidebarTitle ?? route,
          description: plainTitle(meta?.description ?? ''),
          icon: meta?.icon,
          url: meta?.url === undefined ? undefined : links.address(prefix, meta.url),
        };
      },
    });
  }

  /** Skips pages outside of the output and entries with another URL. */
  neighbours(
    { branch, index }: PagePlace,
    links: SiteLinks,
    prefix: string,
  ): Pick<PageView, 'previous' | 'next'> {
    const nearest = (step: 1 | -1): Neighbour | undefined => {
      for (let at = index + step; ; at += step) {
        const route = branch.pages[at];
        if (route === undefined) return undefined;
        const neighbour = this.asNeighbour(route, links, prefix);
        if (neighbour) return neighbour;
      }
    };
    return { previous: nearest(-1), next: nearest(1) };
  }

  asNeighbour(route: string, links: SiteLinks, prefix: string): Neighbour | undefined {
    const meta = this.#metas.get(route);
    const href = links.page(prefix, route);
    return href !== undefined && meta && !meta.url ? { href, title: meta.sidebarTitle } : undefined;
  }

  hidesNeighbours(route: string): boolean {
    return this.#metas.get(route)?.hidePagination === true;
  }
}

type Neighbour = NonNullable<PageView['previous']>;
