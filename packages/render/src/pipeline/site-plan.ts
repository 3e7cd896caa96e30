/** The plan of a build: the pages of this output, their addresses, and one render task for each. */
import { visibleDocument } from '../openapi/visible.ts';
import { RemotePictures } from '../assets/remote-pictures.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { SpillBytes } from '../text/spill.ts';
import { findRoute } from './load.ts';
import type { CacheDecision } from '../cache/page-cache.ts';
import type { BuildCache } from '../model/build-cache.ts';
import { addressesFor } from '../navigation/addresses.ts';
import { OutputNames, reasonFor, renamedFile, unusableName } from '../navigation/output-names.ts';
import { renamedPaths } from '../navigation/safe-names.ts';
import { type SchemaPage, pageNodeLimit } from '../openapi/page-nodes.ts';
import { specsOf } from '../openapi/site-api.ts';
import { generatedFiles } from '../outputs/site-outputs.ts';
import { isVisibleTo } from '../source/page-meta.ts';
import type { PageTask } from '../model/page.ts';
import type { SearchedPage } from '../search/pages.ts';
import { BranchPages } from '../theme/branch-pages.ts';
import { surroundingsOf } from '../theme/frames.ts';
import { languageCode } from '../words/words.ts';
import type { SitePlan } from '../model/site-plan.ts';
import type { Site } from '../site/site.ts';
import type { SiteOptions } from '../site/render-options.ts';
import { withheldRoutes } from '../site/visible-site.ts';

export interface RenderOptions extends SiteOptions {
  /** The cache of earlier builds; unchanged pages are not rendered again. */
  cache?: BuildCache;
  /** The renderer's version, part of every cache key. */
  engine?: string;
  /** Receives the reason why each page was reused or rendered. */
  onCacheDecision?: (decision: CacheDecision) => void;
  /** Stores texts of a large site outside of memory until they are needed. */
  spill?: SpillBytes;
  /** Parallel processes including this one. */
  concurrency?: number;
  signal?: AbortSignal;
}

export function planSite(
  site: Site,
  options: RenderOptions,
  pictures = new RemotePictures(undefined),
  { routes: rendered, renamedFiles }: Nameable = nameableRoutes(site, options),
): SitePlan {
  const specs = neededSpecs(site, rendered, options.groups);
  return {
    root: site.root,
    files: site.files.all,
    routes: site.pages.map((page) => page.path),
    rendered,
    withheld: withheldRoutes(site),
    urlStyle: options.urlStyle ?? 'html',
    origin: (options.origin ?? '').replace(/\/+$/, ''),
    basePath: normalizedBasePath(options.basePath),
    redirects: site.settings.redirects,
    generatedFiles: generatedFiles({ hasOrigin: Boolean(options.origin) }),
    renamedRoutes: [...site.renamedRoutes],
    renamedFiles: [...renamedFiles],
    variables: site.settings.variables,
    math: mathMode(site.settings.latex),
    banner: site.settings.banner?.content ?? '',
    iconLibrary: site.settings.iconLibrary,
    specs,
    groups: options.groups,
    maxSchemaNodes: pageNodeLimit(schemaPages(site, rendered, specs)),
    api: site.settings.api,
    specInMarkdown: site.settings.machineReaders.specInMarkdown,
    airGapped: options.airGapped ?? false,
    pictures: pictures.table,
    asksForPictures: pictures.isFetching,
    customCode: options.customCode ?? 'run',
    clockMs: clockOf(options.committedAt),
  };
}

/** The date of a folder without Git history, constant for reproducible output. */
const undatedMs = Date.UTC(2026, 0, 1);

function clockOf(committedAt: string | null | undefined): number {
  const time = Date.parse(committedAt ?? '');
  return Number.isNaN(time) ? undatedMs : time;
}

/** Only specs that a page of this output needs, because every process receives them. */
function neededSpecs(
  site: Site,
  routes: readonly string[],
  groups: readonly string[] | undefined,
): SitePlan['specs'] {
  const names = specsOf(routes.flatMap((route) => site.metas.get(route) ?? []));
  const specs = [...names].toSorted().flatMap((name) => {
    const document = site.specOf(name);
    if (document === undefined) return [];
    return [[name, groups === undefined ? document : visibleDocument(document, groups)] as const];
  });
  return Object.fromEntries(specs);
}

function schemaPages(site: Site, routes: readonly string[], specs: SitePlan['specs']): SchemaPage[] {
  return routes.flatMap((route) => {
    const target = site.metas.get(route)?.api;
    const document = target && 'spec' in target ? specs[target.spec] : undefined;
    return target && document ? [{ document, target }] : [];
  });
}

function mathMode(latex: boolean | undefined): SitePlan['math'] {
  if (latex === undefined) return 'auto';
  return latex ? 'always' : 'never';
}

function normalizedBasePath(basePath = ''): string {
  const inner = basePath.replaceAll(/^\/+|\/+$/g, '');
  return inner ? `/${inner}` : '';
}

function chosenRoutes(site: Site, { paths, groups }: RenderOptions): string[] {
  const wanted = paths && new Set(paths.map((path) => findRoute(site, path)));
  return site.pages
    .filter(({ path }) => !wanted || wanted.has(path))
    .filter(({ path }) => !groups || isVisibleTo(groups, site.metas.get(path)?.groups ?? []))
    .map(({ path }) => path);
}

interface Nameable {
  routes: string[];
  /** Names that pages use. */
  names: OutputNames;
  /** Files other than pages that are renamed. */
  renamedFiles: Map<string, string>;
  findings: Diagnostic[];
}

/** The selected pages, with findings about those whose name differs from their file. */
export function nameableRoutes(site: Site, options: RenderOptions): Nameable {
  const addresses = addressesFor(
    options.urlStyle ?? 'html',
    site.pages.map((page) => page.path),
  );
  const names = new OutputNames();
  const findings: Diagnostic[] = [];
  const chosen = chosenRoutes(site, options);
  const written = new Map([...site.renamedRoutes].map(([before, after]) => [after, before]));
  for (const route of chosen) {
    const before = written.get(route);
    const { file = route } = site.metas.get(route) ?? {};
    if (before !== undefined) findings.push(renamedFile(file, route, reasonFor(before)));
  }
  const routes = chosen.filter((route) => {
    const output = addresses.outputOf(route);
    const problem = names.take(output);
    const { file = route } = site.metas.get(route) ?? {};
    if (problem !== undefined) findings.push(unusableName(file, problem, output));
    return problem === undefined;
  });
  const isPage = new Set(site.files.pages);
  const others = site.files.all.filter((file) => !isPage.has(file));
  return { routes, names, renamedFiles: renamedPaths(others, (name) => names.isTaken(name)), findings };
}

/** One task per page, and one more when no page is at the root: then the first page is also shown there. */
export function planTasks(
  site: Site,
  plan: SitePlan,
  searched: ReadonlyMap<string, SearchedPage>,
  outputOf = addressesFor(plan.urlStyle, plan.routes).outputOf,
): PageTask[] {
  const rendered = new Set(plan.rendered);
  const branches = new BranchPages(site.navigation, (route) => rendered.has(route));
  const taskFor = (route: string, id: number, output: string): PageTask[] => {
    const meta = site.metas.get(route);
    if (!meta) return [];
    const { file, title, description, api, generated, content, playground, hasDiagram } = meta;
    const search = id < plan.rendered.length ? searched.get(route)?.task : undefined;
    const { language } = site.navigation.places.get(route)?.branch ?? {};
    return [
      {
        id,
        route,
        output,
        file,
        title,
        description,
        api,
        generated,
        content,
        playground,
        hasDiagram,
        language: language && languageCode(language),
        banner: bannerOf(site, route),
        guestBanners: guestBannersOf(site, branches, route),
        search,
      },
    ];
  };
  const tasks = plan.rendered.flatMap((route, id) => taskFor(route, id, outputOf(route)));
  const first = plan.rendered[0];
  if (first === undefined || plan.rendered.includes('index')) return tasks;
  return [...tasks, ...taskFor(first, plan.rendered.length, 'index.html')];
}

function guestBannersOf(site: Site, branches: BranchPages, route: string): PageTask['guestBanners'] {
  const [home, ...others] = branches.shownIn(route);
  const own = surroundingsOf(home, site.settings).banner;
  const found = new Map<string, string>();
  for (const branch of others) {
    if (branch.language === undefined || branch.language === home?.language) continue;
    const { banner } = surroundingsOf(branch, site.settings);
    if (banner !== own) found.set(languageCode(branch.language), banner?.content ?? '');
  }
  return found.size === 0 ? undefined : [...found];
}

function bannerOf(site: Site, route: string): string | undefined {
  const branch = site.navigation.places.get(route)?.branch;
  const own = surroundingsOf(branch, site.settings);
  return own === site.settings ? undefined : (own.banner?.content ?? '');
}
