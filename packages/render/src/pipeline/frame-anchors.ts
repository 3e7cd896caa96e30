/**
 * Pages that the header, the sidebar, the footer or the banner may lead to with a fragment. Their ids are needed before the
 * frame of the first page is made.
 */
import type { LinkResolver } from '../navigation/links.ts';
import type { Site } from '../site/site.ts';

/** The routes, in the order in which the configuration names them. */
export function frameAnchorRoutes(
  { frameAddresses, metas }: Pick<Site, 'frameAddresses' | 'metas'>,
  links: LinkResolver,
): Set<string> {
  const routes = new Set<string>();
  const note = (address: string): void => {
    const target = links.resolve(address, 'docs.json');
    if (target.kind === 'page' && target.suffix.includes('#')) routes.add(target.route);
  };
  for (const address of frameAddresses) note(address);
  for (const { url } of metas.values()) if (url?.includes('#')) note(url);
  return routes;
}
