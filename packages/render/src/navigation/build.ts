/**
 * Builds the navigation tree from the configuration, existing pages and pages generated from API descriptions.
 * Invalid entries are omitted with a finding.
 */
import type { Diagnostic, Finding } from '../model/diagnostic.ts';
import { asList, asObject, asText, at, textAt } from '../config/json.ts';
import { readSpecSources } from '../config/api.ts';
import type { ConfigSource } from '../config/read.ts';
import { operationEntry } from '../source/api-spelling.ts';
import type { ApiReference } from '../model/page-source.ts';
import { colorOf, divisionsForLinks, iconOf, optionalText, routesOf } from './entries.ts';
import { NavigationFindings } from './findings.ts';
import { type CopyBudget, maxDepth, settleLevel } from './mixed-level.ts';
import type { Division, DivisionKind, GroupEntry, NavEntry, Section } from './tree.ts';
import type { JsonObject } from '../model/json.ts';
import type { SpecSource } from '../model/site-plan.ts';

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

/** Limits the entries repeated in several divisions. */
const maxCopies = 200_000;

export interface ApiNavigation {
  page(reference: ApiReference, sources: readonly SpecSource[]): { route?: string; finding?: Finding };
  expand(sources: readonly SpecSource[]): { entries: NavEntry[]; findings: Finding[] };
}

export function buildNavigation(
  source: ConfigSource,
  findPage: FindPage,
  isHidden: (route: string) => boolean = () => false,
  api?: ApiNavigation,
): BuiltNavigation {
  const builder: Builder = {
    findPage,
    isHidden,
    api,
    findings: new NavigationFindings(source),
    copies: { entriesLeft: maxCopies },
    searchable: new Map(),
    isPublic: new Map(),
    specsAround: new Map(),
    operationRoutes: new Map(),
  };
  const value = source.config['navigation'];
  /** The older format has a bare list of groups. */
  const node = Array.isArray(value) ? { groups: value as unknown[] } : (asObject(value) ?? {});
  const root = buildSection(node, builder, { depth: 0, specs: [] });
  const { findings, searchable, isPublic, specsAround, operationRoutes } = builder;
  return { root, diagnostics: findings.list, searchable, isPublic, specsAround, operationRoutes };
}

export interface BuiltNavigation {
  root: Section;
  diagnostics: Diagnostic[];
  /** The nearest enclosing node decides. */
  searchable: Map<string, boolean>;
  /** The nearest enclosing node decides. A page that is listed several times is public if no entry denies it. */
  isPublic: Map<string, boolean>;
  specsAround: Map<string, readonly SpecSource[]>;
  operationRoutes: Map<string, string>;
}

interface Inherited {
  depth: number;
  directory?: 'accordion' | 'card' | undefined;
  searchable?: boolean | undefined;
  isPublic?: boolean | undefined;
  specs: readonly SpecSource[];
}

function below(node: JsonObject, from: Inherited): Inherited {
  const directory = node['directory'];
  const searchable = node['searchable'];
  const isPublic = node['public'];
  return {
    depth: from.depth + 1,
    directory:
      directory === 'accordion' || directory === 'card'
        ? directory
        : directory === 'none'
          ? undefined
          : from.directory,
    searchable: typeof searchable === 'boolean' ? searchable : from.searchable,
    isPublic: typeof isPublic === 'boolean' ? isPublic : from.isPublic,
    specs: specsOf(node) ?? from.specs,
  };
}

/** The format ignores `asyncapi` when `openapi` is present. */
function specsOf(node: JsonObject): readonly SpecSource[] | undefined {
  return [node['openapi'], node['asyncapi']].map(readSpecSources).find((sources) => sources.length > 0);
}

interface Builder {
  findPage: FindPage;
  isHidden: (route: string) => boolean;
  api: ApiNavigation | undefined;
  findings: NavigationFindings;
  copies: CopyBudget;
  searchable: Map<string, boolean>;
  isPublic: Map<string, boolean>;
  specsAround: Map<string, readonly SpecSource[]>;
  operationRoutes: Map<string, string>;
}

function buildSection(written: JsonObject, builder: Builder, from: Inherited): Section {
  const section: Section = { entries: [], switchers: [], globals: [] };
  if (from.depth > maxDepth) return section;
  const { node, decision } = settleLevel(written, builder.copies);
  if (decision) builder.findings.addMixed(written, decision);
  const inherited = below(node, from);
  for (const [key, kind] of Object.entries(divisionLists)) {
    const divisions = asList(node[key]).flatMap((item) => buildDivision(item, kind, builder, inherited));
    if (divisions.length) section.switchers.push({ kind, divisions });
  }
  for (const key of ['groups', 'pages']) {
    section.entries.push(...asList(node[key]).flatMap((item) => buildEntry(item, builder, inherited) ?? []));
  }
  /** Menu items and tabs accept `root`, as groups do. */
  const root = asText(node['root']);
  const rootEntry = root && section.switchers.length === 0 ? buildPage(root, builder, inherited) : undefined;
  if (rootEntry) section.entries.unshift(rootEntry);
  section.globals.push(...buildGlobals(node['global'], builder, inherited));
  if (!hasContent(section) && !hasOwnPages(node))
    section.entries.push(...generatedEntries(node, builder, inherited));
  noteUnsupported(node, builder);
  return section;
}

function buildGlobals(value: unknown, builder: Builder, from: Inherited): Division[] {
  return Object.entries(divisionLists).flatMap(([key, kind]) =>
    asList(at(value, key)).flatMap((item) => buildDivision(item, kind, builder, from)),
  );
}

function buildDivision(item: unknown, kind: DivisionKind, builder: Builder, from: Inherited): Division[] {
  const node = asObject(item);
  if (!node) return [];
  if (node['hidden'] === true) {
    noteHidden(node, builder, from);
    return [];
  }
  const label = textAt(node, 'name') ?? textAt(node, kind);
  if (!label) return [];
  const section = buildSection(node, builder, from);
  const href = textAt(node, 'href') ?? textAt(node, 'url');
  if (!href && !hasContent(section)) return [];
  const division: Division = {
    kind,
    label,
    ...iconOf(node),
    ...optionalText('tag', node),
    ...optionalText('description', node),
    ...(href ? { href } : {}),
    ...(node['align'] === 'end' ? { atEnd: true } : {}),
    ...(kind === 'language' ? { own: node } : {}),
    ...colorOf(node),
    isDefault: node['default'] === true,
    section,
  };
  return href || section.switchers.length > 0 ? [division] : divisionsForLinks(division);
}

/** A hidden node still generates its pages, and may include them in search. */
function noteHidden(node: JsonObject, builder: Builder, from: Inherited): void {
  if (from.depth > maxDepth) return;
  const quiet: Builder = { ...builder, findings: builder.findings.quiet() };
  buildSection({ ...node, hidden: false }, quiet, from);
}

function hasContent(section: Section): boolean {
  return section.entries.length > 0 || section.switchers.length > 0;
}

function buildEntry(item: unknown, builder: Builder, from: Inherited): NavEntry | undefined {
  if (from.depth > maxDepth) return undefined;
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

function buildPage(reference: string, builder: Builder, inherited: Inherited): NavEntry | undefined {
  if (/^https?:\/\//i.test(reference)) {
    return { kind: 'link', label: reference.replace(/^https?:\/\//i, ''), href: reference };
  }
  const route = builder.findPage(reference);
  if (route !== undefined) return pageEntry(route, builder, inherited);
  const operation = builder.api && operationEntry(reference);
  if (builder.api && operation) {
    const { route: made, finding } = builder.api.page(operation, inherited.specs);
    if (finding) builder.findings.add({ ...finding, written: reference });
    if (made === undefined) return undefined;
    if (!builder.operationRoutes.has(reference)) builder.operationRoutes.set(reference, made);
    return pageEntry(made, builder, inherited);
  }
  builder.findings.add({
    severity: 'warning',
    code: 'nav_page_missing',
    message: `The navigation lists "${reference}", which does not exist`,
    written: reference,
    hint: 'Create the page, or remove the entry from the navigation.',
  });
  return undefined;
}

function pageEntry(
  route: string,
  builder: Builder,
  { searchable, isPublic, specs }: Inherited,
): NavEntry | undefined {
  if (isPublic !== undefined) builder.isPublic.set(route, isPublic && builder.isPublic.get(route) !== false);
  if (searchable !== undefined) builder.searchable.set(route, searchable);
  if (specs.length > 0 && !builder.specsAround.has(route)) builder.specsAround.set(route, specs);
  return builder.isHidden(route) ? undefined : { kind: 'page', route };
}

function buildGroup(
  node: JsonObject,
  label: string,
  builder: Builder,
  from: Inherited,
): GroupEntry | undefined {
  noteUnsupported(node, builder);
  const inherited = below(node, from);
  const children = [...asList(node['pages']), ...asList(node['groups'])];
  const entries = hasOwnPages(node)
    ? children.flatMap((child) => buildEntry(child, builder, inherited) ?? [])
    : generatedEntries(node, builder, inherited);
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

function hasOwnPages(node: JsonObject): boolean {
  return asList(node['pages']).length > 0 || asList(node['groups']).length > 0;
}

/** A node with API descriptions and no pages contains all their operations. */
function generatedEntries(node: JsonObject, builder: Builder, inherited: Inherited): NavEntry[] {
  const specs = specsOf(node);
  if (!specs || !builder.api) return [];
  const { entries, findings } = builder.api.expand(specs);
  for (const finding of findings) builder.findings.add({ ...finding, written: specs[0]?.source ?? '' });
  for (const route of routesOf(entries)) pageEntry(route, builder, inherited);
  return entries;
}

function noteUnsupported(node: JsonObject, builder: Builder): void {
  for (const key of ['graphql', 'sdk']) {
    if (node[key] === undefined) continue;
    const name = asText(node[key]) ?? textAt(node[key], 'source') ?? key;
    const message = `No pages are generated from "${name}" (${key})`;
    builder.findings.add({ severity: 'info', code: 'reference_unsupported', message, written: name });
  }
}
