/**
 * The API side of loading a site, in three steps: read the descriptions that something names, let the navigation make
 * pages from them, then tell every page what it is about.
 */
import type { Diagnostic } from '../check/diagnostic.ts';
import { type ApiSettings, type SpecSource, readSpecSources } from '../config/api.ts';
import { asObject, asText } from '../config/json.ts';
import type { PageMeta } from '../page/meta.ts';
import { Binder } from './bind.ts';
import type { DescribedEntry } from './operations.ts';
import { ApiPages, leadOf } from './generate.ts';
import { type LibraryOptions, SpecLibrary } from './library.ts';
import { type ApiReference, operationEntry } from './spelling.ts';
import type { ApiTarget, SpecDocument } from './target.ts';

export interface SiteApi {
  pages: ApiPages;
  /** Pages with what their description says about them; those that have one. */
  bindPages(around: ReadonlyMap<string, readonly SpecSource[]>): PageMeta[];
  diagnostics: Diagnostic[];
  specOf(key: string): SpecDocument | undefined;
}

export async function loadApi(
  options: LibraryOptions & {
    settings: ApiSettings;
    navigation: unknown;
    metas: ReadonlyMap<string, PageMeta>;
  },
): Promise<SiteApi> {
  const { settings, metas } = options;
  const library = new SpecLibrary(options);
  const uses = usesOf(options.navigation, [...metas.values()]);
  const sources = [...settings.openapi, ...settings.asyncapi, ...uses.sources];
  if (uses.references.length + uses.sources.length > 0) await library.scan();
  for (const { source, overlays } of sources) {
    for (const overlay of overlays.flatMap((name) => library.find(name)))
      for (const spec of library.find(source)) library.addOverlay(spec, overlay);
  }
  const configured = [...settings.openapi, ...settings.asyncapi].flatMap(({ source }) =>
    library.find(source),
  );
  const binder = new Binder(library, configured);
  await loadUsed(library, binder, configured, uses);
  const { diagnostics } = library;
  const configuredDirectory = new Map(
    [...settings.openapi, ...settings.asyncapi].flatMap(({ source, directory }) =>
      directory === undefined ? [] : library.find(source).map((spec) => [spec, directory] as const),
    ),
  );
  const pages = new ApiPages(library, binder, {
    isFile: (route) => metas.has(route),
    directoryOf: (spec) => configuredDirectory.get(spec),
  });
  return {
    pages,
    bindPages(around) {
      const bindOne = (meta: PageMeta): PageMeta[] => {
        if (!meta.reference) return [];
        const { reference, file, route } = meta;
        const bound = binder.bind(reference.to, { sources: around.get(route) ?? [], from: file });
        if (bound.finding) diagnostics.push({ ...bound.finding, file, line: reference.line });
        if (bound.entry) return [describedBy(meta, bound.entry)];
        return bound.target ? [aboutTarget(meta, bound.target)] : [];
      };
      const unnamed = [...pages.byFile].flatMap(([route, entry]) => {
        const meta = metas.get(route);
        return meta && !meta.reference ? [describedBy(meta, entry)] : [];
      });
      return [...[...metas.values()].flatMap(bindOne), ...unnamed];
    },
    diagnostics,
    specOf: (key) => library.get(key)?.document,
  };
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
