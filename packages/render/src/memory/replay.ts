/**
 * What a run takes over from the one before it, and what it notes for the one after. It decides nothing about bytes: whatever
 * comes from here is what rendering it again would give.
 */
import { fullTextPlaces } from '../outputs/llms.ts';
import { textOfHtml } from '../html.ts';
import type { Site } from '../load.ts';
import type { PageResult, PageTask } from '../page/task.ts';
import type { RenderOptions } from '../site-plan.ts';
import type { LastRun, PageTrace } from './last-run.ts';
import { filesOf } from './page-memory.ts';
import { type Comparison, type LastFiles, unchangedPages } from './unchanged.ts';

export interface Before {
  last: LastRun;
  lastFiles: LastFiles;
  unchanged: ReadonlyMap<PageTask, PageTrace>;
}

/** Undefined when this run has to write every page. */
export function lastRunFor(
  options: RenderOptions,
  now: Omit<Comparison, 'run' | 'last' | 'lastFiles'>,
): Before | undefined {
  const { memory: run, lastFiles } = options;
  const last = run && lastFiles && run.last(optionsKey(options));
  if (!last) return undefined;
  const unchanged = unchangedPages({ ...now, run, last, lastFiles });
  return unchanged && { last, lastFiles, unchanged };
}

/** Everything the caller chose that may be seen in a file. When the site was written is seen by code alone. */
export function optionsKey(options: RenderOptions): string {
  const { origin, basePath, urlStyle, paths, groups, version, airGapped, customCode, fetchPicture } = options;
  const chosen = { origin, basePath, urlStyle, paths, groups, version, airGapped, customCode };
  return JSON.stringify({ ...chosen, fetches: fetchPicture !== undefined });
}

/** Each page's section of the last llms-full.txt; the file is read when the first one is needed. */
export function lastSections(
  site: Site,
  { last, lastFiles }: Before,
): (position: number) => { bytes: number; content: () => Uint8Array } | undefined {
  const lengths = new Map(last.fullText);
  const places = fullTextPlaces(site, last.fullText);
  let file: Uint8Array | undefined;
  return (position) => {
    const [bytes, start] = [lengths.get(position), places.get(position)];
    if (bytes === undefined || start === undefined) return undefined;
    const content = (): Uint8Array => {
      file ??= lastFiles.read('llms-full.txt') ?? new Uint8Array();
      return file.subarray(start, start + bytes);
    };
    return { bytes, content };
  };
}

/** What the page gives to the site; what only its written files tell is filled in later. */
export function traceOf(
  { output }: PageTask,
  result: PageResult,
  { key, clockMs }: { key: string | undefined; clockMs: number },
): PageTrace {
  const { assets, styles, classes, mathStyles, features, diagnostics, updates, failed, summary } = result;
  const description = textOfHtml(result.description);
  return {
    output,
    key,
    clockMs: result.tier === 'none' ? undefined : clockMs,
    files: filesOf(result),
    assets: [...assets],
    styles,
    classes,
    mathStyles,
    features,
    diagnostics,
    facts: { description, summary, updates, failed },
    check: { anchors: [], tier: result.tier, saysMore: true, bytes: 0, facts: undefined, reaches: [] },
    usesImage: false,
    printedBytes: 0,
  };
}
