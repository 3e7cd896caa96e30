/**
 * The response headers that a host should send with every file of the site. Pages carry their own policy; the header
 * is the union of what the pages of a site allow, since a browser applies both.
 */
import { contentSecurityPolicy } from '../theme/head.ts';
import type { OutputContext } from './contract.ts';
import { notFoundStyleSource } from './not-found.ts';

export function responseHeaders({ site, plan }: Pick<OutputContext, 'site' | 'plan'>): [string, string][] {
  return [
    ['Content-Security-Policy', headerPolicy(notFoundStyleSource(site.settings), plan.airGapped)],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'strict-origin-when-cross-origin'],
    // File names do not change with their content, so a browser asks each time and mostly hears 304.
    ['Cache-Control', 'public, max-age=0, must-revalidate'],
    ['Link', `<${plan.basePath}/llms.txt>; rel="llms-txt"`],
  ];
}

/**
 * The not-found page brings its style along. Where requests may go is left to each page: only those that can try out
 * an API allow its host. Being framed is what a page cannot refuse by itself.
 */
function headerPolicy(notFoundStyle: string, airGapped: boolean): string {
  const widest = contentSecurityPolicy({ connectSources: airGapped ? undefined : ['*'] });
  const withStyle = widest.replace("style-src 'self'", `style-src 'self' ${notFoundStyle}`);
  return `${withStyle}; frame-ancestors 'self'`;
}
