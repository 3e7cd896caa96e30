/**
 * The rules of the site as data, for `docyard site`, which serves a bundle itself. Unlike the files for other hosts it
 * leaves nothing out and does not know below which path the site will be served.
 */
import type { HostedSite } from './hosts-site.ts';
import { encodeAddress } from '../navigation/redirect-pattern.ts';

/** The server decides these from each file. */
const decidedByServer = new Set(['Cache-Control', 'Link']);

export function docyardRules({ basePath, headers, exact, patterns }: HostedSite): string {
  const rules = {
    format: 1,
    basePath,
    headers: Object.fromEntries(headers.filter(([name]) => !decidedByServer.has(name))),
    redirects: exact.map(({ source, target, permanent }) => ({
      from: source,
      to: encodeAddress(target.outside ? target.href : `/${target.href}`),
      permanent,
    })),
    patterns: patterns.map(({ source, destination, permanent }) => ({
      from: source,
      to: destination,
      permanent,
    })),
  };
  return `${JSON.stringify(rules, null, 1)}\n`;
}
