/** Resolves addresses in the frame of a page: header, sidebar, footer. */
import { interfaceIcon } from '../icons/interface.ts';
import { iconHtml } from '../icons/markup.ts';
import { type Addresses, relativeHref } from '../navigation/addresses.ts';
import type { LinkResolver } from '../navigation/links.ts';
import type { Branch, Division } from '../navigation/tree.ts';
import { type BranchPages, navParameter } from './branch-pages.ts';
import type { IconLibrary } from '../model/site-plan.ts';

export interface SiteLinks {
  page(prefix: string, route: string): string | undefined;
  file(prefix: string, file: string): string;
  address(prefix: string, address: string): string | undefined;
  division(prefix: string, division: Division): DivisionAddress | undefined;
  /** An unknown icon becomes a plain shape, so that entries stay aligned. */
  icon(prefix: string, icon: string | undefined): string;
}

/** Normalizes a fragment to an existing id, by output path. */
export type FragmentOn = (output: string, fragment: string) => string;

export interface DivisionAddress {
  href: string;
  /** With JavaScript: a page whose home is another branch. */
  navHref?: string | undefined;
}

/** Links for pages of one branch: a page whose home is another branch opens in this one. */
export function linksWithin(links: SiteLinks, branches: BranchPages, branch: Branch): SiteLinks {
  return {
    ...links,
    page: (prefix, route) => {
      const href = links.page(prefix, route);
      return href !== undefined && branches.isGuest(route, branch) ? href + navParameter(branch) : href;
    },
  };
}

export function addressAttributes({ href, navHref }: DivisionAddress): Record<string, string | undefined> {
  return { href, 'data-nav-href': navHref };
}

export function createSiteLinks(
  addresses: Addresses,
  links: LinkResolver,
  rendered: ReadonlySet<string>,
  branches: BranchPages,
  useFile: (file: string) => void,
  library: IconLibrary,
  fragmentOn: FragmentOn = (_output, fragment) => fragment,
): SiteLinks {
  const page = (prefix: string, route: string): string | undefined =>
    rendered.has(route) ? relativeHref(prefix, addresses.hrefOf(route)) : undefined;
  const suffixOn = (route: string, suffix: string): string => {
    const hash = suffix.indexOf('#');
    if (hash < 0) return suffix;
    return suffix.slice(0, hash + 1) + fragmentOn(addresses.outputOf(route), suffix.slice(hash + 1));
  };
  const address = (prefix: string, raw: string): string | undefined => {
    const target = links.resolve(raw, 'docs.json');
    if (target.kind === 'outside') return target.href;
    if (target.kind === 'here') return target.suffix || undefined;
    if (target.kind === 'page') {
      const href = page(prefix, target.route);
      return href === undefined ? undefined : href + suffixOn(target.route, target.suffix);
    }
    if (target.kind === 'output') return relativeHref(prefix, target.path) + target.suffix;
    if (target.kind !== 'file') return undefined;
    useFile(target.file);
    return relativeHref(prefix, target.output) + target.suffix;
  };
  const picture = (prefix: string, raw: string): string | undefined => {
    const target = links.resolveFile(raw, 'docs.json');
    // Images of other hosts are never loaded.
    if (target.kind === 'outside') return /^data:/i.test(target.href) ? target.href : undefined;
    if (target.kind !== 'file') return undefined;
    useFile(target.file);
    return relativeHref(prefix, target.output) + target.suffix;
  };
  return {
    page,
    address,
    icon: (prefix, icon) =>
      icon === undefined
        ? ''
        : (iconHtml(icon, { library, picture: (raw) => picture(prefix, raw) }) ?? interfaceIcon('unknown')),
    file: (prefix, file) => relativeHref(prefix, file),
    division: (prefix, division) => {
      if (division.href !== undefined) {
        const href = address(prefix, division.href);
        return href === undefined ? undefined : { href };
      }
      const { first, own } = branches.entranceOf(division);
      const href = first && page(prefix, first.route);
      if (first === undefined || href === undefined) return undefined;
      return branches.addressOf(href, first, own && page(prefix, own));
    },
  };
}
