/**
 * An edit of nothing but words: whatever pages give to the site besides their own text is what it was, so that all files but
 * theirs, the search index and what repeats their text stay as they are. Most edits are like that. Whether one is, is known
 * once its pages are rendered; until then it is a guess, and a wrong one costs nothing but time.
 */
import { occurrencesOf, placesOf } from '../check/aggregate.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { isHeavy } from '../check/rendered.ts';
import type { SiteReport } from '../check/report.ts';
import type { PageResult, PageTask } from '../model/page.ts';
import type { LastRun } from './last-run.ts';
import { searchFolder } from './search-files.ts';
import type { LastFiles, Unchanged } from './unchanged.ts';
import type { PageTrace } from './traces.ts';

/** Whoever edits more has mostly changed more than words. */
const mostPages = 50;
/** Findings that tell no place, or one that is part of the trace. */
const steadyCodes = new Set<string>(['heading_order', 'missing_alt', 'remote_asset', 'orphan_page']);
const reportFiles = new Set(['report.json', 'report.html']);

export class WordEdit {
  /** Whether it still may be one. */
  holds = true;
  readonly #last: LastRun;
  readonly #lastFiles: LastFiles;
  readonly #changed: ReadonlySet<string>;
  readonly #report: SiteReport;
  readonly #bytes = new Map<string, number>();

  /** Undefined where it is known before that it is none. */
  static guess(
    { last, lastFiles, changed }: { last: LastRun; lastFiles: LastFiles } & Pick<Unchanged, 'changed'>,
    edited: readonly PageTask[],
  ): WordEdit | undefined {
    if (edited.length > mostPages || [...changed].some((file) => !/\.mdx?$/i.test(file))) return undefined;
    // One that is never kept has code, and is rendered each time.
    if (edited.some(({ id }) => last.pageKeys[id] === null)) return undefined;
    if (!lastFiles.areAllThere()) return undefined;
    const report = readReport(lastFiles);
    const pages = new Set(edited.map(({ file }) => file));
    const snippets = new Set([...changed].filter((file) => !pages.has(file)));
    // Where a finding stands may be another line now.
    if (!report || report.truncated) return undefined;
    if (report.diagnostics.some((finding) => placesOf(finding).some(({ file }) => snippets.has(file))))
      return undefined;
    return new WordEdit({ last, lastFiles, changed }, report);
  }

  private constructor(
    { last, lastFiles, changed }: { last: LastRun; lastFiles: LastFiles } & Pick<Unchanged, 'changed'>,
    report: SiteReport,
  ) {
    this.#last = last;
    this.#lastFiles = lastFiles;
    this.#changed = changed;
    this.#report = report;
  }

  /** Is shown every page that was edited, with all that it gives to the site. */
  see({ file }: PageTask, { islands }: PageResult, trace: PageTrace): void {
    const before = this.#last.traces.get(trace.output);
    const isPlain = !islands && !isHeavy(trace.check.bytes);
    const copies = trace.assets.some((asset) => this.#changed.has(asset));
    if (!before || !isPlain || copies || given(before) !== given(trace) || this.#mayHaveMoved(file, before))
      this.holds = false;
    // What is around the content is not of the words, and need not have been used first by the page that was then.
    else trace.frameAssets = [...new Set([...before.frameAssets, ...trace.frameAssets])];
    this.#bytes.set(trace.output, trace.check.bytes);
  }

  /** Whether where a finding of the page stands is known neither by the trace nor by the finding itself. */
  #mayHaveMoved(file: string, { diagnostics }: PageTrace): boolean {
    const known = new Set(diagnostics.map(placeOf));
    return this.#report.diagnostics.some((item) => {
      if (steadyCodes.has(item.code)) return false;
      // Of a finding with more places than are listed, any page may be one.
      if (occurrencesOf(item) > placesOf(item).length) return true;
      return placesOf(item).some((place) => place.file === file && !known.has(placeOf(place)));
    });
  }

  /** The files of the last run that nobody has told of in this one. The search index tells of all of its own. */
  otherFiles(told: ReadonlySet<string>): string[] {
    return [...this.#lastFiles.paths()].filter(
      (path) => !told.has(path) && !path.startsWith(searchFolder) && !reportFiles.has(path),
    );
  }

  /** With what the edited pages weigh now. */
  get report(): SiteReport {
    const weights = this.#report.weights
      .map((page) => ({ ...page, bytes: this.#bytes.get(page.path) ?? page.bytes }))
      .toSorted((a, b) => b.bytes - a.bytes || (a.path < b.path ? -1 : 1));
    return { ...this.#report, weights };
  }

  get tiers(): LastRun['tiers'] {
    return this.#last.tiers;
  }

  /** Findings of the last run that nobody has told of in this one. */
  untold(told: readonly Diagnostic[]): Diagnostic[] {
    const counts = new Map<string, number>();
    for (const item of told) {
      const text = JSON.stringify(item);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    return this.#report.diagnostics.filter((item) => {
      const text = JSON.stringify(item);
      const left = counts.get(text) ?? 0;
      counts.set(text, left - 1);
      return left <= 0;
    });
  }
}

/** The sentence of a finding may be about all of its places. */
function placeOf({ code, file, line, column }: Diagnostic): string {
  return JSON.stringify([code, file, line, column]);
}

/** Everything that others may see of a page. Where its links were written is seen by findings alone, and no link has one. */
function given(trace: PageTrace): string {
  const { key: _key, clockMs: _clock, frameAssets: _assets, check, ...rest } = trace;
  const { bytes: _bytes, anchors, ...judged } = check;
  return JSON.stringify([rest, judged, anchors.map(({ href, written }) => [href, written])]);
}

function readReport(lastFiles: LastFiles): SiteReport | undefined {
  const bytes = lastFiles.read('report.json');
  return bytes && (JSON.parse(Buffer.from(bytes).toString()) as SiteReport);
}
