/**
 * Finds the pages that the output of the last run holds already, byte for byte. It answers only where that is certain: when
 * nothing changed but the text of pages, snippets they use and pictures they show. Whatever else changes may be on every
 * page, and then none is found.
 */
import { isDeepStrictEqual } from 'node:util';
import { extname } from 'node:path';
import { markdownPath } from '../outputs/page-markdown.ts';
import type { PageTask } from '../model/page.ts';
import type { LastRun, RunMemory } from './last-run.ts';
import type { SitePlan } from '../model/site-plan.ts';
import type { Site } from '../site/site.ts';

/** The files that the last run has written, where the caller still has them. */
export interface LastFiles {
  has(path: string): boolean;
  /** All that the renderer has written, also those that are gone since. */
  paths(): Iterable<string>;
  /** Whether none of those is gone. */
  areAllThere(): boolean;
  read(path: string): Uint8Array | undefined;
  /** Begins to read a large one in the background. It comes in pieces; none when there is no such file. */
  readAhead(path: string): Promise<readonly Uint8Array[]>;
}

export interface Comparison {
  run: RunMemory;
  last: LastRun;
  lastFiles: LastFiles;
  site: Site;
  plan: SitePlan;
  tasks: readonly PageTask[];
  /** Files that the frame of pages shows. */
  frameFiles: ReadonlySet<string>;
}

export interface Unchanged {
  pages: ReadonlySet<PageTask>;
  /** The files that are not what they were. */
  changed: ReadonlySet<string>;
}

/** Changed, these matter only to the pages that show them. */
const pictures = new Set('.png .jpg .jpeg .gif .webp .avif .svg .mp4 .webm .pdf'.split(' '));
const snippets = new Set(['.md', '.mdx']);

export function unchangedPages(comparison: Comparison): Unchanged | undefined {
  const { last, site, tasks, plan, lastFiles } = comparison;
  const changed = changedFiles(comparison);
  if (changed === undefined || plan.pictures.size > 0) return undefined;
  const { all } = site.files;
  if (all.length !== last.files.length || all.some((file, at) => file !== last.files[at])) return undefined;
  // With the same files and the same configuration these are the pages of the last run.
  if (tasks.length !== last.traces.pageCount) return undefined;
  const edited = new Set<string>();
  for (const { output, key, clockMs, files } of last.traces.suspects(changed)) {
    const isLate = clockMs !== undefined && clockMs !== plan.clockMs;
    if (key === undefined || isLate || files.some((file) => changed.has(file))) edited.add(output);
  }
  const pages = tasks.filter(
    ({ output, route }) => !edited.has(output) && lastFiles.has(output) && lastFiles.has(markdownPath(route)),
  );
  return { pages: new Set(pages), changed };
}

/** Undefined when something changed that may be seen on any page. */
function changedFiles({ run, site, frameFiles }: Comparison): Set<string> | undefined {
  const changed = site.files.all.filter((file) => !run.hashes.isAsBefore(file));
  return changed.every((file) => isOfFewPages(file)) ? new Set(changed) : undefined;

  function isOfFewPages(file: string): boolean {
    const extension = extname(file).toLowerCase();
    if (extension === '.css') return true;
    if (pictures.has(extension)) return !frameFiles.has(file);
    if (!snippets.has(extension)) return false;
    return isDeepStrictEqual(toPlain(run.readBefore(file)), toPlain(run.load.pages.get(file)));
  }
}

/** As it was written down the last time: what is undefined is gone. */
function toPlain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
