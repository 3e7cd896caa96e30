/** Fields and entry lists shared by divisions and groups. */
import { textAt } from '../config/json.ts';
import { readColorPair } from '../config/surroundings.ts';
import { iconText } from '../icons/reference.ts';
import type { Division, LinkEntry, NavEntry } from './tree.ts';
import type { JsonObject } from '../model/json.ts';

export function colorOf({ color }: JsonObject): Pick<Division, 'color'> {
  const pair = readColorPair(color);
  const plain = (text: string): string => text.trim().toLowerCase();
  return pair ? { color: { light: plain(pair.light), dark: plain(pair.dark) } } : {};
}

export function optionalText<Key extends 'tag' | 'description'>(
  key: Key,
  node: JsonObject,
): Partial<Record<Key, string>> {
  const value = textAt(node, key);
  return value === undefined ? {} : ({ [key]: value } as Record<Key, string>);
}

export function iconOf(node: JsonObject): { icon?: string } {
  const icon = iconText(node['icon'], node['iconType']);
  return icon ? { icon } : {};
}

/** A division that contains only links has no page to show its sidebar, so each link becomes a division. */
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
