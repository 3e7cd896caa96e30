/** The records of reviewers' comments, and of conflicts with the base branch: from the check to the reply. */
import type { Selectable } from 'kysely';
import { nowText, type Context } from '../../context.ts';
import { newId } from '../../ids.ts';
import type { ReviewTaskRow } from '../../ports/database.ts';
import type { ReviewComment } from './comment.ts';

type TaskContext = Pick<Context, 'database' | 'clock'>;

/**
 * `checking`: the forge is asked about the author or the conflict. `allowed`: the event becomes a message. `sent`: a
 * run works on it, and its result becomes the reply.
 */
export type TaskState = 'checking' | 'allowed' | 'refused' | 'sent' | 'answered' | 'failed';

export interface ReviewTask {
  id: string;
  organizationId: string;
  projectId: string;
  jobId: string;
  pullRequest: number;
  /** Null for a conflict. */
  comment: ReviewComment | null;
  state: TaskState;
  /** Why it was refused or failed. */
  reason: string | null;
  messageSequence: number | null;
  attempts: number;
  nextAt: string;
}

const retentionDays = 30;

export async function findTask(
  context: Pick<Context, 'database'>,
  { projectId, source }: { projectId: string; source: string },
): Promise<ReviewTask | undefined> {
  const row = await context.database
    .selectFrom('review_tasks')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('source', '=', source)
    .executeTakeFirst();
  return row === undefined ? undefined : taskOf(row);
}

export async function addTask(
  context: TaskContext,
  given: Pick<ReviewTask, 'organizationId' | 'projectId' | 'jobId' | 'pullRequest' | 'comment'> & {
    source: string;
  },
): Promise<void> {
  const now = nowText(context);
  await context.database
    .insertInto('review_tasks')
    .values({
      id: newId('rt'),
      organization_id: given.organizationId,
      project_id: given.projectId,
      job_id: given.jobId,
      source: given.source,
      pull_request: given.pullRequest,
      comment: given.comment === null ? null : JSON.stringify(given.comment),
      state: 'checking',
      reason: null,
      message_sequence: null,
      run: null,
      attempts: 0,
      next_at: now,
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'source']).doNothing())
    .execute();
}

export async function changeTask(
  context: TaskContext,
  { id, state: from }: Pick<ReviewTask, 'id' | 'state'>,
  change: { state: TaskState; reason?: string; messageSequence?: number; run?: number },
): Promise<void> {
  await context.database
    .updateTable('review_tasks')
    .set({
      state: change.state,
      attempts: 0,
      next_at: nowText(context),
      ...(change.reason === undefined ? {} : { reason: change.reason }),
      ...(change.messageSequence === undefined ? {} : { message_sequence: change.messageSequence }),
      ...(change.run === undefined ? {} : { run: change.run }),
    })
    .where('id', '=', id)
    .where('state', '=', from)
    .execute();
}

/** A newer push makes the checks of older ones needless. */
export async function replaceConflictChecks(
  context: TaskContext,
  { jobId, source }: { jobId: string; source: string },
): Promise<void> {
  await context.database
    .updateTable('review_tasks')
    .set({ state: 'answered', reason: 'A newer push replaced it.' })
    .where('job_id', '=', jobId)
    .where('comment', 'is', null)
    .where('state', '=', 'checking')
    .where('source', '!=', source)
    .execute();
}

export async function isStill(
  context: Pick<Context, 'database'>,
  { id, state }: Pick<ReviewTask, 'id' | 'state'>,
): Promise<boolean> {
  const row = await context.database
    .selectFrom('review_tasks')
    .select('id')
    .where('id', '=', id)
    .where('state', '=', state)
    .executeTakeFirst();
  return row !== undefined;
}

/** Of several processes, only one gets a task. If it is killed, the task is due again after the lease. */
export async function claimTask(
  context: TaskContext,
  task: ReviewTask,
  leaseSeconds: number,
): Promise<boolean> {
  const { numUpdatedRows } = await context.database
    .updateTable('review_tasks')
    .set({ next_at: secondsFromNow(context, leaseSeconds), attempts: task.attempts + 1 })
    .where('id', '=', task.id)
    .where('state', '=', task.state)
    .where('next_at', '=', task.nextAt)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function postponeTask(
  context: TaskContext,
  { id, state }: Pick<ReviewTask, 'id' | 'state'>,
  seconds: number,
): Promise<void> {
  await context.database
    .updateTable('review_tasks')
    .set({ next_at: secondsFromNow(context, seconds) })
    .where('id', '=', id)
    .where('state', '=', state)
    .execute();
}

const maxTasks = 50;

export async function readTasksToCheck(context: TaskContext): Promise<ReviewTask[]> {
  const rows = await context.database
    .selectFrom('review_tasks')
    .selectAll()
    .where('state', '=', 'checking')
    .where('next_at', '<=', nowText(context))
    .orderBy('next_at')
    .limit(maxTasks)
    .execute();
  return rows.map(taskOf);
}

/** With the run that read the message, or merged the base branch; a canceled job reads a message in its last run. */
export async function readTasksToAnswer(context: TaskContext): Promise<{ task: ReviewTask; run: number }[]> {
  const rows = await context.database
    .selectFrom('review_tasks')
    .leftJoin('agent_messages', 'agent_messages.sequence', 'review_tasks.message_sequence')
    .innerJoin('agent_runs', (join) =>
      join
        .onRef('agent_runs.job_id', '=', 'review_tasks.job_id')
        .on((eb) => eb('agent_runs.number', '=', eb.fn.coalesce('review_tasks.run', 'agent_messages.run'))),
    )
    .selectAll('review_tasks')
    .select('agent_runs.number as number')
    .where('review_tasks.state', '=', 'sent')
    .where('review_tasks.next_at', '<=', nowText(context))
    .where('agent_runs.finished_at', 'is not', null)
    .orderBy('review_tasks.next_at')
    .limit(maxTasks)
    .execute();
  return rows.map(({ number, ...row }) => ({ task: taskOf(row), run: number }));
}

/** Events, which could repeat a task, are not kept longer. */
export async function sweepReviewTasks(context: TaskContext): Promise<void> {
  const oldest = secondsFromNow(context, -retentionDays * 86_400);
  await context.database.deleteFrom('review_tasks').where('created_at', '<', oldest).execute();
}

function secondsFromNow({ clock }: Pick<Context, 'clock'>, seconds: number): string {
  return new Date(clock.now().getTime() + seconds * 1000).toISOString();
}

function taskOf(row: Selectable<ReviewTaskRow>): ReviewTask {
  return {
    id: row.id,
    organizationId: row.organization_id,
    projectId: row.project_id,
    jobId: row.job_id,
    pullRequest: row.pull_request,
    comment: row.comment === null ? null : (JSON.parse(row.comment) as ReviewComment),
    state: row.state as TaskState,
    reason: row.reason,
    messageSequence: row.message_sequence,
    attempts: row.attempts,
    nextAt: row.next_at,
  };
}
