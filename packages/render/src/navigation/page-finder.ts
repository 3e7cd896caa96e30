import type { PageMeta } from '../model/page-source.ts';
import type { FindPage } from './build.ts';
import { asObject } from '../config/json.ts';
import { maxDepth } from './mixed-level.ts';
import { plainRoute } from './plain-route.ts';

export function pageFinder(
  metas: ReadonlyMap<string, PageMeta>,
  renamed: ReadonlyMap<string, string>,
): FindPage {
  return (reference) => {
    const asWritten = reference
      .trim()
      .replace(/\.mdx?$/i, '')
      .replaceAll(/^\/+|\/+$/g, '');
    const newName = renamed.get(asWritten) ?? renamed.get(`${asWritten}/index`);
    if (newName !== undefined && metas.has(newName)) return newName;
    const route = normalizedRoute(reference);
    return [route, route === '' ? 'index' : `${route}/index`].find((candidate) => metas.has(candidate));
  };
}

/** Accepts leading and trailing slashes and extensions. */
function normalizedRoute(path: string): string {
  return path
    .trim()
    .replace(/[?#].*$/, '')
    .replace(/\.(?:mdx?|html)$/i, '')
    .replaceAll(/^\/+|\/+$/g, '');
}

const pageKeys: ReadonlySet<string> = new Set(['pages', 'page', 'root']);

export function namedPages(navigation: unknown): Set<string> {
  const routes = new Set<string>();
  const collect = (value: unknown, isPage: boolean, depth: number): void => {
    if (typeof value === 'string' && isPage) routes.add(plainRoute(value));
    if (depth > 2 * maxDepth) return;
    if (Array.isArray(value)) for (const item of value) collect(item, isPage, depth + 1);
    else
      for (const [key, item] of Object.entries(asObject(value) ?? {}))
        collect(item, pageKeys.has(key), depth + 1);
  };
  collect(navigation, false, 0);
  return routes;
}
