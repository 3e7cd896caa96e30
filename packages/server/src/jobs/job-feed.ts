/**
 * A feed of the jobs of one kind within an access scope. Several changes of a job between two reads appear as
 * one, with the current row.
 */
import type { Context } from '../context.ts';
import type { JobKind } from '../ports/queue.ts';
import { jobsWithin, type AccessScope } from '../access-scope.ts';
import type { Job } from './store.ts';

type FollowContext = Pick<Context, 'database'>;

/** A client further behind than this gets the list of unfinished jobs instead. */
const maxEventsBehind = 5000;
const maxEventsPerRead = 1000;
/**
 * PostgreSQL numbers events before they are committed, so a lower number may appear after a higher one.
 * Events are therefore read again until they have settled, and a reconnecting client gets some of them twice.
 */
const settleMs = 10_000;
const resentEvents = 50;

export interface JobFilter {
  reach: AccessScope;
  kind: JobKind;
}

export class JobFeed {
  readonly #context: FollowContext;
  readonly #filter: JobFilter;
  readonly #seenAtMs = new Map<number, number>();
  #floor: number;
  /** The highest number read so far, with which a client resumes. */
  #position: number;

  private constructor(context: FollowContext, filter: JobFilter, at: { floor: number; position: number }) {
    this.#context = context;
    this.#filter = filter;
    this.#floor = at.floor;
    this.#position = at.position;
  }

  /** A new client starts with all unfinished jobs; a returning client gets only what it missed. */
  static async open(
    context: FollowContext,
    { after, ...filter }: JobFilter & { after: number },
  ): Promise<{ feed: JobFeed; first: Job[] }> {
    const newest = await newestEvent(context);
    if (after > 0 && after <= newest && newest - after <= maxEventsBehind) {
      const at = { floor: Math.max(0, after - resentEvents), position: after };
      return { feed: new JobFeed(context, filter, at), first: [] };
    }
    // Read before the jobs, so that every later change has a higher number.
    const feed = new JobFeed(context, filter, { floor: newest, position: newest });
    return { feed, first: await unfinishedJobs(context, filter) };
  }

  get position(): number {
    return this.#position;
  }

  /** The jobs that have changed since the last call, the least recently changed first. */
  async changedJobs(): Promise<Job[]> {
    const rows = await this.#context.database
      .selectFrom('job_events')
      .select(['sequence', 'job_id'])
      .where('sequence', '>', this.#floor)
      .orderBy('sequence')
      .limit(maxEventsPerRead + this.#seenAtMs.size)
      .execute();
    const unseen = rows.filter(({ sequence }) => !this.#seenAtMs.has(sequence));
    this.#markSeen(unseen.map(({ sequence }) => sequence));
    const ids = [...new Set(unseen.map(({ job_id }) => job_id))];
    const jobs = await readJobs(this.#context, this.#filter, ids);
    return jobs.toSorted((a, b) =>
      a.updated_at === b.updated_at ? a.sequence - b.sequence : a.updated_at < b.updated_at ? -1 : 1,
    );
  }

  #markSeen(sequences: readonly number[]): void {
    const nowMs = performance.now();
    for (const sequence of sequences) {
      this.#seenAtMs.set(sequence, nowMs);
      this.#position = Math.max(this.#position, sequence);
    }
    for (const [sequence, atMs] of this.#seenAtMs) {
      if (nowMs - atMs >= settleMs) this.#floor = Math.max(this.#floor, sequence);
    }
    for (const sequence of this.#seenAtMs.keys()) {
      if (sequence <= this.#floor) this.#seenAtMs.delete(sequence);
    }
  }
}

async function newestEvent({ database }: FollowContext): Promise<number> {
  const newest = await database
    .selectFrom('job_events')
    .select('sequence')
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest?.sequence ?? 0;
}

async function unfinishedJobs({ database }: FollowContext, { reach, kind }: JobFilter): Promise<Job[]> {
  return database
    .selectFrom('jobs')
    .selectAll()
    .where('status', 'in', ['queued', 'running'])
    .where(jobsWithin(reach))
    .where('kind', '=', kind)
    .orderBy('sequence')
    .limit(maxEventsPerRead)
    .execute();
}

async function readJobs(
  { database }: FollowContext,
  { reach, kind }: JobFilter,
  ids: readonly string[],
): Promise<Job[]> {
  if (ids.length === 0) return [];
  return database
    .selectFrom('jobs')
    .selectAll()
    .where('id', 'in', ids)
    .where(jobsWithin(reach))
    .where('kind', '=', kind)
    .execute();
}
