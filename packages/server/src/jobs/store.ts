/** The only writer of a job's status after `create-jobs.ts`. */
import type { CanceledBy, Failure } from '@docyard/api';
import type { ExpressionBuilder, Selectable } from 'kysely';
import { namesOfActors } from '../audit/names.ts';
import { nowText, type Actor, type Context } from '../context.ts';
import { inTransaction, type Database, type JobRow, type Tables } from '../ports/database.ts';
import type { JobKind } from '../ports/queue.ts';
import { Problem } from '../problem.ts';
import { jobsWithin, type AccessScope } from '../access-scope.ts';
import { failureOf } from './failure.ts';
import { applyChange, transition } from './transitions.ts';

export type Job = Selectable<JobRow>;

export type StoreContext = Pick<Context, 'database' | 'clock' | 'changes' | 'queue' | 'views'>;

/** Every kind of job starts by fetching its source. */
const firstPhase = 'fetching';

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
  where: { id: string; reach: AccessScope; kind: JobKind },
): Promise<Job | undefined> {
  return context.database
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', where.id)
    .where(jobsWithin(where.reach))
    .where('kind', '=', where.kind)
    .executeTakeFirst();
}

/** Events are kept for a few days; a client may reconnect with an older one. */
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

/** Reads the row and locks it until the transaction ends. */
export async function holdJob(transaction: Database, id: string): Promise<Job | undefined> {
  return transaction
    .updateTable('jobs')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Undefined when the job is no longer queued for this attempt. */
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
  return transition(
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
  /** Replace those of the previous report. */
  recentFindings?: readonly unknown[];
}

/**
 * Progress and page count never fall, not even when a second attempt starts over. False when the claim is
 * lost.
 */
export async function reportProgress(
  context: StoreContext,
  claim: Claim,
  report: Progress,
): Promise<boolean> {
  return applyChange(context, claim.id, null, (database) =>
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

/** Undefined also after an acknowledged cancellation, which wins over finished work. */
export async function completeJob(
  context: StoreContext,
  claim: Claim,
  outcome: { result: unknown; pageCount: number },
): Promise<Job | undefined> {
  return transition(context, 'complete', claim, {
    phase: 'done',
    progress: 100,
    page_count: outcome.pageCount,
    result: JSON.stringify(outcome.result),
    finished_at: nowText(context),
  });
}

/** A failed job may have a partial result. */
export async function failJob(
  context: StoreContext,
  claim: Claim,
  failure: Failure,
  result?: unknown,
): Promise<Job | undefined> {
  return transition(context, 'fail', claim, {
    failure: JSON.stringify(failure),
    failure_code: failure.code,
    finished_at: nowText(context),
    ...(result === undefined ? {} : { result: JSON.stringify(result) }),
  });
}

/** Returns a running job to the queue, ahead of the waiting jobs of its organization. */
export async function releaseJob(context: StoreContext, claim: Claim): Promise<Job | undefined> {
  return transition(context, 'release', claim, { phase: 'queued' });
}

/** Like `releaseJob`, and counts the loss. */
export async function releaseLostJob(context: StoreContext, job: Job): Promise<Job | undefined> {
  return transition(context, 'release', job, { phase: 'queued', losses: job.losses + 1 });
}

/** A queued job ends immediately; a running job is marked, and its worker ends it. */
export async function requestCancel(
  context: StoreContext,
  job: Job,
  actor?: Actor,
): Promise<Job | undefined> {
  const canceled_by = actor === undefined ? null : JSON.stringify(await describeActor(context, actor));
  const canceled = job.status === 'queued' ? await cancelQueued(context, job, canceled_by) : undefined;
  if (canceled !== undefined) return canceled;
  return applyChange(context, job.id, null, (database) =>
    database
      .updateTable('jobs')
      .set({ cancel_requested_at: nowText(context), canceled_by, updated_at: nowText(context) })
      .where('id', '=', job.id)
      .where('status', 'in', ['queued', 'running'])
      .returningAll()
      .executeTakeFirst(),
  );
}

export function nothingToCancel({ status }: Pick<Job, 'status'>): Problem {
  return new Problem('job_finished', `The job has already ended as ${status}; there is nothing to cancel.`);
}

async function describeActor({ database }: StoreContext, actor: Actor): Promise<CanceledBy> {
  const names = await namesOfActors(database, actor.organizationId, [actor.name]);
  return { actor: actor.name, name: names.get(actor.name) ?? actor.name };
}

/** Events recorded before the column existed lack it. */
export function canceledByOf({ canceled_by }: { canceled_by?: string | null }): CanceledBy | null {
  return canceled_by ? (JSON.parse(canceled_by) as CanceledBy) : null;
}

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
  return transition(context, 'cancel', claim, {
    failure: JSON.stringify(failure),
    failure_code: failure.code,
    canceled_by,
    finished_at: nowText(context),
  });
}

/**
 * Requeues a finished agent job for another run. The attempt number keeps rising, so that a worker of the
 * previous run cannot change this one.
 */
export async function resumeJob(context: StoreContext, job: Job): Promise<Job | undefined> {
  if (job.kind !== 'agent') return undefined;
  return transition(context, 'resume', job, {
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

/** Undefined when the job is in the requested state already. */
export async function markArchived(
  context: StoreContext,
  id: string,
  archived: boolean,
): Promise<Job | undefined> {
  const announcement = archived ? 'archived' : 'unarchived';
  return applyChange(context, id, announcement, (database) =>
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
  await applyChange(context, id, null, (database) =>
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
