import type { UrlStyle } from '../model/site-plan.ts';
export interface Addresses {
  outputOf(route: string): string;
  /** Relative to the root, without leading slash. */
  hrefOf(route: string): string;
  /** Without extension; `/index` is removed. */
  canonicalOf(route: string): string;
}

export function addressesFor(style: UrlStyle, routes: readonly string[]): Addresses {
  const indexed = new Set(routes.filter((route) => route.endsWith(ofFolder)).map(withoutIndex));
  const pagesBesideFolder = new Set(routes.filter((route) => indexed.has(route)));
  /** `cli/index` is the index page of `cli`, unless a page `cli` exists. */
  const folderOf = (route: string): string | undefined => {
    if (route === 'index') return '';
    if (!route.endsWith(ofFolder)) return undefined;
    const folder = withoutIndex(route);
    return pagesBesideFolder.has(folder) ? undefined : folder;
  };
  const outputOf = (route: string): string => {
    if (style !== 'directory') return `${route}.html`;
    const folder = folderOf(route) ?? route;
    return folder === '' ? 'index.html' : `${folder}/index.html`;
  };
  const hrefOf = (route: string): string => {
    if (style === 'html') return `${route}.html`;
    const folder = folderOf(route);
    if (style === 'clean') return folder === undefined ? route : folder === '' ? '' : `${folder}/`;
    return (folder ?? route) === '' ? '' : `${folder ?? route}/`;
  };
  return { outputOf, hrefOf, canonicalOf: (route) => folderOf(route) ?? route };
}

const ofFolder = '/index';

function withoutIndex(route: string): string {
  return route.slice(0, -ofFolder.length);
}

export function prefixToRoot(output: string): string {
  return '../'.repeat(output.split('/').length - 1);
}

/** `./` is the current folder: an empty href would be the current page. */
export function relativeHref(prefix: string, hrefFromRoot: string): string {
  return prefix + encodePath(hrefFromRoot) || './';
}

function encodePath(path: string): string {
  /** Fast path. */
  if (/^[\w./-]*$/.test(path)) return path;
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return encoded.replaceAll('%40', '@').replaceAll('%2C', ',').replaceAll('%2B', '+');
}

/** Separates the query and fragment from the path. */
export function splitSuffix(address: string): [string, string] {
  const end = address.search(/[?#]/);
  return end < 0 ? [address, ''] : [address.slice(0, end), address.slice(end)];
}
