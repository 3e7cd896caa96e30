/** The pages that the configured navigation names, as routes. */
import { asObject } from '../config/json.ts';
import { maximumDepth } from './mixed-level.ts';
import { plainRoute } from './plain-route.ts';

/** Values of these keys name pages. */
const pageKeys: ReadonlySet<string> = new Set(['pages', 'page', 'root']);

export function namedPages(navigation: unknown): Set<string> {
  const routes = new Set<string>();
  const collect = (value: unknown, isPage: boolean, depth: number): void => {
    if (typeof value === 'string' && isPage) routes.add(plainRoute(value));
    if (depth > 2 * maximumDepth) return;
    if (Array.isArray(value)) for (const item of value) collect(item, isPage, depth + 1);
    else
      for (const [key, item] of Object.entries(asObject(value) ?? {}))
        collect(item, pageKeys.has(key), depth + 1);
  };
  collect(navigation, false, 0);
  return routes;
}
