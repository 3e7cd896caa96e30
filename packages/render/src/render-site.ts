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
import { type NotFoundLink, notFoundPage } from './outputs/not-found.ts';
import { pageMarkdown } from './outputs/page-markdown.ts';
import { SearchIndex } from './search/build.ts';
import { type SearchedPage, searchedPages } from './search/pages.ts';
import { PageComposer, surroundingsOf } from './theme/compose.ts';
import { contextualFindings, offersCopy, offersMarkdown } from './theme/contextual.ts';
import { themeFiles } from './theme/files.ts';
import { utilityStylesheet } from './theme/utilities/stylesheet.ts';
import { type StyleFiles, contrastFindings, siteStylesheet } from './theme/site-css.ts';

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
  const classes = new Set<string>();
  const mathStyles = new Map<string, string>();
  let usesMath = false;
  const pictures = configuredPictures(site, links);
  for (const file of pictures.files) assets.add(file);
  for (const item of [...site.diagnostics, ...pictures.diagnostics, ...lookFindings(site)])
    yield diagnostic(item);

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
    for (const name of result.classes) classes.add(name);
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

  for (const { path, content } of composer.navigationFiles()) yield text(path, content, 'output');
  yield* markdownPages(site, plan, options.signal);
  yield* sharedOutputs(site, plan, { styles, classes }, pictures.style);
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
function planTasks(site: Site, plan: SitePlan, searched: ReadonlyMap<string, SearchedPage>): PageTask[] {
  const addresses = addressesFor(plan.urlStyle, new Set(plan.routes));
  const taskFor = (route: string, id: number, output: string): PageTask[] => {
    const meta = site.metas.get(route);
    if (!meta) return [];
    const { file, title, description } = meta;
    const search = id < plan.rendered.length ? searched.get(route)?.task : undefined;
    return [{ id, route, file, output, title, description, banner: bannerOf(site, route), search }];
  };
  const tasks = plan.rendered.flatMap((route, id) => taskFor(route, id, addresses.outputOf(route)));
  const first = plan.rendered[0];
  if (first === undefined || plan.rendered.includes('index')) return tasks;
  return [...tasks, ...taskFor(first, plan.rendered.length, 'index.html')];
}

/** The banner of a page whose language has its own; the site's otherwise. */
function bannerOf(site: Site, route: string): string | undefined {
  const branch = site.navigation.places.get(route)?.branch;
  const own = surroundingsOf(branch, site.settings);
  return own === site.settings ? undefined : (own.banner?.content ?? '');
}

/** Which colours were corrected, and which entries of the page menu only a hosted site has. */
function lookFindings({ settings, configFile }: Site): Diagnostic[] {
  return [...contrastFindings(settings, configFile), ...contextualFindings(settings.contextual, configFile)];
}

/** Pages that can be viewed as Markdown have that file beside them. */
async function* markdownPages(
  site: Site,
  plan: SitePlan,
  signal: AbortSignal | undefined,
): AsyncGenerator<RenderEvent> {
  for (const route of plan.rendered) {
    const meta = site.metas.get(route);
    if (!meta || !offersMarkdown(meta.contextual ?? site.settings.contextual)) continue;
    signal?.throwIfAborted();
    const bytes = await readFile(join(site.root, meta.file));
    yield text(`${route}.md`, pageMarkdown(meta, bytes, plan.variables), 'output');
  }
}

export interface ConfiguredPictures {
  style: StyleFiles;
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
  const background = pair('background image', site.settings.background?.image);
  const fonts = configuredFonts(site, links, diagnostics);
  const files = [logo, favicon, background].flatMap((item) => (item ? [item.light, item.dark] : []));
  const style = { fonts, background };
  return { logo, favicon, style, files: [...files, ...Object.values(fonts)], diagnostics };
}

/** Fonts that are files of the site; the others are used where the reader has them, and reported. */
function configuredFonts(
  site: Site,
  links: ReturnType<typeof createLinkResolver>,
  diagnostics: Diagnostic[],
): StyleFiles['fonts'] {
  const found: StyleFiles['fonts'] = {};
  const told = new Set<string>();
  for (const part of ['heading', 'body'] as const) {
    const font = site.settings.fonts[part];
    if (!font) continue;
    const { file } = configuredFile(font.source, links);
    if (file !== undefined) found[part] = file;
    else if (!told.has(font.family)) {
      told.add(font.family);
      const isFile = font.source !== undefined && !/^(?:https?:)?\/\//i.test(font.source);
      diagnostics.push({
        severity: isFile ? 'warning' : 'info',
        code: isFile ? 'font_missing' : 'font_not_loaded',
        message: isFile
          ? `The font file "${font.source}" is not a file of the site`
          : `The font "${font.family}" is used where readers have it installed; nothing is loaded from elsewhere`,
        file: site.configFile,
        hint: 'Put the font file into the site and name it in fonts.source.',
      });
    }
  }
  return found;
}

/** The sections of the site, for a reader who got lost: its tabs, versions or the like, else its groups. */
function notFoundLinks(site: Site, plan: SitePlan): NotFoundLink[] {
  const addresses = addressesFor(plan.urlStyle, new Set(plan.routes));
  const rendered = new Set(plan.rendered);
  const links = new Map<string, string>();
  for (const branch of site.navigation.branches) {
    const route = branch.pages.find((page) => rendered.has(page));
    const label = branch.steps[0]?.division.label;
    if (route === undefined || label === undefined || links.has(label)) continue;
    if (branch.steps[0]?.switcher.kind === 'language') continue;
    links.set(label, addresses.hrefOf(route));
  }
  return [...links].slice(0, 8).map(([label, href]) => ({ label, href }));
}

async function* sharedOutputs(
  site: Site,
  plan: SitePlan,
  { styles, classes }: { styles: ReadonlyMap<string, string>; classes: ReadonlySet<string> },
  styleFiles: StyleFiles,
): AsyncGenerator<RenderEvent> {
  const menus = [
    site.settings.contextual,
    ...[...site.metas.values()].flatMap((meta) => meta.contextual ?? []),
  ];
  const withCopy = menus.some(offersCopy);
  for (const { path, content } of await themeFiles({ withCopy })) yield text(path, content, 'output');
  const siteCss = siteStylesheet(site.settings, styles, styleFiles) + utilityStylesheet(classes);
  yield text('_docyard/site.css', siteCss, 'output');
  yield text('404.html', notFoundPage(site.settings, plan.basePath, notFoundLinks(site, plan)), 'output');
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
