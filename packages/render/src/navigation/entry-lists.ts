/** What lists of navigation entries hold, with what is in their groups. */
import type { Division, LinkEntry, NavEntry } from './tree.ts';

/** No page could show the sidebar of a division that holds only links, so each of its links stands for itself. */
export function divisionsForLinks(division: Division): Division[] {
  const { entries, globals } = division.section;
  if (routesOf(entries).length > 0) return [division];
  const links = linksOf(entries);
  return links.map(({ label, href, icon }) => ({
    ...division,
    ...(links.length > 1 ? { label, ...(icon ? { icon } : {}) } : {}),
    href,
    section: { entries: [], switchers: [], globals },
  }));
}

export function routesOf(entries: readonly NavEntry[]): string[] {
  return entries.flatMap((entry) => {
    if (entry.kind === 'group')
      return [...(entry.root === undefined ? [] : [entry.root]), ...routesOf(entry.entries)];
    return entry.kind === 'page' ? [entry.route] : [];
  });
}

function linksOf(entries: readonly NavEntry[]): LinkEntry[] {
  return entries.flatMap((entry) =>
    entry.kind === 'group' ? linksOf(entry.entries) : entry.kind === 'link' ? [entry] : [],
  );
}
