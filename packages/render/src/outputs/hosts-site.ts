/** What the configuration of a host is made of, whichever host it is for. */
import { encodeAddress, fill, isOutside, namesOf } from '../navigation/redirect-pattern.ts';
import type { ExactRedirect, PatternRedirect } from './redirects-resolve.ts';
import type { UrlStyle } from '../model/site-plan.ts';

export interface HostedSite {
  basePath: string;
  urlStyle: UrlStyle;
  headers: [string, string][];
  exact: ExactRedirect[];
  patterns: PatternRedirect[];
}

/** Where an exact redirect leads, from the root of the host. */
export function destinationOf({ target }: ExactRedirect, basePath: string): string {
  return encodeAddress(target.outside ? target.href : `${basePath}/${target.href}`);
}

/** The destination of a pattern with each placeholder written the way a server knows it. */
export function filledDestination(
  { source, destination }: PatternRedirect,
  basePath: string,
  placeholder: (group: number) => string,
): string {
  const names = namesOf(source);
  const start = isOutside(destination) ? '' : encodeAddress(basePath);
  return start + fill(destination, (name) => placeholder(names.indexOf(name) + 1));
}
