/** Addresses in the frame around a page (header, sidebar, footer), as seen from that page. */
import { interfaceIcon } from '../icons/interface.ts';
import { iconHtml } from '../icons/markup.ts';
import type { IconLibrary } from '../icons/reference.ts';
import { type Addresses, relativeHref } from '../navigation/addresses.ts';
import { firstPageOf } from '../navigation/branches.ts';
import type { LinkResolver } from '../navigation/links.ts';
import type { Division } from '../navigation/tree.ts';

export interface SiteLinks {
  page(prefix: string, route: string): string | undefined;
  file(prefix: string, file: string): string;
  /** An address from the configuration; undefined when it leads nowhere. */
  address(prefix: string, address: string): string | undefined;
  /** Where a tab, version or the like leads. */
  division(prefix: string, division: Division): string | undefined;
  /** The icon of an entry; one that nobody knows shows a plain shape, so that entries stay aligned. */
  icon(prefix: string, icon: string | undefined): string;
}

export function createSiteLinks(
  addresses: Addresses,
  links: LinkResolver,
  rendered: ReadonlySet<string>,
  useFile: (file: string) => void,
  library: IconLibrary,
): SiteLinks {
  const page = (prefix: string, route: string): string | undefined =>
    rendered.has(route) ? relativeHref(prefix, addresses.hrefOf(route)) : undefined;
  const address = (prefix: string, raw: string): string | undefined => {
    const target = links.resolve(raw, 'docs.json');
    if (target.kind === 'outside') return target.href;
    if (target.kind === 'here') return target.suffix || undefined;
    if (target.kind === 'page') {
      const href = page(prefix, target.route);
      return href === undefined ? undefined : href + target.suffix;
    }
    if (target.kind === 'output') return relativeHref(prefix, target.path) + target.suffix;
    if (target.kind !== 'file') return undefined;
    useFile(target.file);
    return relativeHref(prefix, target.file) + target.suffix;
  };
  const picture = (prefix: string, raw: string): string | undefined => {
    const target = links.resolveFile(raw, 'docs.json');
    // Nothing is loaded from another host; a picture that was fetched is a file.
    if (target.kind === 'outside') return /^data:/i.test(target.href) ? target.href : undefined;
    if (target.kind !== 'file') return undefined;
    useFile(target.file);
    return relativeHref(prefix, target.file) + target.suffix;
  };
  return {
    page,
    address,
    icon: (prefix, icon) =>
      icon === undefined
        ? ''
        : (iconHtml(icon, { library, picture: (raw) => picture(prefix, raw) }) ?? interfaceIcon('unknown')),
    file: (prefix, file) => relativeHref(prefix, file),
    division: (prefix, { href, section }) => {
      if (href !== undefined) return address(prefix, href);
      const route = firstPageOf(section, (candidate) => rendered.has(candidate));
      return route === undefined ? undefined : page(prefix, route);
    },
  };
}
