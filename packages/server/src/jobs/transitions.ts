/** Changes a job: its row, event, webhook messages and delivery are one transaction. */
import type { Updateable } from 'kysely';
import { nowText, type Context } from '../context.ts';
import { inTransaction, type Database, type JobRow } from '../ports/database.ts';
import type { Delivery, JobKind } from '../ports/queue.ts';
import { announceJobs, type JobChange } from '../webhooks/outbox.ts';
import { transitions, type JobStatus, type TransitionName } from './lifecycle.ts';
import { addQueued, removeQueued } from './queue-counts.ts';
import type { Claim, Job, StoreContext } from './store.ts';

/** The topic for changes of all jobs of an organization; the triggers in the migrations use it too. */
export function jobsOf(organizationId: string): string {
  return `jobs:${organizationId}`;
}

/** Called alone only for a row whose delivery was lost. */
export async function enqueueJob(
  context: Pick<Context, 'database' | 'queue'>,
  job: Job,
  priority?: Delivery['priority'],
): Promise<void> {
  await context.queue.send(context.database, deliveryOf(job, priority));
}

export function deliveryOf(
  job: Job,
  priority: Delivery['priority'] = job.preview_of === null ? 0 : -1,
): Delivery {
  return {
    kind: job.kind as JobKind,
    jobId: job.id,
    organizationId: job.organization_id,
    attempt: job.attempt,
    priority,
  };
}

/** One guarded UPDATE: it names the states it leaves and the attempt it belongs to. */
export async function transition(
  context: StoreContext,
  name: TransitionName,
  claim: Claim,
  change: Updateable<JobRow>,
): Promise<Job | undefined> {
  const { from, to }: { from: readonly JobStatus[]; to: JobStatus } = transitions[name];
  return applyChange(context, claim.id, to, async (database) => {
    const moved = await database
      .updateTable('jobs')
      .set({ ...change, status: to, updated_at: nowText(context) })
      .where('id', '=', claim.id)
      .where('status', 'in', from)
      .where('attempt', '=', claim.attempt)
      .$if(name === 'complete', (query) => query.where('cancel_requested_at', 'is', null))
      .returningAll()
      .executeTakeFirst();
    if (moved !== undefined && from.includes('queued')) await removeQueued(database, moved.organization_id);
    if (moved !== undefined && to === 'queued') {
      await addQueued(database, [moved.organization_id]);
      await enqueueJob({ ...context, database }, moved, ...(name === 'release' ? [1 as const] : []));
    }
    return moved;
  });
}

/** Webhooks receive only changes with an `announcement`; followers of the job see all. */
export async function applyChange(
  context: StoreContext,
  id: string,
  announcement: JobChange | null,
  update: (database: Database) => Promise<Job | undefined>,
): Promise<Job | undefined> {
  const row = await inTransaction(context.database, async (database) => {
    const updated = await update(database);
    if (updated === undefined) return undefined;
    await recordEvents(database, [updated]);
    if (announcement !== null) await announceJobs({ ...context, database }, [updated], announcement);
    return updated;
  });
  if (row !== undefined) {
    context.changes.notify(id);
    context.changes.notify(jobsOf(row.organization_id));
  }
  return row;
}

/** Without the input, which never changes and may be large. */
export async function recordEvents(database: Database, rows: readonly Job[]): Promise<void> {
  const events = rows.map(({ input: _input, ...row }) => ({
    job_id: row.id,
    at: row.updated_at,
    row: JSON.stringify(row),
  }));
  await database.insertInto('job_events').values(events).execute();
}
