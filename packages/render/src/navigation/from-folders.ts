/**
 * Derives the navigation from folders for a site that configures none: folders are groups, pages are sorted by
 * number and name.
 */
import { compareText } from '../model/diagnostic.ts';
import type { GroupEntry, NavEntry, Section } from './tree.ts';

export interface FolderPage {
  route: string;
  title: string;
  order?: number | undefined;
}

const firstNames = [
  'index',
  'introduction',
  'overview',
  'welcome',
  'getting-started',
  'quickstart',
  'installation',
];

export function navigationFromFolders(pages: readonly FolderPage[]): Section {
  const entries: NavEntry[] = [];
  const byFolder = new Map<string, GroupEntry>();
  const listOf = (folder: string): NavEntry[] => {
    if (folder === '') return entries;
    const known = byFolder.get(folder);
    if (known) return known.entries;
    const slash = folder.lastIndexOf('/');
    const name = folder
      .slice(slash + 1)
      .replace(/^\d+[-_. ]+/, '')
      .replaceAll(/[-_]+/g, ' ');
    const label = name.charAt(0).toUpperCase() + name.slice(1);
    const group: GroupEntry = { kind: 'group', label, expanded: true, entries: [] };
    byFolder.set(folder, group);
    listOf(slash < 0 ? '' : folder.slice(0, slash)).push(group);
    return group.entries;
  };
  const rank = ({ route }: FolderPage): number => {
    const at = firstNames.indexOf(route.slice(route.lastIndexOf('/') + 1).toLowerCase());
    return at < 0 ? firstNames.length : at;
  };
  const ordered = [...pages].toSorted(
    (a, b) =>
      depthOf(a.route) - depthOf(b.route) ||
      (a.order ?? Infinity) - (b.order ?? Infinity) ||
      rank(a) - rank(b) ||
      numberBefore(a.route) - numberBefore(b.route) ||
      compareText(a.title, b.title) ||
      compareText(a.route, b.route),
  );
  for (const { route } of ordered) {
    const slash = route.lastIndexOf('/');
    listOf(slash < 0 ? '' : route.slice(0, slash)).push({ kind: 'page', route });
  }
  return { entries, switchers: [], globals: [] };
}

/** Numbered names such as `02-setup` sort numerically and before unnumbered ones. */
function numberBefore(route: string): number {
  return Number(/(?:^|\/)(\d{1,6})[-_. ][^/]*$/.exec(route)?.[1] ?? 1e9);
}

function depthOf(route: string): number {
  return route.split('/').length;
}
