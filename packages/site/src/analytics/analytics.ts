/**
 * Counts what readers of a site do. Counts are collected in memory and written every few seconds; a failure to
 * write never fails a request.
 */
import type { Logger } from 'pino';
import type { ReaderKind, ReadingMetric } from '@docyard/api';
import { markdownOf } from '../serving/markdown-preference.ts';
import type { PageObserver, SiteExchange } from '../serving/respond.ts';
import type { ServedSite } from '../serving/served-site.ts';
import { AnalyticsDatabase, type DailyCount, type Feedback } from './analytics-database.ts';
import { readerKindOf } from './reader-kind.ts';
import { recordedQuery } from './recorded-text.ts';

export interface AnalyticsOptions {
  dataDir: string;
  retentionDays: number;
  log: Logger;
  now?: (() => Date) | undefined;
}

const flushSeconds = 5;
const maxPathCharacters = 300;
/** Distinct names per day; further ones are counted as `otherName`. */
const maxNames: Record<ReadingMetric, number> = {
  views: 20_000,
  missing: 200,
  searches: 1,
  empty_searches: 500,
};
const otherName = '(other)';
const maxFeedbackPerDay = 1000;
const dayMs = 86_400_000;

interface Today {
  day: string;
  names: Record<ReadingMetric, Set<string>>;
  feedback: Set<string>;
  storedFeedback: number;
}

export class Analytics implements PageObserver {
  readonly database: AnalyticsDatabase;
  readonly #options: AnalyticsOptions;
  #counts = new Map<string, DailyCount>();
  #feedback = new Map<string, Feedback>();
  #today: Today;
  #sweptOn = '';
  #lastProblem = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AnalyticsOptions) {
    this.#options = options;
    this.database = AnalyticsDatabase.open(options.dataDir);
    this.#today = this.#begin(this.#day());
  }

  start(): void {
    this.flush();
    this.#timer = setInterval(() => this.flush(), flushSeconds * 1000);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.flush();
    this.database.close();
  }

  served({ request, site }: SiteExchange, file: string): void {
    // A range is a part of a download.
    if (request.method !== 'GET' || request.headers.range !== undefined) return;
    const path = pagePathOf(site, file);
    if (path === undefined) return;
    this.countRead(path, file.endsWith('.md') ? 'agent' : readerKindOf(request));
  }

  missed({ request }: SiteExchange, path: string): void {
    const wantsPage = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html');
    if (!wantsPage || readerKindOf(request) === 'agent') return;
    this.#count('missing', { name: path.toWellFormed().slice(0, maxPathCharacters), reader: 'human' });
  }

  fetched(site: ServedSite, file: string): void {
    const path = pagePathOf(site, file);
    if (path !== undefined) this.countRead(path, 'agent');
  }

  countRead(path: string, reader: ReaderKind): void {
    this.#count('views', { name: path.slice(0, maxPathCharacters), reader });
  }

  searched({ reader, text, isEmpty }: { reader: ReaderKind; text: string; isEmpty: boolean }): void {
    this.#count('searches', { name: '', reader });
    if (isEmpty) this.#count('empty_searches', { name: recordedQuery(text) ?? otherName, reader });
  }

  /** False when no more feedback is accepted today. */
  rated(feedback: Omit<Feedback, 'day'>): boolean {
    const today = this.#current();
    const { id } = feedback;
    const known = this.#feedback.get(id);
    const isFull = today.storedFeedback + today.feedback.size >= maxFeedbackPerDay;
    if (isFull && !today.feedback.has(id)) return false;
    today.feedback.add(id);
    if (known === undefined) this.#feedback.set(id, { ...feedback, day: today.day });
    else if (known.path === feedback.path) known.comment ??= feedback.comment;
    return true;
  }

  /** Writes what was counted since the last time. */
  flush(): void {
    try {
      const today = this.#day();
      if (this.#sweptOn !== today) this.database.removeBefore(this.#dayBefore(today));
      this.#sweptOn = today;
      if (this.#counts.size > 0 || this.#feedback.size > 0)
        this.database.add(this.#counts.values(), this.#feedback.values());
      this.#counts = new Map();
      this.#feedback = new Map();
      this.#lastProblem = '';
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.#lastProblem)
        this.#options.log.warn(`analytics cannot be written and are kept in memory: ${message}`);
      this.#lastProblem = message;
    }
  }

  #count(metric: ReadingMetric, { name: given, reader }: { name: string; reader: ReaderKind }): void {
    const { day, names } = this.#current();
    const known = names[metric];
    const name = known.has(given) || known.size < maxNames[metric] ? given : otherName;
    known.add(name);
    const key = [day, metric, reader, name].join('\n');
    const counted = this.#counts.get(key);
    if (counted === undefined) this.#counts.set(key, { day, metric, name, reader, count: 1 });
    else counted.count += 1;
  }

  #current(): Today {
    const day = this.#day();
    if (day !== this.#today.day) this.#today = this.#begin(day);
    return this.#today;
  }

  #begin(day: string): Today {
    const stored = (metric: ReadingMetric) =>
      new Set(this.#stored(() => this.database.names(day, metric), []));
    return {
      day,
      names: {
        views: stored('views'),
        missing: stored('missing'),
        searches: stored('searches'),
        empty_searches: stored('empty_searches'),
      },
      feedback: new Set(),
      storedFeedback: this.#stored(() => this.database.feedbackOn(day), 0),
    };
  }

  #stored<T>(read: () => T, otherwise: T): T {
    try {
      return read();
    } catch {
      return otherwise;
    }
  }

  #day(): string {
    return (this.#options.now?.() ?? new Date()).toISOString().slice(0, 10);
  }

  #dayBefore(day: string): string {
    return new Date(Date.parse(day) - this.#options.retentionDays * dayMs).toISOString().slice(0, 10);
  }
}

/** The path of a page or of its Markdown, such as `/guides/start`. Undefined for other files. */
function pagePathOf(site: ServedSite, file: string): string | undefined {
  if (file === '404.html' || file.startsWith('_docyard/')) return undefined;
  if (file.endsWith('.html')) return `/${file.replace(/(?:(?:^|\/)index)?\.html$/, '')}`;
  if (!file.endsWith('.md')) return undefined;
  const bare = file.slice(0, -'.md'.length);
  const page = [`${bare}.html`, `${bare}/index.html`].find(
    (each) => site.has(each) && markdownOf(each) === file,
  );
  return page === undefined ? undefined : pagePathOf(site, page);
}

/** Whether a site has a page at a path that `pagePathOf` returns. */
export function hasPage(site: ServedSite, path: string): boolean {
  if (!path.startsWith('/')) return false;
  const name = path.slice(1);
  const files = name === '' ? ['index.html'] : [`${name}.html`, `${name}/index.html`];
  return files.some((file) => site.has(file) && pagePathOf(site, file) === path);
}
