/** The navigation without the pages that the readers may not see. */
import { divisionsForLinks } from './entries.ts';
import type { Division, NavEntry, Section, Switcher } from './tree.ts';

type IsVisible = (route: string) => boolean;

export function visibleSection(section: Section, isVisible: IsVisible): Section {
  return {
    entries: section.entries.flatMap((entry) => visibleEntry(entry, isVisible) ?? []),
    switchers: section.switchers.flatMap((switcher) => visibleSwitcher(switcher, isVisible) ?? []),
    globals: visibleDivisions(section.globals, isVisible),
  };
}

/** A group or division whose pages are all hidden is hidden with its name and its links. */
function visibleEntry(entry: NavEntry, isVisible: IsVisible): NavEntry | undefined {
  if (entry.kind === 'link') return entry;
  if (entry.kind === 'page') return isVisible(entry.route) ? entry : undefined;
  if (hasPage(entry) && !hasPage(entry, isVisible)) return undefined;
  const { root, ...group } = entry;
  return {
    ...group,
    ...(root !== undefined && isVisible(root) ? { root } : {}),
    entries: entry.entries.flatMap((inner) => visibleEntry(inner, isVisible) ?? []),
  };
}

function visibleSwitcher({ kind, divisions }: Switcher, isVisible: IsVisible): Switcher | undefined {
  const visible = visibleDivisions(divisions, isVisible);
  return visible.length === 0 ? undefined : { kind, divisions: visible };
}

function visibleDivisions(divisions: readonly Division[], isVisible: IsVisible): Division[] {
  return divisions.flatMap((division) => {
    if (sectionHasPage(division.section) && !sectionHasPage(division.section, isVisible)) return [];
    const visible = { ...division, section: visibleSection(division.section, isVisible) };
    return visible.href !== undefined || visible.section.switchers.length > 0
      ? [visible]
      : divisionsForLinks(visible);
  });
}

function hasPage(entry: NavEntry, isVisible: IsVisible = () => true): boolean {
  if (entry.kind === 'link') return false;
  if (entry.kind === 'page') return isVisible(entry.route);
  if (entry.root !== undefined && isVisible(entry.root)) return true;
  return entry.entries.some((inner) => hasPage(inner, isVisible));
}

function sectionHasPage({ entries, switchers }: Section, isVisible?: IsVisible): boolean {
  return (
    entries.some((entry) => hasPage(entry, isVisible)) ||
    switchers.some(({ divisions }) => divisions.some(({ section }) => sectionHasPage(section, isVisible)))
  );
}
