/**
 * The API side of loading a site, in three steps: read the descriptions that something names, let the navigation make
 * pages from them, then tell every page what it is about.
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
import type { ApiReference } from '../model/page-source.ts';
import { unlistedFindings } from './unlisted.ts';
import type { ApiSettings, ApiTarget, SpecDocument, SpecSource } from '../model/site-plan.ts';

export interface SiteApi {
  pages: ApiPages;
  /** The pages of files that name something, with what their description says about them. */
  bindPages(around: ReadonlyMap<string, readonly SpecSource[]>): {
    metas: PageMeta[];
    diagnostics: Diagnostic[];
  };
  /** What is wrong with the descriptions that these pages are about, could not be read, or is shown by none of them. */
  findingsAbout(metas: readonly PageMeta[]): Diagnostic[];
  specOf(name: string): SpecDocument | undefined;
}

export interface LoadApiOptions extends LibraryOptions {
  settings: ApiSettings;
  /** The `navigation` of the configuration. */
  navigation: unknown;
  /** The pages that have files. */
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
    message: `There is no overlay "${name}"`,
    ...placeOfAddress(name),
    hint: 'Name a file of the site, from its root.',
  };
}

interface Binding {
  binder: Binder;
  /** The descriptions that the navigation names around a page. */
  around: ReadonlyMap<string, readonly SpecSource[]>;
  /** What files are about that stand where a page would have been generated. */
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

/** The names of the descriptions that pages are about. */
export function specsOf(metas: Iterable<PageMeta>): Set<string> {
  return new Set([...metas].flatMap(({ api }) => (api && 'spec' in api ? [api.spec] : [])));
}

/** What a file of the site says about itself counts; its description fills what the file leaves open. */
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
  };
}

/** A schema has no summary: a page without a title takes its name. */
function aboutTarget(meta: PageMeta, target: ApiTarget): PageMeta {
  const name = target.kind === 'schema' && meta.reference?.needsTitle ? target.name : undefined;
  return { ...meta, ...(name === undefined ? {} : { title: name, sidebarTitle: name }), api: target };
}

/** What the navigation and the pages name: descriptions, and operations with the file that names each. */
interface Uses {
  sources: SpecSource[];
  references: { to: NamedReference; from: string }[];
}

type NamedReference = Exclude<ApiReference, { kind: 'written' }>;

const maximumDepth = 60;

function usesOf(navigation: unknown, metas: readonly PageMeta[]): Uses {
  const uses: Uses = { sources: [], references: [] };
  const note = (to: ApiReference | undefined, from: string): void => {
    if (to && to.kind !== 'written') uses.references.push({ to, from });
  };
  const visit = (value: unknown, depth: number): void => {
    if (depth > maximumDepth) return;
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

/** First what is named. All others are read only when something cannot be found in those. */
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
