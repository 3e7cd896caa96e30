/**
 * Renders a loaded site into files, as they become ready: pages from the render processes, then the shared files,
 * stylesheets, assets and the not-found page. The same site and options give the same bytes.
 */
import { readFile, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setImmediate as aPause } from 'node:timers/promises';
import { configuredPictures, missingInFrame, picturesOfFrame } from './assets/configured.ts';
import { maximumStylesheetBytes, prepareStylesheet, remotePicturesOf } from './assets/references.ts';
import { RemotePictures } from './assets/remote-pictures.ts';
import type { Diagnostic } from './check/diagnostic.ts';
import { type PageTime, RenderedCheck } from './check/rendered.ts';
import { type SiteReport, buildReport, reportJson } from './check/report.ts';
import { reportHtml } from './check/report-html.ts';
import { encodedPieces, encodedText } from './encoded-text.ts';
import { packedInMemory } from './kept.ts';
import type { Site } from './load.ts';
import { addressesFor, relativeHref } from './navigation/addresses.ts';
import { createLinkResolver } from './navigation/links.ts';
import { type OutputNames, unusableName } from './navigation/output-names.ts';
import { mathFiles } from './math/files.ts';
import type { PageTrace } from './memory/last-run.ts';
import { PageMemory } from './memory/page-memory.ts';
import { LastSections, lastRunFor, optionsKey, traceOf } from './memory/replay.ts';
import { SearchFiles } from './memory/search-files.ts';
import { FullText } from './outputs/full-text.ts';
import { type InPieces, type PageFacts, siteOutputs } from './outputs/list.ts';
import { fullTextSection } from './outputs/llms.ts';
import { PrintPages } from './outputs/print-pages.ts';
import { markdownFile, markdownPath } from './outputs/page-markdown.ts';
import { SocialImages } from './outputs/social-images.ts';
import { type FetchPictures, renderedPages } from './page/rendered-pages.ts';
import type { PageFeature, PageResult, PageTask, PageTier } from './page/task.ts';
import { searchedPages } from './search/pages.ts';
import { type RenderOptions, nameableRoutes, planSite, planTasks } from './site-plan.ts';
import { PageComposer } from './theme/compose.ts';
import { contextualFindings } from './theme/contextual.ts';
import { apiFiles } from './theme/files.ts';
import { collectNow, isLargeSite } from './process-settings.ts';
import { wholePage } from './theme/shell.ts';
import { contrastFindings } from './theme/site-css.ts';

export type { RenderOptions } from './site-plan.ts';

/** Some 8 ms of those that are as they were. */
const pagesWithoutPause = 200;

export interface OutputFile {
  /** Relative, with forward slashes. */
  path: string;
  content: Uint8Array | { copyFrom: string } | InPieces;
  kind: 'page' | 'asset' | 'output';
}

export type RenderEvent =
  | { type: 'file'; file: OutputFile }
  /** A file that is as the last run has written it; only for callers that said they have that. */
  | { type: 'old'; path: string; kind: OutputFile['kind'] }
  | { type: 'diagnostic'; diagnostic: Diagnostic }
  /** Comes last. How long pages took, and how many needed their code to be run, is part of no file. */
  | { type: 'report'; report: SiteReport; slowest: PageTime[]; tiers: Record<PageTier, number> };

/** For the check, which would have to decode what was just encoded, unless it has been shown the file. */
type InnerEvent = RenderEvent & { text?: string; isSeen?: true };

export async function* renderSite(site: Site, options: RenderOptions = {}): AsyncGenerator<RenderEvent> {
  const check = new RenderedCheck(site, options.urlStyle ?? 'html');
  const diagnostics: Diagnostic[] = [];
  for await (const event of renderFiles(site, options, check)) {
    if (event.type === 'file' && !event.isSeen) check.seeFile({ ...event.file, text: event.text });
    /** Of old pages it knows more than that they are there. */
    if (event.type === 'old' && event.kind !== 'page') check.seeFile(event);
    if (event.type === 'diagnostic') diagnostics.push(event.diagnostic);
    yield event;
  }
  const { findings, slowest, tiers, ...result } = check.finish();
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
  const { routes, names, findings } = nameableRoutes(site, options);
  const plan = planSite(site, options, remote, routes);
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
  const gathered = new Gathered();
  const pictures = configuredPictures(site, links);
  for (const file of pictures.files) gathered.assets.add(file);
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
  const useFile = (file: string): unknown => gathered.useFile(file);
  const composer = new PageComposer(site, plan, frameLinks, pictures, useFile, socialImages);
  const { publicAddresses } = composer;
  const isLarge = isLargeSite(plan.rendered.length);
  const aside = isLarge ? { setAside: options.setAside ?? packedInMemory } : {};
  const fullText = new FullText(aside);
  const addresses = addressesFor(plan.urlStyle, plan.routes);
  const print = new PrintPages(site, plan, addresses, aside);
  const searched = searchedPages(site, plan.rendered, (route) => relativeHref('', addresses.hrefOf(route)));
  const tasks = planTasks(site, plan, searched.pages);
  check.expectPages(tasks);
  const memory =
    options.memory &&
    new PageMemory(options.memory.store, options.memory.engine, plan, options.memory.hashes);
  const before = memory && lastRunFor(options, { site, plan, tasks, frameFiles: new Set(gathered.assets) });
  const search = new SearchFiles(
    searched,
    before && { files: before.lastFiles, reserve: before.last.searchReserve },
    aside,
  );
  const addSection = (task: PageTask, trace: PageTrace, markdown: Uint8Array): void => {
    const section = fullTextSection(site, publicAddresses, factsOf(task, trace), markdown);
    if (section) fullText.add(task.id, section);
  };
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const concurrency = options.concurrency ?? availableParallelism();
  const wanted = before ? tasks.filter((task) => !before.unchanged.has(task)) : tasks;
  const edited = new Map<string, PageTrace>();
  const sections = before && new LastSections(site, before, wanted.length > 0);
  /** Before anything is rendered: a page may be kept under the same key as before. */
  if (before)
    for (const { route, output } of wanted)
      search.expect(route, memory?.recallByKey(before.last.traces.get(output)?.key)?.search);
  const pages = renderedPages(wanted, { plan, concurrency, signal: options.signal, fetchPictures, memory });
  let first: ReturnType<typeof pages.next> | undefined;
  let gone = 0;
  try {
    if (before && memory) {
      check.recallFrame(before.last.frame);
      print.lastPartition = before.last.printed;
      for (const [task, trace] of before.unchanged) {
        // First of all: who waits for the first page need not wait for the first frame, which takes 30 ms.
        yield old(task.output, 'page');
        // Asked for now, so that a process renders what was edited while the rest is gone through.
        if (!first) (first = pages.next()).catch(() => undefined);
        // That process, and threads that read ahead, get on only when this one lets go.
        if ((gone += 1) % pagesWithoutPause === 0) await aPause();
        gathered.add(task, trace, task.id < plan.rendered.length);
        check.recall(task, markdownPath(task.route), trace.check);
        composer.keep(task, trace.usesImage);
        if (task.id >= plan.rendered.length) continue;
        for (const item of trace.diagnostics) yield diagnostic(item);
        yield old(markdownPath(task.route), 'output');
        const result = (): PageResult => memory.mustRecall(trace.key ?? '');
        print.addOld(task, { bytes: trace.printedBytes, features: trace.features, result });
        if (fullText.hasRoomAt(task.id)) {
          const bytes = sections?.bytesOf(task.id);
          if (sections && bytes !== undefined)
            fullText.addOld(task.id, bytes, () => sections.content(task.id));
          else addSection(task, trace, result().markdown);
        }
        search.keep(task.route, () => result().search);
      }
    }
    for (let one = await (first ?? pages.next()); !one.done; one = await pages.next()) {
      const rendered = one.value;
      if ('type' in rendered) {
        yield rendered;
        continue;
      }
      const { result, key } = rendered;
      const task = byId.get(result.id);
      if (!task) continue;
      const isShown = task.id < plan.rendered.length;
      const markdownName = markdownPath(task.route);
      const trace = traceOf(task, result, { key, clockMs: plan.clockMs });
      gathered.add(task, trace, isShown);
      /** A page shown a second time at the root tells its findings once. */
      if (isShown) for (const item of result.diagnostics) yield diagnostic(item);
      check.expectPage(task, result);
      const document = composer.compose(task, result);
      const content = encodedPieces(wholePage(document));
      check.seePage(task.output, { document, content: result.content, bytes: content.length });
      yield seen(task.output, content, 'page');
      trace.usesImage = composer.usedImage;
      trace.assets.push(...gathered.takeUsedFiles());
      if (isShown) {
        trace.printedBytes = print.add(task, result);
        const page = factsOf(task, trace);
        const markdown = markdownFile(page, result.markdown);
        check.seeMarkdown(markdownName, markdown.head, result.secretsBeside);
        yield seen(markdownName, encodedPieces(markdown.pieces), 'output');
        if (fullText.hasRoomAt(task.id)) addSection(task, trace, result.markdown);
        for (const { path, content } of search.add(task.route, result.search))
          yield text(path, content, 'output');
      }
      if (!options.memory) continue;
      trace.check = check.trace(task.output, markdownName) ?? trace.check;
      if (before) edited.set(task.output, trace);
      else options.memory.add(trace);
    }
  } finally {
    await pages.return(undefined);
  }
  if (isLarge) collectNow();
  for (const file of search.finish())
    yield 'old' in file ? old(file.path, 'output') : text(file.path, file.content, 'output');
  if (isLarge) collectNow();

  for (const { path, content } of composer.navigationFiles()) yield text(path, content, 'output');
  for (const { path, content } of composer.islandScripts.files()) yield text(path, content, 'output');
  const outputs = siteOutputs({
    site,
    plan,
    addresses,
    publicAddresses,
    fullText,
    lastSections: sections,
    print,
    socialImages,
    pages: plan.rendered.flatMap((route) => gathered.facts.get(route) ?? []),
    styles: gathered.styles,
    classes: gathered.classes,
    styleFiles: pictures.style,
    isOld: before && ((path) => before.lastFiles.has(path)),
    signal: options.signal,
  });
  for await (const item of outputs) {
    if ('finding' in item) yield diagnostic(item.finding);
    else {
      written.add(item.path);
      if ('pieces' in item) yield { type: 'file', file: { path: item.path, content: item, kind: 'output' } };
      else yield 'old' in item ? old(item.path, 'output') : text(item.path, item.content, 'output');
    }
  }
  for (const { path, content } of await apiFiles(gathered.features)) yield text(path, content, 'output');
  if (gathered.features.has('math'))
    for (const { path, content } of await mathFiles(gathered.mathStyles)) yield text(path, content, 'output');
  yield* stylesheets(site, links, gathered.assets, names, fetchPictures);
  for (const file of [...gathered.assets].toSorted()) {
    options.signal?.throwIfAborted();
    if (site.files.stylesheets.includes(file) || written.has(file)) continue;
    const problem = names.take(file);
    if (problem !== undefined) {
      yield diagnostic(unusableName(file, problem));
      continue;
    }
    if (before?.lastFiles.has(file) && options.memory?.hashes.isAsBefore(file)) yield old(file, 'asset');
    else
      yield {
        type: 'file',
        file: { path: file, content: { copyFrom: join(site.root, file) }, kind: 'asset' },
      };
  }
  options.memory?.finish(
    { options: optionsKey(options), files: site.files.all, edited: before && edited },
    {
      frame: check.frameTrace(),
      hasRemote: plan.pictures.size > 0,
      printed: print.partition,
      searchReserve: search.reserve,
      fullText: fullText.list(),
    },
  );
}

/** What all pages together need and tell. */
class Gathered {
  readonly assets = new Set<string>();
  readonly styles = new Map<string, string>();
  readonly classes = new Set<string>();
  readonly mathStyles = new Map<string, string>();
  readonly features = new Set<PageFeature>();
  readonly facts = new Map<string, PageFacts>();
  #used: string[] = [];

  /** A page that is shown a second time at the root is one page. */
  add(task: PageTask, trace: PageTrace, isShown: boolean): void {
    for (const file of trace.assets) this.assets.add(file);
    for (const [name, declarations] of trace.styles) this.styles.set(name, declarations);
    for (const name of trace.classes) this.classes.add(name);
    for (const [name, declaration] of trace.mathStyles) this.mathStyles.set(name, declaration);
    for (const feature of trace.features) this.features.add(feature);
    if (isShown) this.facts.set(task.route, factsOf(task, trace));
  }

  useFile(file: string): void {
    this.assets.add(file);
    this.#used.push(file);
  }

  /** Files that were used since the last time this was asked. */
  takeUsedFiles(): string[] {
    const used = this.#used;
    this.#used = [];
    return used;
  }
}

function factsOf({ route, output, title }: PageTask, { facts }: PageTrace): PageFacts {
  return { ...facts, route, output, title };
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
  fetchPictures: FetchPictures<RenderEvent>,
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

function old(path: string, kind: OutputFile['kind']): RenderEvent {
  return { type: 'old', path, kind };
}

/** A file that the check was shown, with what is known of it. */
function seen(path: string, content: Uint8Array, kind: OutputFile['kind']): InnerEvent {
  return { type: 'file', file: { path, content, kind }, isSeen: true };
}

function text(path: string, content: string | Uint8Array | InPieces, kind: OutputFile['kind']): InnerEvent {
  if (typeof content !== 'string') return { type: 'file', file: { path, content, kind } };
  const file = { path, content: encodedText(content), kind };
  return path.endsWith('.html') ? { type: 'file', file, text: content } : { type: 'file', file };
}

function diagnostic(item: Diagnostic): RenderEvent {
  return { type: 'diagnostic', diagnostic: item };
}
