import { encodeAddress, fill, isOutside, namesOf } from '../navigation/redirect-pattern.ts';
import type { ExactRedirect, PatternRedirect } from './resolve-redirects.ts';
import type { UrlStyle } from '../model/site-plan.ts';

export interface HostedSite {
  basePath: string;
  urlStyle: UrlStyle;
  headers: [string, string][];
  exact: ExactRedirect[];
  patterns: PatternRedirect[];
}

export function destinationOf({ target }: ExactRedirect, basePath: string): string {
  return encodeAddress(target.outside ? target.href : `${basePath}/${target.href}`);
}

export function filledDestination(
  { source, destination }: PatternRedirect,
  basePath: string,
  placeholder: (group: number) => string,
): string {
  const names = namesOf(source);
  const start = isOutside(destination) ? '' : encodeAddress(basePath);
  return start + fill(destination, (name) => placeholder(names.indexOf(name) + 1));
}
