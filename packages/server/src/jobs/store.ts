/** The only writer of a job's status after `create-jobs.ts`: every change is one call of `move` or `changed`. */
import type { CanceledBy, Failure } from '@docyard/api';
import type { ExpressionBuilder, Selectable } from 'kysely';
import { namesOfActors } from '../audit/names.ts';
import { nowText, type Actor, type Context } from '../context.ts';
import { inTransaction, type Database, type JobRow, type Tables } from '../ports/database.ts';
import type { JobKind } from '../ports/queue.ts';
import { Problem } from '../problem.ts';
import { jobsWithin, type Reach } from '../reach.ts';
import { failureOf } from './failure.ts';
import { changed, move } from './transitions.ts';

export type Job = Selectable<JobRow>;

export type StoreContext = Pick<Context, 'database' | 'clock' | 'changes' | 'queue' | 'views'>;

/** Every kind of job begins by fetching its source. */
const firstPhase = 'fetching';

/** A claim on a running job: the id and the attempt it was claimed for. */
export interface Claim {
  id: string;
  attempt: number;
}

export function tenantOf(job: Pick<Job, 'organization_id' | 'project_id'>): {
  organizationId: string;
  projectId: string;
} {
  return { organizationId: job.organization_id, projectId: job.project_id };
}

export async function readJob(
  context: Pick<Context, 'database'>,
  where: { id: string; reach: Reach; kind: JobKind },
): Promise<Job | undefined> {
  return context.database
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', where.id)
    .where(jobsWithin(where.reach))
    .where('kind', '=', where.kind)
    .executeTakeFirst();
}

/** Events are kept for some days only; a client may come back with an older one. */
export async function hasEvent(
  context: Pick<Context, 'database'>,
  event: { jobId: string; sequence: number },
): Promise<boolean> {
  const row = await context.database
    .selectFrom('job_events')
    .select('sequence')
    .where('sequence', '=', event.sequence)
    .where('job_id', '=', event.jobId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Reads the row and keeps everybody from changing it until the transaction ends. */
export async function holdJob(transaction: Database, id: string): Promise<Job | undefined> {
  return transaction
    .updateTable('jobs')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Undefined when the job is not queued any more, or for another attempt: somebody else has it, or it was canceled. */
export async function claimJob(
  context: StoreContext,
  id: string,
  attempt?: number,
): Promise<Job | undefined> {
  const current = await context.database
    .selectFrom('jobs')
    .select(['attempt', 'started_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (current === undefined || (attempt ?? current.attempt) !== current.attempt) return undefined;
  return move(
    context,
    'claim',
    { id, attempt: current.attempt },
    {
      attempt: current.attempt + 1,
      phase: firstPhase,
      started_at: current.started_at ?? nowText(context),
    },
  );
}

export interface Progress {
  phase?: string;
  progress?: number;
  pageCount?: number;
  totalPages?: number;
  commit?: string | null;
  /** Take the place of those told before. */
  recentFindings?: readonly unknown[];
}

/** Progress and page count never fall, also when a second attempt starts over. */
export async function reportProgress(
  context: StoreContext,
  claim: Claim,
  report: Progress,
): Promise<boolean> {
  return changed(context, claim.id, null, (database) =>
    database
      .updateTable('jobs')
      .set((eb) => ({
        updated_at: nowText(context),
        ...(report.phase === undefined ? {} : { phase: report.phase }),
        ...(report.progress === undefined
          ? {}
          : { progress: neverFalling(eb, 'progress', Math.min(report.progress, 99)) }),
        ...(report.pageCount === undefined
          ? {}
          : { page_count: neverFalling(eb, 'page_count', report.pageCount) }),
        ...(report.totalPages === undefined ? {} : { total_pages: report.totalPages }),
        ...(report.commit === undefined ? {} : { source_commit: report.commit }),
        ...(report.recentFindings === undefined
          ? {}
          : { recent_findings: JSON.stringify(report.recentFindings) }),
      }))
      .where('id', '=', claim.id)
      .where('status', '=', 'running')
      .where('attempt', '=', claim.attempt)
      .returningAll()
      .executeTakeFirst(),
  ).then((row) => row !== undefined);
}

/** Undefined also when a cancellation was acknowledged meanwhile: what was promised counts, not what is finished. */
export async function completeJob(
  context: StoreContext,
  claim: Claim,
  outcome: { result: unknown; pageCount: number },
): Promise<Job | undefined> {
  return move(context, 'complete', claim, {
    phase: 'done',
    progress: 100,
    page_count: outcome.pageCount,
    result: JSON.stringify(outcome.result),
    finished_at: nowText(context),
  });
}

/** A job that failed may still have something to show, such as the draft of an agent that ran out of time. */
export async function failJob(
  context: StoreContext,
  claim: Claim,
  failure: Failure,
  result?: unknown,
): Promise<Job | undefined> {
  return move(context, 'fail', claim, {
    failure: JSON.stringify(failure),
    failure_code: failure.code,
    finished_at: nowText(context),
    ...(result === undefined ? {} : { result: JSON.stringify(result) }),
  });
}

/** Gives a running job back to the queue because its worker is gone or stops. It goes on before what waits. */
export async function releaseJob(context: StoreContext, claim: Claim): Promise<Job | undefined> {
  return move(context, 'release', claim, { phase: 'queued' });
}

/** The same after a loss, which counts towards giving up. */
export async function releaseLostJob(context: StoreContext, job: Job): Promise<Job | undefined> {
  return move(context, 'release', job, { phase: 'queued', losses: job.losses + 1 });
}

/** A queued job ends at once; a running one is marked, and its worker ends it. */
export async function requestCancel(
  context: StoreContext,
  job: Job,
  actor?: Actor,
): Promise<Job | undefined> {
  const canceled_by = actor === undefined ? null : JSON.stringify(await describeActor(context, actor));
  const ended = job.status === 'queued' ? await cancelQueued(context, job, canceled_by) : undefined;
  if (ended !== undefined) return ended;
  return changed(context, job.id, null, (database) =>
    database
      .updateTable('jobs')
      .set({ cancel_requested_at: nowText(context), canceled_by, updated_at: nowText(context) })
      .where('id', '=', job.id)
      .where('status', 'in', ['queued', 'running'])
      .returningAll()
      .executeTakeFirst(),
  );
}

/** For a job that had ended before anybody asked. */
export function nothingToCancel({ status }: Pick<Job, 'status'>): Problem {
  return new Problem('job_finished', `The job has already ended as ${status}; there is nothing to cancel.`);
}

async function describeActor({ database }: StoreContext, actor: Actor): Promise<CanceledBy> {
  const names = await namesOfActors(database, actor.organizationId, [actor.name]);
  return { actor: actor.name, name: names.get(actor.name) ?? actor.name };
}

/** Undefined in events that were recorded before the column existed. */
export function canceledByOf({ canceled_by }: { canceled_by?: string | null }): CanceledBy | null {
  return canceled_by ? (JSON.parse(canceled_by) as CanceledBy) : null;
}

/** A filter for jobs that were canceled, or for all others. */
export function wasCanceled(canceled: boolean) {
  return (jobs: ExpressionBuilder<Tables, 'jobs'>) =>
    canceled
      ? jobs('failure_code', '=', 'canceled')
      : jobs.or([jobs('failure_code', 'is', null), jobs('failure_code', '!=', 'canceled')]);
}

function cancelQueued(
  context: StoreContext,
  claim: Claim,
  canceled_by: string | null,
): Promise<Job | undefined> {
  const failure = failureOf('canceled', 'The job was canceled before it began.');
  return move(context, 'cancel', claim, {
    failure: JSON.stringify(failure),
    failure_code: failure.code,
    canceled_by,
    finished_at: nowText(context),
  });
}

/**
 * Puts a finished agent job back into the queue for another run. The number of the attempt goes on rising, so that a
 * worker of the run before cannot speak for this one.
 */
export async function resumeJob(context: StoreContext, job: Job): Promise<Job | undefined> {
  if (job.kind !== 'agent') return undefined;
  return move(context, 'resume', job, {
    phase: 'queued',
    progress: 0,
    earlier_attempts: job.attempt,
    losses: 0,
    failure: null,
    failure_code: null,
    cancel_requested_at: null,
    canceled_by: null,
    finished_at: null,
  });
}

/** Sets or takes away the mark; undefined when it is as asked for already. */
export async function markArchived(
  context: StoreContext,
  id: string,
  archived: boolean,
): Promise<Job | undefined> {
  const told = archived ? 'archived' : 'unarchived';
  return changed(context, id, told, (database) =>
    database
      .updateTable('jobs')
      .set({ archived_at: archived ? nowText(context) : null, updated_at: nowText(context) })
      .where('id', '=', id)
      .where('archived_at', archived ? 'is' : 'is not', null)
      .returningAll()
      .executeTakeFirst(),
  );
}

export async function markPurged(context: StoreContext, id: string): Promise<void> {
  await changed(context, id, null, (database) =>
    database
      .updateTable('jobs')
      .set({ purged_at: nowText(context), updated_at: nowText(context) })
      .where('id', '=', id)
      .where('purged_at', 'is', null)
      .returningAll()
      .executeTakeFirst(),
  );
}

export async function deleteJob(context: StoreContext, id: string): Promise<void> {
  await inTransaction(context.database, async (database) => {
    await database.deleteFrom('job_events').where('job_id', '=', id).execute();
    await database.deleteFrom('jobs').where('id', '=', id).execute();
  });
  context.changes.notify(id);
}

function neverFalling(
  eb: ExpressionBuilder<Tables, 'jobs'>,
  column: 'progress' | 'page_count',
  value: number,
) {
  return eb.case().when(column, '<', value).then(value).else(eb.ref(column)).end();
}
