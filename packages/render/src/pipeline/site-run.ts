/**
 * One run of the renderer over a loaded site: what is known before, the pages, and the files about all of them, in the order in
 * which they become ready. It judges nothing.
 */
import { configuredPictures, missingInFrame, picturesOfFrame } from '../theme/configured-pictures.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { RenderedCheck } from '../check/rendered.ts';
import { optionsKey } from '../cache/replay.ts';
import type { WordEdit } from '../cache/word-edit.ts';
import type { RenderOptions } from './site-plan.ts';
import { contextualFindings } from '../theme/contextual.ts';
import { contrastFindings } from '../theme/site-css.ts';
import { type RunEvent, old, text, diagnostic } from './events.ts';
import { begin, prepare, type Run } from './prepare.ts';
import { pages } from './pages.ts';
import { filesAfterPages, filesAfterWords } from './files.ts';
import type { Site } from '../site/site.ts';

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
    ...start.customScripts.findings,
    ...pictures.diagnostics,
    ...missingInFrame(site, start.remote.table),
    ...lookFindings(site),
  ])
    yield diagnostic(item);
  const run = prepare(start, pictures, check);
  yield* pages(run);
  if (run.before && run.wordEdit?.holds) {
    yield* filesAfterWords(run, run.before, run.wordEdit);
    yield { type: 'word-edit', edit: run.wordEdit };
  } else yield* filesAfterPages(run);
  for (const file of run.search.finish())
    yield 'old' in file ? old([file.path], 'output') : text(file.path, file.content, 'output');
  remember(run);
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
      anchorTargets: [...run.anchorTargets].filter(([, targets]) => targets.length > 0),
      tiers: (run.wordEdit?.holds && before?.last.tiers) || check.tiers,
      searchReserve: search.reserve,
      fullText: fullText.list(),
    },
  );
}

/** Which colours were corrected, and which entries of the page menu only a hosted site has. */
function lookFindings({ settings, configFile }: Site): Diagnostic[] {
  return [...contrastFindings(settings, configFile), ...contextualFindings(settings.contextual, configFile)];
}
