/**
 * Sends a message to an agent job. A running job reads it before its next step, a finished job resumes with it.
 */
import { recordAudit } from '../audit/audit.ts';
import type { Actor } from '../context.ts';
import { isFinal } from '../jobs/lifecycle.ts';
import { holdJob, type Job, type StoreContext } from '../jobs/store.ts';
import { inTransaction } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { addMessage, markMessagesTaken, pendingMessages } from './pending-messages.ts';
import { lastRunNumber } from './record.ts';
import { refusePurged } from './retention.ts';
import { resumeAgentJob } from './start.ts';

/**
 * Runs in the transaction of the caller and locks the job: if it ends now, its worker finds the message in
 * `continueWithMessages`.
 */
export async function messageAgentJob(
  context: StoreContext,
  given: { job: Job; prompt: string; actor: Actor },
): Promise<{ job: Job; sequence: number }> {
  const job = (await holdJob(context.database, given.job.id)) ?? given.job;
  refuseArchived(job);
  refusePurged(job);
  const sequence = await addMessage(context, { jobId: job.id, prompt: given.prompt });
  await recordAudit(context, { actor: given.actor, action: 'agent.message', object: job.id });
  return { job: isFinal(job.status) ? await resumeWithMessages(context, job) : job, sequence };
}

export function refuseArchived(job: Pick<Job, 'archived_at'>): void {
  if (job.archived_at === null) return;
  throw new Problem('job_archived', 'The job is archived. Unarchive it first (POST …/unarchive).');
}

/**
 * Resumes finished jobs with a message that no run has taken. Every worker calls it after each job and
 * periodically.
 */
export async function continueWithMessages(context: StoreContext): Promise<void> {
  const left = await context.database
    .selectFrom('jobs')
    .select('id')
    .where('status', 'in', ['completed', 'failed'])
    .where('archived_at', 'is', null)
    .where('id', 'in', (eb) => eb.selectFrom('agent_messages').select('job_id').where('taken_at', 'is', null))
    .execute();
  for (const { id } of left) {
    await inTransaction(context.database, async (database) => {
      const inside = { ...context, database };
      const job = await holdJob(database, id);
      const isLeft = job !== undefined && isFinal(job.status) && job.archived_at === null;
      if (isLeft && (await pendingMessages(inside, id)).length > 0) await resumeWithMessages(inside, job);
    });
  }
}

async function resumeWithMessages(context: StoreContext, job: Job): Promise<Job> {
  const messages = await pendingMessages(context, job.id);
  const prompt = messages.map((message) => message.prompt).join('\n\n');
  const resumed = await resumeAgentJob(context, { job, kind: 'follow-up', prompt });
  const sequences = messages.map(({ sequence }) => sequence);
  await markMessagesTaken(context, sequences, await lastRunNumber(context, job.id));
  return resumed;
}
