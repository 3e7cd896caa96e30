/**
 * Connects a site with its API descriptions: loads the referenced ones, generates pages from the navigation,
 * and binds pages to operations.
 */
import type { Diagnostic } from '../model/diagnostic.ts';
import { readSpecSources } from '../config/api.ts';
import { asObject, asText } from '../config/json.ts';
import type { PageMeta } from '../model/page-source.ts';
import { Binder } from './bind.ts';
import type { DescribedEntry } from './operations.ts';
import { ApiPages, leadOf } from './generate.ts';
import { type LibraryOptions, SpecLibrary } from './library.ts';
import { operationEntry } from '../source/api-spelling.ts';
import { readGroups } from '../source/page-meta.ts';
import type { ApiReference } from '../model/page-source.ts';
import type { ApiSettings, ApiTarget, SpecDocument, SpecSource } from '../model/site-plan.ts';

export interface SiteApi {
  pages: ApiPages;
  bindPages(around: ReadonlyMap<string, readonly SpecSource[]>): {
    metas: PageMeta[];
    diagnostics: Diagnostic[];
  };
  findingsAbout(metas: readonly PageMeta[]): Diagnostic[];
  specOf(name: string): SpecDocument | undefined;
}

export interface LoadApiOptions extends LibraryOptions {
  settings: ApiSettings;
  navigation: unknown;
  metas: ReadonlyMap<string, PageMeta>;
}

export async function loadApi(options: LoadApiOptions): Promise<SiteApi> {
  const { settings, metas } = options;
  const library = new SpecLibrary(options);
  const uses = usesOf(options.navigation, [...metas.values()]);
  await library.scan();
  const configured = [...settings.openapi, ...settings.asyncapi];
  addOverlays(library, [...configured, ...uses.sources], options);
  const directories = new Map(
    configured.flatMap(({ source, directory }) =>
      library.find(source).map((spec) => [spec, directory] as const),
    ),
  );
  const binder = new Binder(library, [...directories.keys()]);
  await loadUsed(library, binder, [...directories.keys()], uses);
  const pages = new ApiPages(library, binder, {
    isFile: (route) => metas.has(route),
    directoryOf: (spec) => directories.get(spec),
  });
  return {
    pages,
    bindPages: (around) => bindFiles([...metas.values()], { binder, around, byAddress: pages.byFile }),
    findingsAbout: (all) => [
      ...library.diagnostics,
      ...[...specsOf(all)].flatMap((name) => library.get(name)?.findings ?? []),
      ...unlistedFindings(library, all),
    ],
    specOf: (name) => library.get(name)?.document,
  };
}

function addOverlays(library: SpecLibrary, sources: readonly SpecSource[], options: LoadApiOptions): void {
  for (const { source, overlays } of sources) {
    for (const name of overlays) {
      const [overlay] = library.find(name);
      for (const spec of overlay === undefined ? [] : library.find(source))
        library.addOverlay(spec, overlay ?? '');
      if (overlay === undefined) library.diagnostics.push(missingOverlay(name, options));
    }
  }
}

function missingOverlay(name: string, { placeOfAddress }: LoadApiOptions): Diagnostic {
  return {
    severity: 'warning',
    code: 'openapi_overlay',
    message: `The overlay "${name}" does not exist`,
    ...placeOfAddress(name),
    hint: 'Use the path of a file, relative to the root of the site.',
  };
}

interface Binding {
  binder: Binder;
  around: ReadonlyMap<string, readonly SpecSource[]>;
  byAddress: ReadonlyMap<string, DescribedEntry>;
}

function bindFiles(
  metas: readonly PageMeta[],
  { binder, around, byAddress }: Binding,
): ReturnType<SiteApi['bindPages']> {
  const diagnostics: Diagnostic[] = [];
  const bound = metas.flatMap((meta): PageMeta[] => {
    const { reference, file, route } = meta;
    if (!reference) {
      const entry = byAddress.get(route);
      return entry ? [describedBy(meta, entry)] : [];
    }
    const { entry, target, finding } = binder.bind(reference.to, {
      sources: around.get(route) ?? [],
      from: file,
    });
    if (finding) diagnostics.push({ ...finding, file, line: reference.line });
    if (entry) return [describedBy(meta, entry)];
    return target ? [aboutTarget(meta, target)] : [];
  });
  return { metas: bound, diagnostics };
}

export function specsOf(metas: Iterable<PageMeta>): Set<string> {
  return new Set([...metas].flatMap(({ api }) => (api && 'spec' in api ? [api.spec] : [])));
}

/** The page's own values win over those of the description. */
function describedBy(meta: PageMeta, entry: DescribedEntry): PageMeta {
  const title = meta.reference?.needsTitle ? entry.title : undefined;
  return {
    ...meta,
    title: title ?? meta.title,
    sidebarTitle: meta.sidebarTitle === meta.title ? (title ?? meta.title) : meta.sidebarTitle,
    description: meta.description || leadOf(entry.description),
    deprecated: meta.deprecated || entry.deprecated,
    endpoint: entry.endpoint,
    api: entry.target,
    groups: meta.groups.length > 0 ? meta.groups : readGroups(entry.metadata['groups']),
  };
}

/** A schema has no summary; its name becomes the title. */
function aboutTarget(meta: PageMeta, target: ApiTarget): PageMeta {
  const name = target.kind === 'schema' && meta.reference?.needsTitle ? target.name : undefined;
  return { ...meta, ...(name === undefined ? {} : { title: name, sidebarTitle: name }), api: target };
}

interface Uses {
  sources: SpecSource[];
  references: { to: NamedReference; from: string }[];
}

type NamedReference = Exclude<ApiReference, { kind: 'front-matter' }>;

const maxDepth = 60;

function usesOf(navigation: unknown, metas: readonly PageMeta[]): Uses {
  const uses: Uses = { sources: [], references: [] };
  const note = (to: ApiReference | undefined, from: string): void => {
    if (to && to.kind !== 'front-matter') uses.references.push({ to, from });
  };
  const visit = (value: unknown, depth: number): void => {
    if (depth > maxDepth) return;
    const text = asText(value);
    if (text !== undefined) return note(operationEntry(text), '');
    if (Array.isArray(value)) return value.forEach((item) => visit(item, depth + 1));
    for (const [key, item] of Object.entries(asObject(value) ?? {})) {
      if (key === 'openapi' || key === 'asyncapi') uses.sources.push(...readSpecSources(item));
      else visit(item, depth + 1);
    }
  };
  visit(navigation, 0);
  for (const { reference, file } of metas) note(reference?.to, file);
  return uses;
}

/** Loads referenced descriptions first; all others only when a reference cannot be resolved. */
async function loadUsed(
  library: SpecLibrary,
  binder: Binder,
  configured: readonly string[],
  uses: Uses,
): Promise<void> {
  const { sources, references } = uses;
  const named = references.flatMap(({ to, from }) =>
    to.file === undefined ? [] : library.find(to.file, from),
  );
  const hasUnnamed = references.some(({ to }) => to.file === undefined);
  await library.load([
    ...sources.flatMap(({ source }) => library.find(source)),
    ...named,
    ...(hasUnnamed ? configured : []),
  ]);
  const isFound = ({ to, from }: Uses['references'][number]): boolean =>
    binder.bind(to, { sources, from }).target !== undefined;
  if (!references.every(isFound)) await library.load(library.candidates);
}

const maxNamed = 200;

function unlistedFindings(library: SpecLibrary, metas: Iterable<PageMeta>): Diagnostic[] {
  const shown = new Map<string, Set<string>>();
  for (const { api } of metas) {
    if (!api || api.kind === 'front-matter') continue;
    const targets = shown.get(api.spec) ?? new Set();
    shown.set(api.spec, targets.add(nameOf(api)));
  }
  const partly = [...shown].flatMap(([spec, targets]) => unlistedIn(library, spec, targets) ?? []);
  const refused = new Set(library.diagnostics.map(({ file }) => file));
  const unused = library.candidates.filter((file) => !shown.has(file) && !refused.has(file));
  return [...partly, ...unused.map(unusedFinding)];
}

function unlistedIn(library: SpecLibrary, spec: string, shown: ReadonlySet<string>): Diagnostic | undefined {
  const entries = (library.get(spec)?.entries ?? []).filter(({ isExcluded }) => !isExcluded);
  const names = entries.map(({ target }) => nameOf(target)).filter((name) => !shown.has(name));
  if (names.length === 0) return undefined;
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return {
    severity: 'info',
    code: 'openapi_unlisted',
    message: `${names.length} of ${entries.length} operations have no page: ${names.slice(0, maxNamed).join(', ')}${more}`,
    file: spec,
    hint: 'Add them to the navigation, or assign the whole API description to a navigation node.',
  };
}

function unusedFinding(file: string): Diagnostic {
  return {
    severity: 'info',
    code: 'openapi_unused',
    message: 'No page uses this API description',
    file,
    hint: 'Reference it in the navigation, in front matter or under "api", or add it to .mintignore.',
  };
}

function nameOf(target: Exclude<ApiTarget, { kind: 'front-matter' }>): string {
  if (target.kind === 'operation') return `${target.method.toUpperCase()} ${target.path}`;
  return `${target.kind} ${target.name}`;
}
