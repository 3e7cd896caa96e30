/** Redirects from the original addresses of renamed pages and files. */
import { relativeHref } from '../navigation/addresses.ts';
import { hasAddress } from '../navigation/output-names.ts';
import type { OutputContext } from './contract.ts';
import type { ExactRedirect } from './resolve-redirects.ts';

interface Renamed extends Pick<OutputContext, 'site' | 'plan' | 'used'> {
  hrefOf: (route: string) => string;
  written: ReadonlySet<string>;
}

export function renamedRedirects({ site, plan, used, hrefOf, written }: Renamed): ExactRedirect[] {
  if (plan.renamedRoutes.length + plan.renamedFiles.length === 0) return [];
  const lowerCase = new Set([...plan.routes, ...plan.files].map((path) => `/${path.toLowerCase()}`));
  const redirect = (path: string, href: string, title?: string): ExactRedirect => ({
    source: `/${path}`,
    target: { href, outside: false, title },
    permanent: true,
    expanded: false,
    isCaseSensitive: lowerCase.has(`/${path.toLowerCase()}`),
  });
  const pages = plan.renamedRoutes
    .filter(([, route]) => written.has(route))
    .map(([before, route]) => redirect(before, hrefOf(route), site.metas.get(route)?.title));
  const files = plan.renamedFiles
    .filter(([file]) => used(file))
    .map(([file, output]) => ({ ...redirect(file, relativeHref('', output)), isFile: true }));
  return [...pages, ...files].filter(({ source }) => hasAddress(source));
}
