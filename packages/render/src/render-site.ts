/**
 * Renders a loaded site into files, as they become ready: pages from the render processes, then the shared files,
 * stylesheets, assets and the not-found page. The same site and options give the same bytes.
 */
import { readFile, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configuredPictures, missingInFrame, picturesOfFrame } from './assets/configured.ts';
import { maximumStylesheetBytes, prepareStylesheet, remotePicturesOf } from './assets/references.ts';
import { RemotePictures } from './assets/remote-pictures.ts';
import type { Diagnostic } from './check/diagnostic.ts';
import { type PageTime, RenderedCheck } from './check/rendered.ts';
import { type SiteReport, buildReport, reportJson } from './check/report.ts';
import { reportHtml } from './check/report-html.ts';
import { encodedText } from './encoded-text.ts';
import { textOfHtml } from './html.ts';
import type { Site } from './load.ts';
import { addressesFor, relativeHref } from './navigation/addresses.ts';
import { createLinkResolver } from './navigation/links.ts';
import { type OutputNames, unusableName } from './navigation/output-names.ts';
import { type PoolOptions, renderPages } from './page/pool.ts';
import { mathFiles } from './math/files.ts';
import { FullText } from './outputs/full-text.ts';
import { type PageFacts, siteOutputs } from './outputs/list.ts';
import { fullTextSection, summaryOf } from './outputs/llms.ts';
import { PrintPages } from './outputs/print-pages.ts';
import { markdownFile, markdownPath } from './outputs/page-markdown.ts';
import { SocialImages } from './outputs/social-images.ts';
import type { PageFeature, PageResult, PageTask, PageTier } from './page/task.ts';
import { SearchIndex } from './search/build.ts';
import { searchedPages } from './search/pages.ts';
import { type RenderOptions, nameableRoutes, planSite, planTasks } from './site-plan.ts';
import { PageComposer } from './theme/compose.ts';
import { contextualFindings } from './theme/contextual.ts';
import { apiFiles } from './theme/files.ts';
import { contrastFindings } from './theme/site-css.ts';

export type { RenderOptions } from './site-plan.ts';

export interface OutputFile {
  /** Relative, with forward slashes. */
  path: string;
  content: Uint8Array | { copyFrom: string };
  kind: 'page' | 'asset' | 'output';
}

export type RenderEvent =
  | { type: 'file'; file: OutputFile }
  | { type: 'diagnostic'; diagnostic: Diagnostic }
  /** Comes last. How long pages took, and how many needed their code to be run, is part of no file. */
  | { type: 'report'; report: SiteReport; slowest: PageTime[]; tiers: Record<PageTier, number> };

/** For the check, which would have to decode what was just encoded. */
type InnerEvent = RenderEvent & { text?: string };

export async function* renderSite(site: Site, options: RenderOptions = {}): AsyncGenerator<RenderEvent> {
  const check = new RenderedCheck(site, options.urlStyle ?? 'html');
  const diagnostics: Diagnostic[] = [];
  for await (const event of renderFiles(site, options, check)) {
    if (event.type === 'file') {
      const { path, kind, content } = event.file;
      check.seeFile({
        path,
        kind,
        text: event.text,
        bytes: content instanceof Uint8Array ? content.length : 0,
      });
    }
    if (event.type === 'diagnostic') diagnostics.push(event.diagnostic);
    yield event;
  }
  const { findings, slowest, tiers, ...result } = await check.finish();
  for (const finding of findings) yield diagnostic(finding);
  const report = buildReport([...diagnostics, ...findings], result);
  yield text('report.json', reportJson(report), 'output');
  yield text('report.html', reportHtml(report, site.name), 'output');
  yield { type: 'report', report, slowest, tiers };
}

async function* renderFiles(
  site: Site,
  options: RenderOptions,
  check: RenderedCheck,
): AsyncGenerator<InnerEvent> {
  const remote = new RemotePictures(options.fetchPicture);
  const plan = planSite(site, options, remote);
  const links = createLinkResolver(plan);
  /** A file of the repository may be an output as well, and linked to from a page. */
  const written = new Set<string>();
  const fetchPictures = async function* (addresses: Iterable<string>): AsyncGenerator<RenderEvent> {
    for await (const { path, content } of remote.settle(addresses)) {
      options.signal?.throwIfAborted();
      written.add(path);
      yield text(path, content, 'asset');
    }
  };
  yield* fetchPictures(picturesOfFrame(site));
  const assets = new Set<string>();
  const styles = new Map<string, string>();
  const classes = new Set<string>();
  const mathStyles = new Map<string, string>();
  const features = new Set<PageFeature>();
  const pictures = configuredPictures(site, links);
  for (const file of pictures.files) assets.add(file);
  const { names, findings } = nameableRoutes(site, options);
  for (const item of [
    ...site.diagnostics,
    ...findings,
    ...pictures.diagnostics,
    ...missingInFrame(site, remote.table),
    ...lookFindings(site),
  ])
    yield diagnostic(item);

  const frameLinks = check.watchFrame(links);
  const socialImages = new SocialImages(site, frameLinks);
  const useFile = (file: string): unknown => assets.add(file);
  const composer = new PageComposer(site, plan, frameLinks, pictures, useFile, socialImages);
  const { publicAddresses } = composer;
  const fullText = new FullText();
  const print = new PrintPages(site, plan);
  const addresses = addressesFor(plan.urlStyle, new Set(plan.routes));
  const searched = searchedPages(site, plan.rendered, (route) => relativeHref('', addresses.hrefOf(route)));
  const searchIndex = new SearchIndex(searched.pages, searched.scopes);
  const tasks = planTasks(site, plan, searched.pages);
  check.expectPages(tasks.map(({ output }) => output));
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const facts = new Map<string, PageFacts>();
  const concurrency = options.concurrency ?? availableParallelism();
  const rendering = { plan, concurrency, signal: options.signal };
  for await (const result of renderedWithPictures(tasks, rendering, fetchPictures)) {
    if ('type' in result) {
      yield result;
      continue;
    }
    const task = byId.get(result.id);
    if (!task) continue;
    for (const file of result.assets) assets.add(file);
    for (const [name, declarations] of result.styles) styles.set(name, declarations);
    for (const name of result.classes) classes.add(name);
    for (const [name, declaration] of result.mathStyles) mathStyles.set(name, declaration);
    for (const feature of result.features) features.add(feature);
    /** A page shown a second time at the root tells its findings once. */
    if (task.id < plan.rendered.length) for (const item of result.diagnostics) yield diagnostic(item);
    check.expectPage(task, result);
    yield text(task.output, composer.compose(task, result), 'page');
    if (task.id < plan.rendered.length) {
      print.add(task, result);
      const page = factsOf(task, result);
      facts.set(task.route, page);
      yield text(markdownPath(task.route), markdownFile(page, result.markdown), 'output');
      const section =
        fullText.hasRoomAt(task.id) && fullTextSection(site, publicAddresses, page, result.markdown);
      if (section) fullText.add(task.id, section);
      for (const { path, content } of searchIndex.add(task.route, result.search))
        yield text(path, content, 'output');
    }
  }
  for (const { path, content } of searchIndex.finish()) yield text(path, content, 'output');

  for (const { path, content } of composer.navigationFiles()) yield text(path, content, 'output');
  for (const { path, content } of composer.islandScripts.files()) yield text(path, content, 'output');
  const outputs = siteOutputs({
    site,
    plan,
    addresses,
    publicAddresses,
    fullText,
    print,
    socialImages,
    pages: plan.rendered.flatMap((route) => facts.get(route) ?? []),
    styles,
    classes,
    styleFiles: pictures.style,
    signal: options.signal,
  });
  for await (const item of outputs) {
    if ('finding' in item) yield diagnostic(item.finding);
    else {
      written.add(item.path);
      yield text(item.path, item.content, 'output');
    }
  }
  for (const { path, content } of await apiFiles(features)) yield text(path, content, 'output');
  if (features.has('math'))
    for (const { path, content } of await mathFiles(mathStyles)) yield text(path, content, 'output');
  yield* stylesheets(site, links, assets, names, fetchPictures);
  for (const file of [...assets].toSorted()) {
    options.signal?.throwIfAborted();
    if (site.files.stylesheets.includes(file) || written.has(file)) continue;
    const problem = names.take(file);
    if (problem !== undefined) {
      yield diagnostic(unusableName(file, problem));
      continue;
    }
    yield { type: 'file', file: { path: file, content: { copyFrom: join(site.root, file) }, kind: 'asset' } };
  }
}

type FetchPictures = (addresses: Iterable<string>) => AsyncGenerator<RenderEvent>;

/**
 * Which pictures of other hosts a page shows is known once it is rendered, whatever they came from: text, an expression,
 * a snippet. Those few pages (29 of 3,342 on nine real sites) are rendered once more when the pictures are there.
 */
async function* renderedWithPictures(
  tasks: readonly PageTask[],
  rendering: PoolOptions,
  fetchPictures: FetchPictures,
): AsyncGenerator<PageResult | RenderEvent> {
  const held = new Set<number>();
  const wanted = new Set<string>();
  for await (const result of renderPages(tasks, rendering)) {
    if (result.wantedPictures === undefined) yield result;
    else {
      held.add(result.id);
      for (const address of result.wantedPictures) wanted.add(address);
    }
  }
  if (held.size === 0) return;
  yield* fetchPictures(wanted);
  const plan = { ...rendering.plan, asksForPictures: false };
  yield* renderPages(
    tasks.filter(({ id }) => held.has(id)),
    { ...rendering, plan },
  );
}

function factsOf({ route, output, title }: PageTask, result: PageResult): PageFacts {
  const { headings, updates, failed, html } = result;
  const description = textOfHtml(result.description);
  return { route, output, title, description, summary: summaryOf(html), headings, updates, failed };
}

/** Which colours were corrected, and which entries of the page menu only a hosted site has. */
function lookFindings({ settings, configFile }: Site): Diagnostic[] {
  return [...contrastFindings(settings, configFile), ...contextualFindings(settings.contextual, configFile)];
}

async function* stylesheets(
  site: Site,
  links: ReturnType<typeof createLinkResolver>,
  assets: Set<string>,
  names: OutputNames,
  fetchPictures: FetchPictures,
): AsyncGenerator<RenderEvent> {
  for (const file of site.files.stylesheets) {
    const problem = names.take(file);
    if (problem !== undefined) {
      yield diagnostic(unusableName(file, problem));
      continue;
    }
    const path = join(site.root, file);
    if ((await stat(path)).size > maximumStylesheetBytes) {
      yield diagnostic(tooLarge(file));
      continue;
    }
    const css = await readFile(path, 'utf8');
    yield* fetchPictures(remotePicturesOf(css));
    const prepared = prepareStylesheet(css, file, links);
    for (const asset of prepared.assets) assets.add(asset);
    for (const item of prepared.diagnostics) yield diagnostic(item);
    yield text(file, prepared.css, 'asset');
  }
}

function tooLarge(file: string): Diagnostic {
  return {
    severity: 'warning',
    code: 'stylesheet_too_large',
    message: 'The stylesheet is larger than 2 MB and was left out',
    file,
    hint: 'Keep only the rules that pages of the site use.',
  };
}

function text(path: string, content: string | Uint8Array, kind: OutputFile['kind']): InnerEvent {
  if (typeof content !== 'string') return { type: 'file', file: { path, content, kind } };
  const file = { path, content: encodedText(content), kind };
  return /\.(?:html|md)$/.test(path) ? { type: 'file', file, text: content } : { type: 'file', file };
}

function diagnostic(item: Diagnostic): RenderEvent {
  return { type: 'diagnostic', diagnostic: item };
}
