/**
 * Loads a site: its configuration, files, front matter and navigation, without rendering. It throws only when
 * there is nothing to render.
 */
import { stat } from 'node:fs/promises';
import { basename, join, posix } from 'node:path';
import { RemoteHosts } from '../assets/remote-hosts.ts';
import { type Diagnostic, SiteLoadError, compareDiagnostics } from '../model/diagnostic.ts';
import { type ConfigSource, readConfig } from '../config/read.ts';
import { readSettings } from '../config/settings.ts';
import { placeFinder } from '../config/shape.ts';
import { type NavigationMap, mapNavigation } from '../navigation/branches.ts';
import { type BuiltNavigation, type FindPage, buildNavigation } from '../navigation/build.ts';
import { placeOfText } from '../navigation/findings.ts';
import { navigationFromFolders } from '../navigation/from-folders.ts';
import type { Section } from '../navigation/tree.ts';
import { type SiteFiles, listFiles, pageFiles, routeOfFile } from '../navigation/files.ts';
import { namedPages, pageFinder } from '../navigation/page-finder.ts';
import { renamedPaths } from '../navigation/safe-names.ts';
import type { ApiPages } from '../openapi/generate.ts';
import { loadApi } from '../openapi/site-api.ts';
import { maxSourceBytes, readSource } from '../source/source.ts';
import { navigationRules } from '../search/pages.ts';
import { readPageMeta } from '../source/page-meta.ts';
import type { PageMeta, PageSource } from '../model/page-source.ts';
import { shortHash } from '../text/short-hash.ts';
import type { Site, PageRef, LoadOptions } from '../site/site.ts';
import { prepareRenderProcesses } from './start-process.ts';

export async function loadSite({ root, fetchRemote, renderProcesses, cache }: LoadOptions): Promise<Site> {
  const startedAtMs = Date.now();
  if (renderProcesses !== undefined) prepareRenderProcesses(renderProcesses);
  await requireFolder(root);
  const source = await readConfig(root);
  const { settings, diagnostics: settingFindings } = readSettings(source, basename(root));
  const files = cache?.files ?? (await listFiles(root));
  if (cache) cache.files = files;
  const named = namedPages(source.config['navigation']);
  const read = readPages(root, files, named, cache?.pages);
  const { renamedRoutes } = read;
  const fromFiles = new Map(read.pages.map(({ meta }) => [meta.route, meta]));
  const remoteHosts = new RemoteHosts();
  const api = await loadApi({
    root,
    files: files.all,
    fetchRemote: fetchRemote && remoteHosts.bounded(fetchRemote),
    cache: cache?.specs,
    settings: settings.api,
    navigation: source.config['navigation'],
    metas: fromFiles,
    placeOfAddress: (url) => placeOfText(source, JSON.stringify(url)),
  });
  const built = buildTree(source, pageFinder(fromFiles, renamedRoutes), fromFiles, api.pages);
  const bound = api.bindPages(built.specsAround);
  const metas = new Map([...fromFiles, ...api.pages.generated]);
  if (metas.size === 0) throw new SiteLoadError(emptySite(source));
  for (const meta of bound.metas) metas.set(meta.route, meta);
  for (const meta of metas.values()) {
    const isPublic = meta.isPublic ?? built.isPublic.get(meta.route) ?? settings.isPublic;
    if (isPublic !== meta.isPublic) metas.set(meta.route, { ...meta, isPublic });
  }
  const navigation = mapNavigation(built.root);
  const findPage = pageFinder(metas, renamedRoutes);
  return {
    name: settings.name,
    pages: orderedPages(metas, navigation),
    diagnostics: [
      ...source.diagnostics,
      ...settingFindings,
      ...built.diagnostics,
      ...read.diagnostics,
      ...bound.diagnostics,
      ...api.findingsAbout([...metas.values()]),
    ].toSorted(compareDiagnostics),
    root,
    sourceHashes: new Map(read.pages.map(({ meta, sourceHash }) => [meta.file, sourceHash])),
    loadStartedAtMs: startedAtMs,
    remoteHosts,
    renamedRoutes,
    frameAddresses: addressesWithFragment(source.config),
    configFile: source.file ?? 'docs.json',
    placeInConfig: placeFinder(source.text),
    settings,
    files,
    navigationRoot: built.root,
    navigation,
    searchable: built.searchable,
    metas,
    searchRules: navigationRules(
      source.config['navigation'],
      (reference) => findPage(reference) ?? built.operationRoutes.get(reference),
    ),
    specOf: api.specOf,
  };
}

/** Strings of a configuration that may be, or contain, an address with a fragment. */
function addressesWithFragment(config: Readonly<Record<string, unknown>>): string[] {
  const found = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === 'string') {
      if (!value.includes('#')) return;
      for (const word of value.split(/[\s"'()<>[\]]/))
        if (word.indexOf('#') > 0 && !/^[a-z][a-z\d+.-]*:/i.test(word)) found.add(word);
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  for (const [key, value] of Object.entries(config)) if (key !== 'redirects') collect(value);
  return [...found];
}

async function requireFolder(root: string): Promise<void> {
  const found = await stat(root).catch(() => undefined);
  if (found?.isDirectory()) return;
  throw new SiteLoadError({
    severity: 'error',
    code: 'site_missing',
    message: 'The folder of the site does not exist',
    file: 'docs.json',
    hint: 'Check the path of the documentation inside the repository.',
  });
}

function emptySite(source: ConfigSource): Diagnostic {
  return {
    severity: 'error',
    code: 'site_empty',
    message: 'The site has no pages',
    file: source.file ?? 'docs.json',
    hint: 'Add at least one .mdx or .md file beside docs.json.',
  };
}

function readPages(
  root: string,
  files: SiteFiles,
  named: ReadonlySet<string>,
  known?: Map<string, PageSource>,
): { pages: PageSource[]; diagnostics: Diagnostic[]; renamedRoutes: Map<string, string> } {
  const byRoute = new Map<string, string>();
  const diagnostics: Diagnostic[] = [];
  /** `a.md` sorts before `a.mdx`, and the later one wins. */
  for (const file of pageFiles(files, named)) {
    const route = routeOfFile(file);
    const other = byRoute.get(route);
    if (other !== undefined) diagnostics.push(duplicateRoute(other, file));
    byRoute.set(route, file);
  }
  const pages = [...byRoute].map(([route, file]) => {
    const page = known?.get(file) ?? readPageSource(root, file, route);
    known?.set(file, page);
    return page;
  });
  const imported = new Set(
    pages.flatMap(({ meta, imports }) => imports.map((path) => importedFile(path, meta.file))),
  );
  const kept = pages.filter(({ meta }) => !imported.has(meta.file) || named.has(meta.route));
  const renamedRoutes = renamedPaths(kept.map(({ meta }) => meta.route));
  const withRoutes = renamedRoutes.size === 0 ? kept : kept.map((page) => withRoute(page, renamedRoutes));
  return {
    pages: withRoutes,
    diagnostics: [...diagnostics, ...kept.flatMap((page) => page.diagnostics)],
    renamedRoutes,
  };
}

function withRoute(page: PageSource, renamed: ReadonlyMap<string, string>): PageSource {
  const route = renamed.get(page.meta.route);
  return route === undefined ? page : { ...page, meta: { ...page.meta, route } };
}

/**
 * A page over the size limit counts as empty here and becomes an error panel later. Synchronous, because that
 * is faster for many small files.
 */
export function readPageSource(root: string, file: string, route: string): PageSource {
  const bytes = readSource(join(root, file));
  const page = readPageMeta(bytes.length > maxSourceBytes ? new Uint8Array() : bytes, file, route);
  return { ...page, sourceHash: shortHash(bytes) };
}

function importedFile(path: string, from: string): string {
  return /^\.\.?\//.test(path) ? posix.join(posix.dirname(from), path) : path.replace(/^\/+/, '');
}

function duplicateRoute(shadowed: string, file: string): Diagnostic {
  return {
    severity: 'warning',
    code: 'duplicate_page',
    message: `"${shadowed}" has the same address as "${file}" and is not shown`,
    file: shadowed,
    hint: 'Rename or remove one of the two files.',
  };
}

function buildTree(
  source: ConfigSource,
  findPage: FindPage,
  metas: ReadonlyMap<string, PageMeta>,
  api: ApiPages,
): BuiltNavigation {
  if (source.config['navigation'] !== undefined) {
    const isHidden = (route: string): boolean =>
      (metas.get(route) ?? api.generated.get(route))?.hidden === true;
    const built = buildNavigation(source, findPage, isHidden, api);
    if (built.root.entries.length + built.root.switchers.length > 0) return built;
    return {
      ...built,
      root: fromFolders(metas),
      diagnostics: [...built.diagnostics, emptyNavigation(source)],
    };
  }
  return {
    root: fromFolders(metas),
    diagnostics: [],
    searchable: new Map(),
    isPublic: new Map(),
    specsAround: new Map(),
    operationRoutes: new Map(),
  };
}

function fromFolders(metas: ReadonlyMap<string, PageMeta>): Section {
  return navigationFromFolders([...metas.values()].filter((meta) => !meta.hidden));
}

function emptyNavigation(source: ConfigSource): Diagnostic {
  return {
    severity: 'warning',
    code: 'nav_empty',
    message: 'The navigation names no page that exists; it is generated from the folders instead',
    file: source.file ?? 'docs.json',
    hint: 'List pages under "navigation", by their path without extension.',
  };
}

function orderedPages(metas: ReadonlyMap<string, PageMeta>, navigation: NavigationMap): PageRef[] {
  const shown = new Set(navigation.order);
  const hidden = [...metas.keys()].filter((route) => !shown.has(route)).toSorted();
  return [...navigation.order, ...hidden].flatMap((route) => {
    const meta = metas.get(route);
    return meta ? [{ path: route, file: meta.file, title: meta.title }] : [];
  });
}

/** Entries of `paths` that are not pages of the site. */
export function unknownPaths(site: Site, paths: readonly string[]): string[] {
  const find = pageFinder(site.metas, site.renamedRoutes);
  return paths.filter((path) => find(path) === undefined);
}

export function findRoute(site: Site, path: string): string | undefined {
  return pageFinder(site.metas, site.renamedRoutes)(path);
}
