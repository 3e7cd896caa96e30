/**
 * What a run takes over from the one before it, and what it notes for the one after. It decides nothing about bytes: whatever
 * comes from here is what rendering it again would give.
 */
import { fullTextPlaces } from '../outputs/llms.ts';
import { textOfHtml } from '../text/html.ts';
import { keptList } from '../text/kept.ts';
import type { PageResult, PageTask } from '../model/page.ts';
import type { SiteOptions } from '../site/render-options.ts';
import type { LastRun, RunMemory } from './last-run.ts';
import { filesOf } from './page-memory.ts';
import type { PageTrace } from './traces.ts';
import { type Comparison, type LastFiles, type Unchanged, unchangedPages } from './unchanged.ts';
import type { Site } from '../site/site.ts';

export interface Before extends Unchanged {
  last: LastRun;
  lastFiles: LastFiles;
}

interface ReuseOptions extends SiteOptions {
  memory?: RunMemory;
  lastFiles?: LastFiles;
}

/** Undefined when this run has to write every page. */
export function lastRunFor(
  options: ReuseOptions,
  now: Omit<Comparison, 'run' | 'last' | 'lastFiles'>,
): Before | undefined {
  const { memory: run, lastFiles } = options;
  const last = run && lastFiles && run.last(optionsKey(options));
  if (!last) return undefined;
  const unchanged = unchangedPages({ ...now, run, last, lastFiles });
  return unchanged && { last, lastFiles, ...unchanged };
}

/** Everything the caller chose that may be seen in a file. When the site was written is seen by code alone. */
export function optionsKey(options: SiteOptions): string {
  const { origin, basePath, urlStyle, paths, groups, version, airGapped, customCode, fetchPicture } = options;
  const { customScripts } = options;
  const chosen = { origin, basePath, urlStyle, paths, groups, version, airGapped, customCode, customScripts };
  return JSON.stringify({ ...chosen, fetches: fetchPicture !== undefined });
}

const fullTextFile = 'llms-full.txt';

/**
 * Each page's section of the last llms-full.txt. Where it has to be written again, the last one is read while the rest is
 * worked on: 50 MB take 0.3 s to unpack.
 */
export class LastSections {
  readonly #lengths: ReadonlyMap<number, number>;
  readonly #places: ReadonlyMap<number, number>;
  readonly #reading: Promise<readonly Uint8Array[]>;
  #pieces: readonly Uint8Array[] = [];
  /** Where the piece that was asked for last begins. */
  #at = { piece: 0, start: 0 };

  constructor(site: Site, { last, lastFiles }: Before, isNeeded: boolean) {
    // Where the file is gone, none of its sections is known.
    const known = lastFiles.has(fullTextFile) ? last.fullText : [];
    this.#lengths = new Map(known);
    this.#places = fullTextPlaces(site, known);
    const isRead = isNeeded && known.length > 0;
    this.#reading = isRead ? lastFiles.readAhead(fullTextFile) : Promise.resolve([]);
    // Whoever waits for it is told.
    this.#reading.catch(() => undefined);
  }

  /** How many there are. */
  get count(): number {
    return this.#lengths.size;
  }

  bytesOf(position: number): number | undefined {
    return this.#lengths.get(position);
  }

  /** Before any content is asked for. */
  async read(): Promise<void> {
    this.#pieces = await this.#reading;
  }

  /** Asked for in order, each is found at once. */
  content(position: number): Uint8Array {
    const [start = 0, bytes = 0] = [this.#places.get(position), this.#lengths.get(position)];
    if (start < this.#at.start) this.#at = { piece: 0, start: 0 };
    const parts: Uint8Array[] = [];
    for (let left = bytes; left > 0;) {
      const piece = this.#pieces[this.#at.piece];
      if (piece === undefined) throw new Error('The last llms-full.txt is shorter than it was.');
      const from = start + bytes - left - this.#at.start;
      const part = piece.subarray(from, from + left);
      if (part.length > 0) parts.push(part);
      left -= part.length;
      if (left > 0) this.#at = { piece: this.#at.piece + 1, start: this.#at.start + piece.length };
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }
}

/** What the page gives to the site; what only its written files tell is filled in later. */
export function traceOf(
  { output, description: written }: PageTask,
  result: PageResult,
  { key, clockMs }: { key: string | undefined; clockMs: number },
): PageTrace {
  const { assets, styles, classes, mathStyles, features, diagnostics, updates, failed, summary } = result;
  const shown = textOfHtml(result.description);
  // Mostly they are the same, and one text does for both.
  const description = shown === written ? written : shown;
  return {
    output,
    key,
    clockMs: result.tier === 'none' ? undefined : clockMs,
    files: filesOf(result),
    assets: [...assets],
    frameAssets: [],
    styles,
    classes,
    mathStyles,
    features,
    diagnostics,
    facts: { description, summary, updates: keptList(updates), failed },
    check: { anchors: [], tier: result.tier, saysMore: true, bytes: 0, facts: undefined, reaches: [] },
    usesImage: false,
  };
}
