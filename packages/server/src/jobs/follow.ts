/**
 * Everything that happens to the exports within somebody's reach, as records. Several changes of a job between two looks are one:
 * what is told is the record as it is now.
 */
import type { ExportJob } from '@docyard/api';
import type { Context } from '../context.ts';
import type { Job } from '../jobs/store.ts';
import { jobsWithin, type Reach } from '../reach.ts';
import { viewExport } from './view.ts';

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

export class FollowedExports {
  readonly #context: FollowContext;
  readonly #reach: Reach;
  readonly #seenAtMs = new Map<number, number>();
  /** Everything up to here is settled. */
  #floor: number;
  /** The highest number that was seen; a client that comes back with it goes on from there. */
  #position: number;

  private constructor(context: FollowContext, reach: Reach, at: { floor: number; position: number }) {
    this.#context = context;
    this.#reach = reach;
    this.#floor = at.floor;
    this.#position = at.position;
  }

  /** With what a client that begins is told first; one that comes back is told only what it missed. */
  static async begin(
    context: FollowContext,
    { reach, after }: { reach: Reach; after: number },
  ): Promise<{ followed: FollowedExports; first: ExportJob[] }> {
    const newest = await newestEvent(context);
    if (after > 0 && after <= newest && newest - after <= mostBehind) {
      const at = { floor: Math.max(0, after - toldAgain), position: after };
      return { followed: new FollowedExports(context, reach, at), first: [] };
    }
    // The number was read first: what changes from now on has a higher one.
    const followed = new FollowedExports(context, reach, { floor: newest, position: newest });
    return { followed, first: await unfinishedExports(context, reach) };
  }

  get position(): number {
    return this.#position;
  }

  /** The records that have changed since the last call, the longest unchanged first. */
  async news(): Promise<ExportJob[]> {
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
    const jobs = await exportsOf(this.#context, this.#reach, ids);
    return jobs
      .toSorted((a, b) =>
        a.updated_at === b.updated_at ? a.sequence - b.sequence : a.updated_at < b.updated_at ? -1 : 1,
      )
      .map(viewExport);
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

async function unfinishedExports({ database }: FollowContext, reach: Reach): Promise<ExportJob[]> {
  const jobs = await database
    .selectFrom('jobs')
    .selectAll()
    .where('status', 'in', ['queued', 'running'])
    .where(jobsWithin(reach))
    .where('kind', '=', 'export')
    .orderBy('sequence')
    .limit(eventsAtOnce)
    .execute();
  return jobs.map(viewExport);
}

async function exportsOf({ database }: FollowContext, reach: Reach, ids: readonly string[]): Promise<Job[]> {
  if (ids.length === 0) return [];
  return database
    .selectFrom('jobs')
    .selectAll()
    .where('id', 'in', ids)
    .where(jobsWithin(reach))
    .where('kind', '=', 'export')
    .execute();
}
