/**
 * Builds the navigation tree from the `navigation` value of a configuration, against the pages that exist.
 * What cannot be shown (missing pages, generated API pages) is left out with a finding; it reads no files.
 */
import type { Diagnostic } from '../check/diagnostic.ts';
import { placeAt } from '../check/diagnostic.ts';
import { iconText } from '../icons/reference.ts';
import { type JsonObject, asList, asObject, asText, at, textAt } from '../config/json.ts';
import type { ConfigSource } from '../config/read.ts';
import type { Division, DivisionKind, GroupEntry, NavEntry, Section } from './tree.ts';

/** Finds the page a navigation entry means; undefined when there is none. */
export type FindPage = (reference: string) => string | undefined;

const divisionLists: Record<string, DivisionKind> = {
  languages: 'language',
  versions: 'version',
  products: 'product',
  tabs: 'tab',
  dropdowns: 'dropdown',
  anchors: 'anchor',
  menu: 'item',
};

const operationPattern = /^(?:\S+\s+)?(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|TRACE|WEBHOOK)\s+\S+/i;
const maximumDepth = 50;

export function buildNavigation(
  source: ConfigSource,
  findPage: FindPage,
  isHidden: (route: string) => boolean = () => false,
): { root: Section; diagnostics: Diagnostic[] } {
  const builder: Builder = { source, findPage, isHidden, diagnostics: [] };
  const root = buildSection(asObject(source.config['navigation']) ?? {}, builder, 0);
  return { root, diagnostics: builder.diagnostics };
}

interface Builder {
  source: ConfigSource;
  findPage: FindPage;
  isHidden: (route: string) => boolean;
  diagnostics: Diagnostic[];
}

function buildSection(node: JsonObject, builder: Builder, depth: number): Section {
  const section: Section = { entries: [], switchers: [], globals: [] };
  if (depth > maximumDepth) return section;
  for (const [key, kind] of Object.entries(divisionLists)) {
    const divisions = asList(node[key]).flatMap((item) => buildDivision(item, kind, builder, depth) ?? []);
    if (divisions.length) section.switchers.push({ kind, divisions });
  }
  for (const key of ['groups', 'pages']) {
    section.entries.push(...asList(node[key]).flatMap((item) => buildEntry(item, builder, depth) ?? []));
  }
  section.globals.push(...buildGlobals(node['global'], builder, depth));
  noteGeneratedPages(node, builder);
  return section;
}

function buildGlobals(value: unknown, builder: Builder, depth: number): Division[] {
  return Object.entries(divisionLists).flatMap(([key, kind]) =>
    asList(at(value, key)).flatMap((item) => buildDivision(item, kind, builder, depth) ?? []),
  );
}

function buildDivision(
  item: unknown,
  kind: DivisionKind,
  builder: Builder,
  depth: number,
): Division | undefined {
  const node = asObject(item);
  if (!node || node['hidden'] === true) return undefined;
  const label = textAt(node, 'name') ?? textAt(node, kind);
  if (!label) return undefined;
  const section = buildSection(node, builder, depth + 1);
  const href = textAt(node, 'href') ?? textAt(node, 'url');
  if (!href && !hasContent(section)) return undefined;
  return {
    kind,
    label,
    ...iconOf(node),
    ...(textAt(node, 'tag') ? { tag: textAt(node, 'tag') as string } : {}),
    ...(textAt(node, 'description') ? { description: textAt(node, 'description') as string } : {}),
    ...(href ? { href } : {}),
    isDefault: node['default'] === true,
    section,
  };
}

function hasContent(section: Section): boolean {
  return section.entries.length > 0 || section.switchers.length > 0;
}

function buildEntry(item: unknown, builder: Builder, depth: number): NavEntry | undefined {
  if (depth > maximumDepth) return undefined;
  if (typeof item === 'string') return buildPage(item, builder);
  const node = asObject(item);
  if (!node || node['hidden'] === true) return undefined;
  const label = textAt(node, 'group') ?? textAt(node, 'anchor') ?? textAt(node, 'tab');
  const href = textAt(node, 'href');
  if (href) return { kind: 'link', label: label ?? href, href, ...iconOf(node) };
  const page = asText(node['page']);
  if (page && !node['pages']) return buildPage(page, builder);
  return buildGroup(node, label ?? '', builder, depth);
}

function buildPage(reference: string, builder: Builder): NavEntry | undefined {
  if (/^https?:\/\//i.test(reference)) {
    return { kind: 'link', label: reference.replace(/^https?:\/\//i, ''), href: reference };
  }
  if (operationPattern.test(reference)) {
    note(
      builder,
      'info',
      'openapi_page_skipped',
      `The API operation "${reference}" has no page yet`,
      reference,
    );
    return undefined;
  }
  const route = builder.findPage(reference);
  if (route !== undefined) return builder.isHidden(route) ? undefined : { kind: 'page', route };
  note(
    builder,
    'warning',
    'nav_page_missing',
    `The navigation names "${reference}", but there is no such page`,
    reference,
    'Create the page, or remove the entry from the navigation.',
  );
  return undefined;
}

function buildGroup(
  node: JsonObject,
  label: string,
  builder: Builder,
  depth: number,
): GroupEntry | undefined {
  noteGeneratedPages(node, builder);
  const children = [...asList(node['pages']), ...asList(node['groups'])];
  const entries = children.flatMap((child) => buildEntry(child, builder, depth + 1) ?? []);
  const rootReference = asText(node['root']);
  const rootEntry = rootReference ? buildPage(rootReference, builder) : undefined;
  const root = rootEntry?.kind === 'page' ? rootEntry.route : undefined;
  if (entries.length === 0 && root === undefined) return undefined;
  return {
    kind: 'group',
    label,
    ...iconOf(node),
    ...(textAt(node, 'tag') ? { tag: textAt(node, 'tag') as string } : {}),
    ...(root === undefined ? {} : { root }),
    expanded: node['expanded'] === true,
    entries,
  };
}

function noteGeneratedPages(node: JsonObject, builder: Builder): void {
  const hasPages = asList(node['pages']).length > 0 || asList(node['groups']).length > 0;
  for (const key of ['openapi', 'asyncapi', 'graphql', 'sdk']) {
    if (node[key] === undefined || hasPages) continue;
    const name = asText(node[key]) ?? textAt(node[key], 'source') ?? key;
    note(
      builder,
      'info',
      'openapi_page_skipped',
      `The pages generated from "${name}" are not built yet`,
      name,
    );
  }
}

function iconOf(node: JsonObject): { icon?: string } {
  const icon = iconText(node['icon'], node['iconType']);
  return icon ? { icon } : {};
}

function note(
  builder: Builder,
  severity: Diagnostic['severity'],
  code: string,
  message: string,
  needle: string,
  hint?: string,
): void {
  const { file, text } = builder.source;
  const offset = text.indexOf(JSON.stringify(needle));
  builder.diagnostics.push({
    severity,
    code,
    message,
    file: file ?? 'docs.json',
    ...(offset < 0 ? {} : placeAt(text, offset)),
    ...(hint ? { hint } : {}),
  });
}

/** A site without configuration gets its navigation from its folders: pages first, each folder a group. */
export function navigationFromFolders(
  routes: readonly string[],
  titleOf: (route: string) => string,
): Section {
  const entries: NavEntry[] = [];
  const byFolder = new Map<string, GroupEntry>();
  const listOf = (folder: string): NavEntry[] => {
    if (folder === '') return entries;
    const known = byFolder.get(folder);
    if (known) return known.entries;
    const slash = folder.lastIndexOf('/');
    const name = folder.slice(slash + 1).replaceAll(/[-_]+/g, ' ');
    const label = name.charAt(0).toUpperCase() + name.slice(1);
    const group: GroupEntry = { kind: 'group', label, expanded: true, entries: [] };
    byFolder.set(folder, group);
    listOf(slash < 0 ? '' : folder.slice(0, slash)).push(group);
    return group.entries;
  };
  const isIndex = (route: string): boolean => /(?:^|\/)index$/.test(route);
  const ordered = [...routes].toSorted(
    (a, b) =>
      depthOf(a) - depthOf(b) ||
      Number(isIndex(b)) - Number(isIndex(a)) ||
      compareText(titleOf(a), titleOf(b)) ||
      compareText(a, b),
  );
  for (const route of ordered) {
    const slash = route.lastIndexOf('/');
    listOf(slash < 0 ? '' : route.slice(0, slash)).push({ kind: 'page', route });
  }
  return { entries, switchers: [], globals: [] };
}

/** By code unit, which is the same on every machine. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function depthOf(route: string): number {
  return route.split('/').length;
}
