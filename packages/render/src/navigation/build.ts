/**
 * Builds the navigation tree from the `navigation` value of a configuration, against the pages that exist.
 * What cannot be shown (missing pages, generated API pages) is left out with a finding; it reads no files.
 */
import type { DiagnosticCode } from '../check/codes.ts';
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
): BuiltNavigation {
  const builder: Builder = { source, findPage, isHidden, diagnostics: [], searchable: new Map() };
  const value = source.config['navigation'];
  /** A bare list is what the older format had: groups. */
  const node = Array.isArray(value) ? { groups: value as unknown[] } : (asObject(value) ?? {});
  const root = buildSection(node, builder, { depth: 0 });
  return { root, diagnostics: builder.diagnostics, searchable: builder.searchable };
}

export interface BuiltNavigation {
  root: Section;
  diagnostics: Diagnostic[];
  /** Pages about whose place in the search the navigation says something; the nearest node around a page counts. */
  searchable: Map<string, boolean>;
}

/** What a node hands down to everything below it. */
interface Inherited {
  depth: number;
  directory?: 'accordion' | 'card' | undefined;
  searchable?: boolean | undefined;
}

function below(node: JsonObject, from: Inherited): Inherited {
  const directory = node['directory'];
  const searchable = node['searchable'];
  return {
    depth: from.depth + 1,
    directory:
      directory === 'accordion' || directory === 'card'
        ? directory
        : directory === 'none'
          ? undefined
          : from.directory,
    searchable: typeof searchable === 'boolean' ? searchable : from.searchable,
  };
}

interface Builder {
  source: ConfigSource;
  findPage: FindPage;
  isHidden: (route: string) => boolean;
  diagnostics: Diagnostic[];
  searchable: Map<string, boolean>;
}

function buildSection(node: JsonObject, builder: Builder, from: Inherited): Section {
  const section: Section = { entries: [], switchers: [], globals: [] };
  if (from.depth > maximumDepth) return section;
  const inherited = below(node, from);
  for (const [key, kind] of Object.entries(divisionLists)) {
    const divisions = asList(node[key]).flatMap(
      (item) => buildDivision(item, kind, builder, inherited) ?? [],
    );
    if (divisions.length) section.switchers.push({ kind, divisions });
  }
  for (const key of ['groups', 'pages']) {
    section.entries.push(...asList(node[key]).flatMap((item) => buildEntry(item, builder, inherited) ?? []));
  }
  /** A menu item or tab may name its first page the way a group does. */
  const root = asText(node['root']);
  const rootEntry = root && section.switchers.length === 0 ? buildPage(root, builder, inherited) : undefined;
  if (rootEntry) section.entries.unshift(rootEntry);
  section.globals.push(...buildGlobals(node['global'], builder, inherited));
  noteGeneratedPages(node, builder);
  return section;
}

function buildGlobals(value: unknown, builder: Builder, from: Inherited): Division[] {
  return Object.entries(divisionLists).flatMap(([key, kind]) =>
    asList(at(value, key)).flatMap((item) => buildDivision(item, kind, builder, from) ?? []),
  );
}

function buildDivision(
  item: unknown,
  kind: DivisionKind,
  builder: Builder,
  from: Inherited,
): Division | undefined {
  const node = asObject(item);
  if (!node) return undefined;
  if (node['hidden'] === true) {
    noteHidden(node, builder, from);
    return undefined;
  }
  const label = textAt(node, 'name') ?? textAt(node, kind);
  if (!label) return undefined;
  const section = buildSection(node, builder, from);
  const href = textAt(node, 'href') ?? textAt(node, 'url');
  if (!href && !hasContent(section)) return undefined;
  return {
    kind,
    label,
    ...iconOf(node),
    ...optionalText('tag', node),
    ...optionalText('description', node),
    ...(href ? { href } : {}),
    ...(node['align'] === 'end' ? { atEnd: true } : {}),
    ...(kind === 'language' ? { own: node } : {}),
    isDefault: node['default'] === true,
    section,
  };
}

function optionalText<Key extends 'tag' | 'description'>(
  key: Key,
  node: JsonObject,
): Partial<Record<Key, string>> {
  const value = textAt(node, key);
  return value === undefined ? {} : ({ [key]: value } as Record<Key, string>);
}

/** What is hidden may still be part of the search, when its node says so. */
function noteHidden(node: JsonObject, builder: Builder, from: Inherited): void {
  const { searchable, depth } = below(node, from);
  if (searchable === undefined || depth > maximumDepth) return;
  const quiet: Builder = { ...builder, diagnostics: [] };
  buildSection({ ...node, hidden: false }, quiet, from);
}

function hasContent(section: Section): boolean {
  return section.entries.length > 0 || section.switchers.length > 0;
}

function buildEntry(item: unknown, builder: Builder, from: Inherited): NavEntry | undefined {
  if (from.depth > maximumDepth) return undefined;
  if (typeof item === 'string') return buildPage(item, builder, from);
  const node = asObject(item);
  if (!node) return undefined;
  if (node['hidden'] === true) {
    noteHidden(node, builder, from);
    return undefined;
  }
  const label =
    textAt(node, 'group') ?? textAt(node, 'anchor') ?? textAt(node, 'tab') ?? textAt(node, 'title');
  const href = textAt(node, 'href') ?? textAt(node, 'url');
  if (href) return { kind: 'link', label: label ?? href, href, ...iconOf(node) };
  const page = asText(node['page']);
  if (page && !node['pages']) return buildPage(page, builder, from);
  return buildGroup(node, label ?? '', builder, from);
}

function buildPage(reference: string, builder: Builder, { searchable }: Inherited): NavEntry | undefined {
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
  if (route !== undefined) {
    if (searchable !== undefined) builder.searchable.set(route, searchable);
    return builder.isHidden(route) ? undefined : { kind: 'page', route };
  }
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
  from: Inherited,
): GroupEntry | undefined {
  noteGeneratedPages(node, builder);
  const inherited = below(node, from);
  const children = [...asList(node['pages']), ...asList(node['groups'])];
  const entries = children.flatMap((child) => buildEntry(child, builder, inherited) ?? []);
  const rootReference = asText(node['root']);
  const rootEntry = rootReference ? buildPage(rootReference, builder, inherited) : undefined;
  const root = rootEntry?.kind === 'page' ? rootEntry.route : undefined;
  if (entries.length === 0 && root === undefined) return undefined;
  return {
    kind: 'group',
    label,
    ...iconOf(node),
    ...optionalText('tag', node),
    ...(root === undefined ? {} : { root }),
    ...(inherited.directory ? { directory: inherited.directory } : {}),
    expanded: node['expanded'] === true || node['collapsed'] === false,
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
  code: DiagnosticCode,
  message: string,
  needle: string,
  hint?: string,
): void {
  builder.diagnostics.push({
    severity,
    code,
    message,
    ...placeOfText(builder.source, JSON.stringify(needle)),
    ...(hint ? { hint } : {}),
  });
}

/** The configuration may be spread over several files. */
function placeOfText(
  { file = 'docs.json', text, parts = [] }: ConfigSource,
  needle: string,
): { file: string; line?: number; column?: number } {
  for (const part of [{ file, text }, ...parts]) {
    const offset = part.text.indexOf(needle);
    if (offset >= 0) return { file: part.file, ...placeAt(part.text, offset) };
  }
  return { file };
}

/** What navigation from folders is made of: the address of a page, its title, and its place if the page names one. */
export interface FolderPage {
  route: string;
  title: string;
  order?: number | undefined;
}

/** Names of pages that readers expect first, in this order. */
const firstNames = [
  'index',
  'introduction',
  'overview',
  'welcome',
  'getting-started',
  'quickstart',
  'installation',
];

/** A site without configuration gets its navigation from its folders: pages first, each folder a group. */
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

/** `02-setup` stands before `10-usage`, and both before pages without a number. */
function numberBefore(route: string): number {
  return Number(/(?:^|\/)(\d{1,6})[-_. ][^/]*$/.exec(route)?.[1] ?? 1e9);
}

/** By code unit, which is the same on every machine. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function depthOf(route: string): number {
  return route.split('/').length;
}
