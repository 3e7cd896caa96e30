/** The file `analytics.db` of a site: counts by day and feedback. It holds nothing about a single reader. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ReaderKind, ReadingMetric } from '@docyard/api';

export interface DailyCount {
  /** In UTC, such as `2026-07-01`. */
  day: string;
  metric: ReadingMetric;
  /** A path or a search text; empty for all searches. */
  name: string;
  reader: ReaderKind;
  count: number;
}

export interface Feedback {
  /** Of the form, so that a comment is added to its vote. */
  id: string;
  day: string;
  path: string;
  isHelpful: boolean;
  comment: string | null;
}

export const analyticsFile = 'analytics.db';
const busyMs = 100;

const tables = `
  create table if not exists source (id text not null) strict;
  create table if not exists daily_counts (
    day text not null, metric text not null, name text not null, reader text not null,
    count integer not null, sent integer not null default 0,
    primary key (day, metric, name, reader)
  ) strict, without rowid;
  create index if not exists unsent_counts on daily_counts (day) where sent < count;
  create table if not exists feedback (
    id text not null primary key, day text not null, path text not null, is_helpful integer not null,
    comment text, is_sent integer not null default 0
  ) strict, without rowid;
  create index if not exists unsent_feedback on feedback (day) where is_sent = 0;
`;

export class AnalyticsDatabase {
  readonly #database: DatabaseSync;
  /** Names this file, so that a service can tell its counts from those of a lost one. */
  readonly sourceId: string;

  private constructor(database: DatabaseSync) {
    this.#database = database;
    const known = database.prepare('select id from source').get();
    this.sourceId = known === undefined ? randomBytes(12).toString('hex') : String(known['id']);
    if (known === undefined) database.prepare('insert into source (id) values (?)').run(this.sourceId);
  }

  static open(folder: string, { readOnly = false } = {}): AnalyticsDatabase {
    const database = new DatabaseSync(join(folder, analyticsFile), { readOnly, timeout: busyMs });
    try {
      if (!readOnly) database.exec(`pragma journal_mode = wal; pragma synchronous = normal; ${tables}`);
      return new AnalyticsDatabase(database);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Adds all or nothing. */
  add(counts: Iterable<DailyCount>, feedback: Iterable<Feedback>): void {
    const addCount = this.#database.prepare(`
      insert into daily_counts (day, metric, name, reader, count) values (?, ?, ?, ?, ?)
      on conflict do update set count = count + excluded.count`);
    const addFeedback = this.#database.prepare(`
      insert into feedback (id, day, path, is_helpful, comment) values (?, ?, ?, ?, ?)
      on conflict do update set comment = excluded.comment, is_sent = 0
      where comment is null and excluded.comment is not null and path = excluded.path`);
    this.#inTransaction(() => {
      for (const { day, metric, name, reader, count } of counts)
        addCount.run(day, metric, name, reader, count);
      for (const { id, day, path, isHelpful, comment } of feedback)
        addFeedback.run(id, day, path, Number(isHelpful), comment);
    });
  }

  /** Distinct names of a day. */
  names(day: string, metric: ReadingMetric): string[] {
    const rows = this.#database
      .prepare('select distinct name from daily_counts where day = ? and metric = ?')
      .all(day, metric);
    return rows.map(({ name }) => String(name));
  }

  feedbackOn(day: string): number {
    return Number(this.#database.prepare('select count(*) as n from feedback where day = ?').get(day)?.['n']);
  }

  *counts(sinceDay: string): Generator<DailyCount, void, undefined> {
    const rows = this.#database
      .prepare('select * from daily_counts where day >= ? order by day, metric, name, reader')
      .iterate(sinceDay);
    for (const row of rows) yield countOf(row);
  }

  *feedback(sinceDay: string): Generator<Feedback, void, undefined> {
    const rows = this.#database
      .prepare('select * from feedback where day >= ? order by day, path, id')
      .iterate(sinceDay);
    for (const row of rows) yield feedbackOf(row);
  }

  unsent(max: number): { counts: DailyCount[]; feedback: Feedback[] } {
    const counts = this.#database
      .prepare('select * from daily_counts where sent < count order by day limit ?')
      .all(max);
    const feedback = this.#database
      .prepare('select * from feedback where is_sent = 0 order by day limit ?')
      .all(max);
    return { counts: counts.map(countOf), feedback: feedback.map(feedbackOf) };
  }

  /** What has changed since then stays unsent. */
  markSent({ counts, feedback }: { counts: DailyCount[]; feedback: Feedback[] }): void {
    const markCount = this.#database.prepare(
      'update daily_counts set sent = ? where day = ? and metric = ? and name = ? and reader = ?',
    );
    const markFeedback = this.#database.prepare(
      'update feedback set is_sent = 1 where id = ? and comment is ?',
    );
    this.#inTransaction(() => {
      for (const { day, metric, name, reader, count } of counts)
        markCount.run(count, day, metric, name, reader);
      for (const { id, comment } of feedback) markFeedback.run(id, comment);
    });
  }

  removeBefore(day: string): void {
    this.#inTransaction(() => {
      this.#database.prepare('delete from daily_counts where day < ?').run(day);
      this.#database.prepare('delete from feedback where day < ?').run(day);
    });
  }

  close(): void {
    this.#database.close();
  }

  #inTransaction(work: () => void): void {
    this.#database.exec('begin immediate');
    try {
      work();
      this.#database.exec('commit');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }
}

type Row = Record<string, unknown>;

function countOf({ day, metric, name, reader, count }: Row): DailyCount {
  return {
    day: String(day),
    metric: String(metric) as ReadingMetric,
    name: String(name),
    reader: String(reader) as ReaderKind,
    count: Number(count),
  };
}

function feedbackOf({ id, day, path, is_helpful: isHelpful, comment }: Row): Feedback {
  return {
    id: String(id),
    day: String(day),
    path: String(path),
    isHelpful: isHelpful === 1,
    comment: typeof comment === 'string' ? comment : null,
  };
}
