/**
 * One run of the renderer over a loaded site: which pages are rendered and which are taken over, what all of them give
 * together, and every file in the order in which it becomes ready. It judges nothing.
 */
import { readFile, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setImmediate as aPause } from 'node:timers/promises';
import { configuredPictures, missingInFrame, picturesOfFrame } from './assets/configured.ts';
import { maximumStylesheetBytes, prepareStylesheet, remotePicturesOf } from './assets/references.ts';
import { RemotePictures } from './assets/remote-pictures.ts';
import type { Diagnostic } from './check/diagnostic.ts';
import type { RenderedCheck } from './check/rendered.ts';
import { encodedPieces, encodedText } from './encoded-text.ts';
import { packedInMemory } from './kept.ts';
import type { Site } from './load.ts';
import { addressesFor, relativeHref } from './navigation/addresses.ts';
import { createLinkResolver } from './navigation/links.ts';
import { unusableName } from './navigation/output-names.ts';
import { mathFiles } from './math/files.ts';
import { PageMemory, type RememberedPage } from './memory/page-memory.ts';
import { type Before, LastSections, lastRunFor, optionsKey, traceOf } from './memory/replay.ts';
import { SearchFiles } from './memory/search-files.ts';
import type { PageTrace } from './memory/traces.ts';
import { WordEdit } from './memory/word-edit.ts';
import { FullText } from './outputs/full-text.ts';
import {
  type InPieces,
  type OutputContext,
  type OutputItem,
  type PageFacts,
  siteOutputs,
} from './outputs/list.ts';
import { fullTextSection, isInFullText, llmsFull } from './outputs/llms.ts';
import { isPrintedAlike, printOutput } from './outputs/print.ts';
import { PrintPages } from './outputs/print-pages.ts';
import { markdownFile, markdownPath } from './outputs/page-markdown.ts';
import { SocialImages } from './outputs/social-images.ts';
import { renderedPages } from './page/rendered-pages.ts';
import type { PageFeature, PageResult, PageTask } from './page/task.ts';
import { searchedPages } from './search/pages.ts';
import { type RenderOptions, nameableRoutes, planSite, planTasks } from './site-plan.ts';
import { PageComposer } from './theme/compose.ts';
import { contextualFindings } from './theme/contextual.ts';
import { apiFiles } from './theme/files.ts';
import { collectNow, isLargeSite } from './process-settings.ts';
import { wholePage } from './theme/shell.ts';
import { contrastFindings } from './theme/site-css.ts';

export interface OutputFile {
  /** Relative, with forward slashes. */
  path: string;
  content: Uint8Array | { copyFrom: string } | InPieces;
  kind: 'page' | 'asset' | 'output';
}

export type RunEvent =
  /** Text for the check, which would have to decode what was just encoded, unless it has been shown the file. */
  | { type: 'file'; file: OutputFile; text?: string; isSeen?: true }
  /** Files that are as the last run has written them; only for callers that said they have those. */
  | { type: 'old'; paths: readonly string[]; kind: OutputFile['kind'] }
  | { type: 'diagnostic'; diagnostic: Diagnostic };

/** Some 8 ms of those that are as they were. */
const pagesWithoutPause = 200;

export async function* siteEvents(
  site: Site,
  options: RenderOptions,
  check: RenderedCheck,
): AsyncGenerator<RunEvent | { type: 'word-edit'; edit: WordEdit }> {
  const start = begin(site, options);
  yield* start.fetchPictures(picturesOfFrame(site));
  const pictures = configuredPictures(site, start.links);
  for (const item of [
    ...site.diagnostics,
    ...start.findings,
    ...pictures.diagnostics,
    ...missingInFrame(site, start.remote.table),
    ...lookFindings(site),
  ])
    yield diagnostic(item);
  const run = prepare(start, pictures, check);
  yield* pages(run);
  if (run.isLarge) collectNow();
  for (const file of run.search.finish())
    yield 'old' in file ? old([file.path], 'output') : text(file.path, file.content, 'output');
  if (run.isLarge) collectNow();
  if (run.before && run.wordEdit?.holds) {
    yield* filesAfterWords(run, run.before, run.wordEdit);
    yield { type: 'word-edit', edit: run.wordEdit };
  } else yield* filesAfterPages(run);
  remember(run);
}

type Start = ReturnType<typeof begin>;
type Run = ReturnType<typeof prepare>;

/** What is known before any picture of another host is. */
function begin(site: Site, options: RenderOptions) {
  const remote = new RemotePictures(options.fetchPicture);
  const { routes, names, findings } = nameableRoutes(site, options);
  const plan = planSite(site, options, remote, routes);
  const links = createLinkResolver(plan);
  /** A file of the repository may be an output as well, and linked to from a page. */
  const written = new Set<string>();
  const fetchPictures = async function* (addresses: Iterable<string>): AsyncGenerator<RunEvent> {
    for await (const { path, content } of remote.settle(addresses)) {
      options.signal?.throwIfAborted();
      written.add(path);
      yield text(path, content, 'asset');
    }
  };
  return { site, options, remote, names, findings, plan, links, written, fetchPictures };
}

/** All that pages are made with and put into. */
function prepare(start: Start, pictures: ReturnType<typeof configuredPictures>, check: RenderedCheck) {
  const { site, options, plan, links } = start;
  const gathered = new Gathered();
  for (const file of pictures.files) gathered.assets.add(file);
  const frameLinks = check.watchFrame(links);
  const socialImages = new SocialImages(site, frameLinks);
  const useFile = (file: string): unknown => gathered.useFile(file);
  const composer = new PageComposer(site, plan, frameLinks, pictures, useFile, socialImages);
  const isLarge = isLargeSite(plan.rendered.length);
  const aside = isLarge ? { setAside: options.setAside ?? packedInMemory } : {};
  const addresses = addressesFor(plan.urlStyle, plan.routes);
  const searched = searchedPages(site, plan.rendered, (route) => relativeHref('', addresses.hrefOf(route)));
  const tasks = planTasks(site, plan, searched.pages);
  check.expectPages(tasks);
  const { memory: ofRun } = options;
  const memory = ofRun && new PageMemory(ofRun.store, ofRun.engine, plan, ofRun.hashes);
  const before = memory && lastRunFor(options, { site, plan, tasks, frameFiles: new Set(gathered.assets) });
  const index = before && { files: before.lastFiles, reserve: before.last.searchReserve };
  const wanted = before ? tasks.filter((task) => !before.pages.has(task)) : tasks;
  const print = new PrintPages(site, plan, addresses, aside);
  if (before) {
    check.recallFrame(before.last.frame);
    print.lastPartition = before.last.printed.partition;
  }
  return {
    ...start,
    check,
    pictures,
    gathered,
    socialImages,
    composer,
    isLarge,
    addresses,
    tasks,
    memory,
    before,
    wanted,
    print,
    fullText: new FullText(aside),
    /** Of the last run. */
    sections: before && new LastSections(site, before, wanted.length > 0),
    search: new SearchFiles(searched, index, aside),
    wordEdit: before && WordEdit.guess(before, wanted),
    /** What is not as it was in the last run, by output. */
    edited: new Map<string, PageTrace>(),
    /** By the number of the page. */
    printedBytes: before ? [...before.last.printed.bytes] : [],
    pageKeys: before ? [...before.last.pageKeys] : [],
  };
}

/** Every page, rendered or taken over. After a `WordEdit` that holds, most of them are not even named. */
async function* pages(run: Run): AsyncGenerator<RunEvent> {
  const { options, plan, memory, before, wanted, search, wordEdit, fetchPictures } = run;
  /** Before anything is rendered: a page may be kept under the same key as before. */
  if (before)
    for (const { route, id } of wanted)
      search.expect(route, memory?.recallByKey(before.last.pageKeys[id] ?? undefined)?.search);
  const concurrency = options.concurrency ?? availableParallelism();
  const rendered = renderedPages(wanted, {
    plan,
    concurrency,
    signal: options.signal,
    fetchPictures,
    memory,
  });
  let first: ReturnType<typeof rendered.next> | undefined;
  /** So that a process renders what was edited while the rest is gone through. */
  const beginRendering = (): void => {
    if (!first) (first = rendered.next()).catch(() => undefined);
  };
  const byId = new Map(wanted.map((task) => [task.id, task]));
  try {
    if (before) yield* oldPages(run, before, beginRendering);
    for (let one = await (first ?? rendered.next()); !one.done; one = await rendered.next()) {
      const page = one.value;
      if ('type' in page) yield page;
      else {
        const task = byId.get(page.result.id);
        if (task) yield* newPage(run, task, page);
      }
    }
  } finally {
    await rendered.return(undefined);
  }
  if (!before || !wordEdit) return;
  wordEdit.holds &&= plan.pictures.size === 0 && isPrintedAlike(run);
  if (wordEdit.holds) return;
  for (const task of before.pages) yield* recalledPage(run, before, task);
}

/** Where more than words may have changed, everything that a page gives is recalled; otherwise only what it says. */
async function* oldPages(run: Run, before: Before, beginRendering: () => void): AsyncGenerator<RunEvent> {
  const { wordEdit, wanted, plan, composer } = run;
  const [first, ...others] = before.pages;
  // First of all: who waits for the first page need not wait for the first frame, which takes 30 ms.
  if (first) yield old([first.output], 'page');
  beginRendering();
  yield old(
    others.map(({ output }) => output),
    'page',
  );
  const shown = [...before.pages].filter(({ id }) => id < plan.rendered.length);
  yield old(
    shown.map(({ route }) => markdownPath(route)),
    'output',
  );
  let gone = 0;
  for (const task of before.pages) {
    // That process, and threads that read ahead, get on only when this one lets go.
    if ((gone += 1) % pagesWithoutPause === 0) await aPause();
    if (!wordEdit) yield* recalledPage(run, before, task);
    keepTexts(run, before, task);
  }
  // What is to stand around them, while they are rendered.
  for (const task of wanted) composer.prepare(task);
}

/** All that a page gives but its own files. */
function* recalledPage(
  { gathered, check, composer, print, plan }: Run,
  { last }: Before,
  task: PageTask,
): Generator<RunEvent> {
  const trace = last.traces.get(task.output);
  if (!trace) throw new Error(`The last run knows nothing of ${task.output}.`);
  const isShown = task.id < plan.rendered.length;
  gathered.add(task, trace, isShown);
  check.recall(task, markdownPath(task.route), trace.check);
  composer.keep(task, trace.usesImage);
  if (!isShown) return;
  print.noteFeatures(task.route, trace.features);
  for (const item of trace.diagnostics) yield diagnostic(item);
}

/** What a page that is as it was says, for files that repeat it. It is got when one of those is written again. */
function keepTexts(run: Run, { last }: Before, task: PageTask): void {
  const { plan, memory, print, fullText, sections, search, site } = run;
  const { id, route } = task;
  if (id >= plan.rendered.length || !memory) return;
  const key = last.pageKeys[id] ?? '';
  const result = (): PageResult => memory.mustRecall(key);
  print.addOld(task, { bytes: last.printed.bytes[id] ?? 0, result });
  const bytes = sections?.bytesOf(id);
  if (sections && bytes !== undefined) fullText.addOld(id, bytes, () => sections.content(id));
  else if (fullText.hasRoomAt(id) && isInFullText(site, route)) addSection(run, task, result());
  search.keep(route, () => result().search);
}

function* newPage(run: Run, task: PageTask, { result, key }: RememberedPage): Generator<RunEvent> {
  const { plan, gathered, check, composer, print, search, options, before } = run;
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
  trace.frameAssets = gathered.takeUsedFiles();
  if (isShown) {
    run.printedBytes[task.id] = print.add(task, result);
    const page = factsOf(task, trace);
    const markdown = markdownFile(page, result.markdown);
    check.seeMarkdown(markdownName, markdown.head, result.secretsBeside);
    yield seen(markdownName, encodedPieces(markdown.pieces), 'output');
    if (run.fullText.hasRoomAt(task.id)) addSection(run, task, result, trace);
    for (const { path, content } of search.add(task.route, result.search))
      yield text(path, content, 'output');
  }
  if (!options.memory) return;
  trace.check = check.trace(task.output, markdownName) ?? trace.check;
  run.pageKeys[task.id] = key ?? null;
  run.wordEdit?.see(task, result, trace);
  if (before) run.edited.set(task.output, trace);
  else options.memory.add(trace);
}

function addSection(
  { site, plan, composer, fullText }: Run,
  task: PageTask,
  result: PageResult,
  trace = traceOf(task, result, { key: undefined, clockMs: plan.clockMs }),
): void {
  const section = fullTextSection(site, composer.publicAddresses, factsOf(task, trace), result.markdown);
  if (section) fullText.add(task.id, section);
}

/** All files but the pages and the search index. */
async function* filesAfterPages(run: Run): AsyncGenerator<RunEvent> {
  const { site, options, gathered, composer, names, written, before } = run;
  for (const { path, content } of composer.navigationFiles()) yield text(path, content, 'output');
  for (const { path, content } of composer.islandScripts.files()) yield text(path, content, 'output');
  for await (const item of siteOutputs(outputContext(run))) {
    if (!('finding' in item)) written.add(item.path);
    yield eventOf(item);
  }
  for (const { path, content } of await apiFiles(gathered.features)) yield text(path, content, 'output');
  if (gathered.features.has('math'))
    for (const { path, content } of await mathFiles(gathered.mathStyles)) yield text(path, content, 'output');
  yield* stylesheets(run);
  for (const file of [...gathered.assets].toSorted()) {
    options.signal?.throwIfAborted();
    if (site.files.stylesheets.includes(file) || written.has(file)) continue;
    const problem = names.take(file);
    if (problem !== undefined) yield diagnostic(unusableName(file, problem));
    else if (before?.lastFiles.has(file) && options.memory?.hashes.isAsBefore(file))
      yield old([file], 'asset');
    else
      yield {
        type: 'file',
        file: { path: file, content: { copyFrom: join(site.root, file) }, kind: 'asset' },
      };
  }
}

/** Where nothing but words was edited: what repeats them, and the names of all that stays. */
async function* filesAfterWords(run: Run, before: Before, edit: WordEdit): AsyncGenerator<RunEvent> {
  const told = new Set<string>();
  for (const { output, route } of run.tasks) told.add(output).add(markdownPath(route));
  for (const feature of before.last.printed.features) run.print.features.add(feature);
  const context = outputContext(run);
  for (const output of [printOutput, llmsFull])
    for await (const item of output(context)) {
      if ('finding' in item) continue;
      told.add(item.path);
      yield eventOf(item);
    }
  yield old(edit.otherFiles(told), 'output');
}

function outputContext(run: Run): OutputContext {
  const { site, plan, addresses, composer, fullText, sections, print, socialImages, gathered, before } = run;
  return {
    site,
    plan,
    addresses,
    publicAddresses: composer.publicAddresses,
    fullText,
    lastSections: sections,
    print,
    socialImages,
    pages: plan.rendered.flatMap((route) => gathered.facts.get(route) ?? []),
    styles: gathered.styles,
    classes: gathered.classes,
    styleFiles: run.pictures.style,
    isOld: before && ((path) => before.lastFiles.has(path)),
    signal: run.options.signal,
  };
}

async function* stylesheets({ site, links, gathered, names, fetchPictures }: Run): AsyncGenerator<RunEvent> {
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
    for (const asset of prepared.assets) gathered.assets.add(asset);
    for (const item of prepared.diagnostics) yield diagnostic(item);
    yield text(file, prepared.css, 'asset');
  }
}

/** For the next run. */
function remember({ site, options, plan, check, print, search, fullText, before, ...run }: Run): void {
  options.memory?.finish(
    { options: optionsKey(options), files: site.files.all, edited: before && run.edited },
    {
      frame: check.frameTrace(),
      hasRemote: plan.pictures.size > 0,
      printed: { partition: print.partition, features: [...print.features], bytes: run.printedBytes },
      pageKeys: run.pageKeys,
      tiers: (run.wordEdit?.holds && before?.last.tiers) || check.tiers,
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
    for (const file of trace.frameAssets) this.assets.add(file);
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

function tooLarge(file: string): Diagnostic {
  return {
    severity: 'warning',
    code: 'stylesheet_too_large',
    message: 'The stylesheet is larger than 2 MB and was left out',
    file,
    hint: 'Keep only the rules that pages of the site use.',
  };
}

function eventOf(item: OutputItem): RunEvent {
  if ('finding' in item) return diagnostic(item.finding);
  if ('old' in item) return old([item.path], 'output');
  return 'pieces' in item
    ? { type: 'file', file: { path: item.path, content: item, kind: 'output' } }
    : text(item.path, item.content, 'output');
}

function old(paths: readonly string[], kind: OutputFile['kind']): RunEvent {
  return { type: 'old', paths, kind };
}

/** A file that the check was shown, with what is known of it. */
function seen(path: string, content: Uint8Array, kind: OutputFile['kind']): RunEvent {
  return { type: 'file', file: { path, content, kind }, isSeen: true };
}

export function text(
  path: string,
  content: string | Uint8Array | InPieces,
  kind: OutputFile['kind'],
): RunEvent {
  if (typeof content !== 'string') return { type: 'file', file: { path, content, kind } };
  const file = { path, content: encodedText(content), kind };
  return path.endsWith('.html') ? { type: 'file', file, text: content } : { type: 'file', file };
}

export function diagnostic(item: Diagnostic): RunEvent {
  return { type: 'diagnostic', diagnostic: item };
}
