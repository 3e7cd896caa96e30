/** Finds the page that an entry of the navigation or a caller names. */
import type { PageMeta } from '../model/page-source.ts';
import type { FindPage } from './build.ts';

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

/** Forgives what people write: a leading or trailing slash, an extension. */
function normalizedRoute(path: string): string {
  return path
    .trim()
    .replace(/[?#].*$/, '')
    .replace(/\.(?:mdx?|html)$/i, '')
    .replaceAll(/^\/+|\/+$/g, '');
}
