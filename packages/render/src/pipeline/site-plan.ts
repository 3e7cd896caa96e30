/**
 * What is rendered and what every page needs to know, worked out once before the first page: the pages of this
 * output, their addresses, and one task for each. It renders nothing.
 */
import { RemotePictures } from '../assets/remote-pictures.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { SetAside } from '../text/kept.ts';
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

export interface RenderOptions extends SiteOptions {
  /** What earlier builds have left; pages that would be the same are not rendered again. */
  cache?: BuildCache;
  /** Names the program: another one may render differently. Part of every key of the cache. */
  engine?: string;
  /** Receives the reason why each page was reused or rendered. */
  onCacheDecision?: (decision: CacheDecision) => void;
  /** Where texts of a large site can lie until they are needed, other than in memory. */
  setAside?: SetAside;
  /** Processes at once, with this one. */
  concurrency?: number;
  signal?: AbortSignal;
}

export function planSite(
  site: Site,
  options: RenderOptions,
  pictures = new RemotePictures(undefined),
  { routes: rendered, renamedFiles }: Nameable = nameableRoutes(site, options),
): SitePlan {
  const specs = neededSpecs(site, rendered);
  return {
    root: site.root,
    files: site.files.all,
    routes: site.pages.map((page) => page.path),
    rendered,
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

/** A folder without a history has a time all the same: the same one wherever and whenever it is rendered. */
const undatedMs = Date.UTC(2026, 0, 1);

function clockOf(committedAt: string | null | undefined): number {
  const time = Date.parse(committedAt ?? '');
  return Number.isNaN(time) ? undatedMs : time;
}

/** Only what a page of this output is about: descriptions are sent to every process. */
function neededSpecs(site: Site, routes: readonly string[]): SitePlan['specs'] {
  const names = specsOf(routes.flatMap((route) => site.metas.get(route) ?? []));
  const specs = [...names].toSorted().map((name) => [name, site.specOf(name)] as const);
  return Object.fromEntries(specs.filter(([, document]) => document !== undefined)) as SitePlan['specs'];
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
  /** What is taken by the pages. */
  names: OutputNames;
  /** Files that are not pages and get another name. */
  renamedFiles: Map<string, string>;
  findings: Diagnostic[];
}

/** The chosen pages, with findings about those that have another name than their file. */
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

/** One task for each page, and one more when no page is at the root: then the first one is shown there as well. */
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

/** The banners of languages that have another one than the home of the page. */
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

/** The banner of a page whose language has its own; the site's otherwise. */
function bannerOf(site: Site, route: string): string | undefined {
  const branch = site.navigation.places.get(route)?.branch;
  const own = surroundingsOf(branch, site.settings);
  return own === site.settings ? undefined : (own.banner?.content ?? '');
}
