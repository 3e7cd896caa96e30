/**
 * Renders a loaded site into files, as they become ready: pages from the render processes, then the shared files,
 * stylesheets, assets and the not-found page. The same site and options give the same bytes.
 */
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configuredFile, prepareStylesheet } from './assets/references.ts';
import type { Diagnostic } from './check/diagnostic.ts';
import { type Site, findRoute } from './load.ts';
import { type UrlStyle, addressesFor, relativeHref } from './navigation/addresses.ts';
import { createLinkResolver } from './navigation/links.ts';
import { isVisibleTo } from './page/meta.ts';
import { renderPages } from './page/pool.ts';
import type { PageTask, SitePlan } from './page/task.ts';
import { mathFiles } from './math/files.ts';
import { notFoundPage } from './outputs/not-found.ts';
import { SearchIndex } from './search/build.ts';
import { type SearchedPage, searchedPages } from './search/pages.ts';
import { PageComposer } from './theme/compose.ts';
import { themeFiles } from './theme/files.ts';
import { siteStylesheet } from './theme/site-css.ts';

export interface RenderOptions {
  /** Absolute origin for canonical addresses, for example `https://docs.example.com`. */
  origin?: string;
  /** For example `/docs`; affects only canonical addresses and the not-found page, since links are relative. */
  basePath?: string;
  urlStyle?: UrlStyle;
  /** Only these pages. */
  paths?: string[];
  /** Only pages without groups, or with one of these. Without this option all pages are rendered. */
  groups?: string[];
  /** A label of the output, for those who keep several. */
  version?: string;
  /** Render processes at once. */
  concurrency?: number;
  signal?: AbortSignal;
}

export interface OutputFile {
  /** Relative, with forward slashes. */
  path: string;
  content: Uint8Array | { copyFrom: string };
  kind: 'page' | 'asset' | 'output';
}

export type RenderEvent = { type: 'file'; file: OutputFile } | { type: 'diagnostic'; diagnostic: Diagnostic };

const encoder = new TextEncoder();

export async function* renderSite(site: Site, options: RenderOptions = {}): AsyncGenerator<RenderEvent> {
  const plan = planSite(site, options);
  const links = createLinkResolver(plan);
  const assets = new Set<string>();
  const styles = new Map<string, string>();
  const mathStyles = new Map<string, string>();
  let usesMath = false;
  const pictures = configuredPictures(site, links);
  for (const file of pictures.files) assets.add(file);
  for (const item of [...site.diagnostics, ...pictures.diagnostics]) yield diagnostic(item);

  const composer = new PageComposer(site, plan, links, pictures, (file) => assets.add(file));
  const addresses = addressesFor(plan.urlStyle, new Set(plan.routes));
  const searched = searchedPages(site, plan.rendered, (route) => relativeHref('', addresses.hrefOf(route)));
  const searchIndex = new SearchIndex(searched.pages, searched.scopes);
  const tasks = planTasks(site, plan, searched.pages);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const concurrency = options.concurrency ?? availableParallelism();
  for await (const result of renderPages(tasks, { plan, concurrency, signal: options.signal })) {
    const task = byId.get(result.id);
    if (!task) continue;
    for (const file of result.assets) assets.add(file);
    for (const [name, declarations] of result.styles) styles.set(name, declarations);
    for (const [name, declaration] of result.mathStyles) mathStyles.set(name, declaration);
    usesMath ||= result.features.includes('math');
    /** A page shown a second time at the root tells its findings once. */
    if (task.id < plan.rendered.length) for (const item of result.diagnostics) yield diagnostic(item);
    yield text(task.output, composer.compose(task, result), 'page');
    if (task.id < plan.rendered.length)
      for (const { path, content } of searchIndex.add(task.route, result.search))
        yield text(path, content, 'output');
  }
  for (const { path, content } of searchIndex.finish()) yield text(path, content, 'output');

  yield* sharedOutputs(site, plan, styles);
  if (usesMath)
    for (const { path, content } of await mathFiles(mathStyles))
      yield { type: 'file', file: { path, content, kind: 'output' } };
  yield* stylesheets(site, links, assets);
  for (const file of [...assets].toSorted()) {
    options.signal?.throwIfAborted();
    if (site.files.stylesheets.includes(file)) continue;
    yield { type: 'file', file: { path: file, content: { copyFrom: join(site.root, file) }, kind: 'asset' } };
  }
}

function planSite(site: Site, options: RenderOptions): SitePlan {
  return {
    root: site.root,
    files: site.files.all,
    routes: site.pages.map((page) => page.path),
    rendered: chosenRoutes(site, options),
    urlStyle: options.urlStyle ?? 'html',
    origin: (options.origin ?? '').replace(/\/+$/, ''),
    basePath: normalizedBasePath(options.basePath),
    redirects: site.settings.redirects,
    variables: site.settings.variables,
    math: mathMode(site.settings.latex),
    banner: site.settings.banner?.content ?? '',
    iconLibrary: site.settings.iconLibrary,
  };
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

/** One task for each page, and one more when no page is at the root: then the first one is shown there as well. */
function planTasks(
  site: Site,
  plan: SitePlan,
  searched: ReadonlyMap<string, SearchedPage>,
): PageTask[] {
  const addresses = addressesFor(plan.urlStyle, new Set(plan.routes));
  const taskFor = (route: string, id: number, output: string): PageTask[] => {
    const meta = site.metas.get(route);
    if (!meta) return [];
    const { file, title, description } = meta;
    const search = id < plan.rendered.length ? searched.get(route)?.task : undefined;
    return [{ id, route, file, output, title, description, search }];
  };
  const tasks = plan.rendered.flatMap((route, id) => taskFor(route, id, addresses.outputOf(route)));
  const first = plan.rendered[0];
  if (first === undefined || plan.rendered.includes('index')) return tasks;
  return [...tasks, ...taskFor(first, plan.rendered.length, 'index.html')];
}

export interface ConfiguredPictures {
  logo: { light: string; dark: string } | undefined;
  favicon: { light: string; dark: string } | undefined;
  files: string[];
  diagnostics: Diagnostic[];
}

function configuredPictures(site: Site, links: ReturnType<typeof createLinkResolver>): ConfiguredPictures {
  const diagnostics: Diagnostic[] = [];
  const pair = (
    name: string,
    value: { light: string; dark: string } | undefined,
  ): { light: string; dark: string } | undefined => {
    const light = configuredFile(value?.light, links);
    const dark = configuredFile(value?.dark, links);
    if (value && (light.missing || dark.missing)) {
      diagnostics.push({
        severity: 'warning',
        code: 'image_missing',
        message: `The ${name} "${light.missing ? value.light : value.dark}" is not a file of the site`,
        file: 'docs.json',
      });
    }
    const first = light.file ?? dark.file;
    return first === undefined ? undefined : { light: first, dark: dark.file ?? first };
  };
  const logo = pair('logo', site.settings.logo);
  const favicon = pair('favicon', site.settings.favicon);
  const files = [logo, favicon].flatMap((item) => (item ? [item.light, item.dark] : []));
  return { logo, favicon, files, diagnostics };
}

async function* sharedOutputs(
  site: Site,
  plan: SitePlan,
  styles: ReadonlyMap<string, string>,
): AsyncGenerator<RenderEvent> {
  for (const { path, content } of await themeFiles()) yield text(path, content, 'output');
  yield text('_docyard/site.css', siteStylesheet(site.settings, styles), 'output');
  yield text('404.html', notFoundPage(site.settings, plan.basePath), 'output');
}

async function* stylesheets(
  site: Site,
  links: ReturnType<typeof createLinkResolver>,
  assets: Set<string>,
): AsyncGenerator<RenderEvent> {
  for (const file of site.files.stylesheets) {
    const css = await readFile(join(site.root, file), 'utf8');
    const prepared = prepareStylesheet(css, file, links);
    for (const asset of prepared.assets) assets.add(asset);
    for (const item of prepared.diagnostics) yield diagnostic(item);
    yield text(file, prepared.css, 'asset');
  }
}

function text(path: string, content: string, kind: OutputFile['kind']): RenderEvent {
  return { type: 'file', file: { path, content: encoder.encode(content), kind } };
}

function diagnostic(item: Diagnostic): RenderEvent {
  return { type: 'diagnostic', diagnostic: item };
}
