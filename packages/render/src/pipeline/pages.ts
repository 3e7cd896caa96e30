/**
 * The pages of a run, rendered or taken over from the last one, with what each gives to the site. It writes no file but theirs,
 * and files of the search index that are complete.
 */
import { availableParallelism } from 'node:os';
import { setImmediate as aPause } from 'node:timers/promises';
import { encodedPieces } from '../text/encoded-text.ts';
import { flatText } from '../text/kept.ts';
import type { RememberedPage } from '../cache/page-memory.ts';
import { type Before, traceOf } from '../cache/replay.ts';
import { fullTextSection, isInFullText } from '../outputs/llms.ts';
import { isPrintedAlike } from '../outputs/print.ts';
import { markdownFile, markdownPath } from '../outputs/page-markdown.ts';
import { renderedPages } from './rendered-pages.ts';
import type { PageResult, PageTask } from '../model/page.ts';
import { wholePage } from '../theme/shell.ts';
import { type RunEvent, old, seen, text, diagnostic } from './events.ts';
import type { PageTrace } from '../cache/traces.ts';
import { factsOf } from './gathered.ts';
import { HeldPages } from './held-pages.ts';
import type { Run } from './prepare.ts';

/** Some 8 ms of those that are as they were. */
const pagesWithoutPause = 200;

/** Every page, rendered or taken over. Where nothing but words was edited, the others are only named. */
export async function* pages(run: Run): AsyncGenerator<RunEvent> {
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
  const held = new HeldPages(run);
  try {
    if (before) yield* oldPages(run, before, beginRendering);
    for (let one = await (first ?? rendered.next()); !one.done; one = await rendered.next()) {
      const page = one.value;
      if ('type' in page) yield page;
      else {
        const task = byId.get(page.result.id);
        if (task) for (const ready of held.add(task, page)) yield* newPage(run, ready.task, ready.page);
      }
    }
    for (const ready of held.rest()) yield* newPage(run, ready.task, ready.page);
  } finally {
    await rendered.return(undefined);
  }
  if (!before) return;
  if (wordEdit) {
    wordEdit.holds &&= plan.pictures.size === 0 && isPrintedAlike(run);
    if (!wordEdit.holds) for (const task of before.pages) yield* recalledPage(run, before, task);
  }
  yield* dependentPages(run, before);
}

/** Where more than words may have changed, everything that a page gives is recalled; otherwise only what it says. */
async function* oldPages(run: Run, before: Before, beginRendering: () => void): AsyncGenerator<RunEvent> {
  const { wordEdit, wanted, plan, composer, dependents } = run;
  const [first, ...others] = [...before.pages].filter((task) => !dependents.has(task));
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
  { gathered, check, composer, print, plan, memory }: Run,
  { last }: Before,
  task: PageTask,
): Generator<RunEvent> {
  const trace = last.traces.get(task.output);
  if (!trace) throw new Error(`The last run knows nothing of ${task.output}.`);
  const isShown = task.id < plan.rendered.length;
  gathered.add(task, trace, isShown);
  check.recall(task, markdownPath(task.route), trace.check);
  composer.keep(task, trace.usesImage, () => memory?.mustRecall(last.pageKeys[task.id] ?? ''));
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
  const printed = (): PageResult => run.anchorLinks.correctedOnPage(task.output, result());
  print.addOld(task, { bytes: last.printed.bytes[id] ?? 0, result: printed });
  const bytes = sections?.bytesOf(id);
  if (sections && bytes !== undefined) fullText.addOld(id, bytes, () => sections.content(id));
  else if (fullText.hasRoomAt(id) && isInFullText(site, route)) addSection(run, task, result());
  search.keep(route, () => result().search);
}

/** Pages that are as they were, but lead to ids of pages that were rendered again. */
function* dependentPages(run: Run, before: Before): Generator<RunEvent> {
  const { dependents, edited, memory } = run;
  const changed = new Set(
    [...edited.values()].flatMap(({ output, check }) =>
      check.facts?.ids === before.last.traces.get(output)?.check.facts?.ids ? [] : output,
    ),
  );
  for (const [task, targets] of dependents) {
    const trace = before.last.traces.get(task.output);
    if (!trace || !targets.some((target) => changed.has(target))) yield old([task.output], 'page');
    else {
      const result = memory?.mustRecall(before.last.pageKeys[task.id] ?? '');
      if (result) yield* composedAgain(run, { task, trace, result });
    }
  }
}

/** A page that only has other links than before. */
function* composedAgain(
  { anchorLinks, check, composer, edited, print, before: last }: Run,
  { task, trace, result: before }: { task: PageTask; trace: PageTrace; result: PageResult },
): Generator<RunEvent> {
  const result = anchorLinks.corrected(task.output, before);
  check.expectPage(task, result);
  const document = composer.compose(task, result);
  const content = encodedPieces(wholePage(document));
  check.seePage(task.output, { document, content: result.content, bytes: content.length });
  const written = last?.lastFiles.read(task.output);
  if (written && Buffer.from(content).equals(written)) yield old([task.output], 'page');
  else yield seen(task.output, content, 'page');
  print.noteChangedLinks(task.route);
  edited.set(task.output, {
    ...trace,
    check: check.trace(task.output, markdownPath(task.route)) ?? trace.check,
  });
}

function* newPage(run: Run, task: PageTask, { result: rendered, key }: RememberedPage): Generator<RunEvent> {
  const { plan, gathered, check, composer, print, search, options, before, anchorLinks } = run;
  const result = anchorLinks.corrected(task.output, rendered);
  run.anchorTargets.set(task.id, run.idsOf(anchorLinks.targetsOf(task.output, rendered.content)));
  const isShown = task.id < plan.rendered.length;
  const markdownName = flatText(markdownPath(task.route));
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
    // Links to other pages are resolved when all of them are known.
    run.printedBytes[task.id] = print.add(task, anchorLinks.correctedOnPage(task.output, rendered));
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
