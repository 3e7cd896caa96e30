/** Decides which folders have an llms.txt of their own. */
import { isListed } from '../site/visibility.ts';
import type { OutputContext } from './contract.ts';

/** Smaller folders are listed in the index above them. */
const minPages = 5;

export interface IndexedFolder {
  folder: string;
  /** In the order of the site. */
  routes: string[];
}

export function listedRoutes({ site, pages }: Pick<OutputContext, 'site' | 'pages'>): string[] {
  return pages
    .filter(({ route, failed }) => !failed && isListed(site, site.metas.get(route)))
    .map(({ route }) => route);
}

/** The folders directly in a folder. */
export function childFolders(folder: string, routes: readonly string[]): IndexedFolder[] {
  const found = new Map<string, string[]>();
  const start = folder === '' ? 0 : folder.length + 1;
  for (const route of routes) {
    const end = route.indexOf('/', start);
    if (end < 0) continue;
    const child = route.slice(0, end);
    const inside = found.get(child);
    if (inside === undefined) found.set(child, [route]);
    else inside.push(route);
  }
  return [...found]
    .map(([child, inside]) => ({ folder: child, routes: inside }))
    .filter(({ routes: inside }) => inside.length >= minPages);
}

export function folderIndexPath(folder: string): string {
  return `${folder}/llms.txt`;
}
