/**
 * Everything that happens to the jobs of a kind within somebody's reach. Several changes of a job between two looks are one:
 * what is told is the row as it is now.
 */
import type { Context } from '../context.ts';
import type { JobKind } from '../ports/queue.ts';
import { jobsWithin, type Reach } from '../reach.ts';
import type { Job } from './store.ts';

type FollowContext = Pick<Context, 'database'>;

/** Further back the list is read anew instead. */
const mostBehind = 5000;
const eventsAtOnce = 1000;
/**
 * PostgreSQL numbers events before they are committed, so a lower number may appear after a higher one. Events of the last
 * seconds are therefore looked at again, and those before the last one that a client has seen are told again.
 */
const settledMs = 10_000;
const toldAgain = 50;

/** Whose jobs, and which of them. */
export interface Followed {
  reach: Reach;
  kind: JobKind;
}

export class FollowedJobs {
  readonly #context: FollowContext;
  readonly #wanted: Followed;
  readonly #seenAtMs = new Map<number, number>();
  /** Everything up to here is settled. */
  #floor: number;
  /** The highest number that was seen; a client that comes back with it goes on from there. */
  #position: number;

  private constructor(context: FollowContext, wanted: Followed, at: { floor: number; position: number }) {
    this.#context = context;
    this.#wanted = wanted;
    this.#floor = at.floor;
    this.#position = at.position;
  }

  /** With what a client that begins is told first; one that comes back is told only what it missed. */
  static async begin(
    context: FollowContext,
    { after, ...wanted }: Followed & { after: number },
  ): Promise<{ followed: FollowedJobs; first: Job[] }> {
    const newest = await newestEvent(context);
    if (after > 0 && after <= newest && newest - after <= mostBehind) {
      const at = { floor: Math.max(0, after - toldAgain), position: after };
      return { followed: new FollowedJobs(context, wanted, at), first: [] };
    }
    // The number was read first: what changes from now on has a higher one.
    const followed = new FollowedJobs(context, wanted, { floor: newest, position: newest });
    return { followed, first: await unfinishedJobs(context, wanted) };
  }

  get position(): number {
    return this.#position;
  }

  /** The jobs that have changed since the last call, the longest unchanged first. */
  async news(): Promise<Job[]> {
    const rows = await this.#context.database
      .selectFrom('job_events')
      .select(['sequence', 'job_id'])
      .where('sequence', '>', this.#floor)
      .orderBy('sequence')
      .limit(eventsAtOnce + this.#seenAtMs.size)
      .execute();
    const unseen = rows.filter(({ sequence }) => !this.#seenAtMs.has(sequence));
    this.#remember(unseen.map(({ sequence }) => sequence));
    const ids = [...new Set(unseen.map(({ job_id }) => job_id))];
    const jobs = await jobsNamed(this.#context, this.#wanted, ids);
    return jobs.toSorted((a, b) =>
      a.updated_at === b.updated_at ? a.sequence - b.sequence : a.updated_at < b.updated_at ? -1 : 1,
    );
  }

  #remember(sequences: readonly number[]): void {
    const nowMs = performance.now();
    for (const sequence of sequences) {
      this.#seenAtMs.set(sequence, nowMs);
      this.#position = Math.max(this.#position, sequence);
    }
    for (const [sequence, atMs] of this.#seenAtMs) {
      if (nowMs - atMs >= settledMs) this.#floor = Math.max(this.#floor, sequence);
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

async function unfinishedJobs({ database }: FollowContext, { reach, kind }: Followed): Promise<Job[]> {
  return database
    .selectFrom('jobs')
    .selectAll()
    .where('status', 'in', ['queued', 'running'])
    .where(jobsWithin(reach))
    .where('kind', '=', kind)
    .orderBy('sequence')
    .limit(eventsAtOnce)
    .execute();
}

async function jobsNamed(
  { database }: FollowContext,
  { reach, kind }: Followed,
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
