/** How a job changes: the row, its event, the message to webhooks and the delivery in the queue are one transaction. */
import type { Updateable } from 'kysely';
import { nowText, type Context } from '../context.ts';
import { inTransaction, type Database, type JobRow } from '../ports/database.ts';
import type { Delivery, JobKind } from '../ports/queue.ts';
import { announceJobs, type JobChange } from '../webhooks/outbox.ts';
import { moves, type JobStatus, type Move } from './lifecycle.ts';
import { addQueued, removeQueued } from './queue-counts.ts';
import type { Claim, Job, StoreContext } from './store.ts';

/** The name under which changes of all jobs of an organization are announced; the triggers of the migrations know it too. */
export function jobsOf(organizationId: string): string {
  return `jobs:${organizationId}`;
}

/** Part of every move to `queued`; on its own only for a row whose delivery was lost. */
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

/** One guarded UPDATE: it names the states that it leaves and the attempt that it belongs to. */
export async function move(
  context: StoreContext,
  name: Move,
  claim: Claim,
  change: Updateable<JobRow>,
): Promise<Job | undefined> {
  const { from, to }: { from: readonly JobStatus[]; to: JobStatus } = moves[name];
  return changed(context, claim.id, to, async (database) => {
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

/** Progress is for those who follow the job; webhooks are told of what has a name. */
export async function changed(
  context: StoreContext,
  id: string,
  told: JobChange | null,
  update: (database: Database) => Promise<Job | undefined>,
): Promise<Job | undefined> {
  const row = await inTransaction(context.database, async (database) => {
    const updated = await update(database);
    if (updated === undefined) return undefined;
    await recordEvents(database, [updated]);
    if (told !== null) await announceJobs({ ...context, database }, [updated], told);
    return updated;
  });
  if (row !== undefined) {
    context.changes.notify(id);
    context.changes.notify(jobsOf(row.organization_id));
  }
  return row;
}

/** The input never changes and may be large; an event goes without it. */
export async function recordEvents(database: Database, rows: readonly Job[]): Promise<void> {
  const events = rows.map(({ input: _input, ...row }) => ({
    job_id: row.id,
    at: row.updated_at,
    row: JSON.stringify(row),
  }));
  await database.insertInto('job_events').values(events).execute();
}
