/**
 * Says something to an agent job. One at work hears it before its next step; a finished one goes on with it. A message
 * that came too late for the run it was meant for begins the next one, so that none is lost.
 */
import { recordAudit } from '../audit/audit.ts';
import type { Actor } from '../context.ts';
import { isFinal } from '../jobs/lifecycle.ts';
import { holdJob, type Job, type StoreContext } from '../jobs/store.ts';
import { inTransaction } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { addMessage, markTaken, waitingMessages } from './record.ts';
import { refusePurged } from './retention.ts';
import { resumeAgentJob } from './start.ts';

/**
 * In the transaction of the caller. The job is held meanwhile: if it ends right now, its worker finds the message when it
 * looks for what is left.
 */
export async function messageAgentJob(
  context: StoreContext,
  given: { job: Job; prompt: string; actor: Actor },
): Promise<Job> {
  const job = (await holdJob(context.database, given.job.id)) ?? given.job;
  refuseArchived(job);
  refusePurged(job);
  await addMessage(context, { jobId: job.id, prompt: given.prompt });
  await recordAudit(context, { actor: given.actor, action: 'agent.message', object: job.id });
  return isFinal(job.status) ? resumeWithMessages(context, job) : job;
}

export function refuseArchived(job: Pick<Job, 'archived_at'>): void {
  if (job.archived_at === null) return;
  throw new Problem(
    'job_archived',
    'The job is archived. Take it out of the archive first (POST …/unarchive).',
  );
}

/** Finished jobs with a message that no run took. Called after each job and now and then, by every worker. */
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
      // Somebody else may have been quicker.
      const isLeft = job !== undefined && isFinal(job.status) && job.archived_at === null;
      if (isLeft && (await waitingMessages(inside, id)).length > 0) await resumeWithMessages(inside, job);
    });
  }
}

async function resumeWithMessages(context: StoreContext, job: Job): Promise<Job> {
  const messages = await waitingMessages(context, job.id);
  await markTaken(
    context,
    messages.map(({ sequence }) => sequence),
  );
  const prompt = messages.map((message) => message.prompt).join('\n\n');
  return resumeAgentJob(context, { job, kind: 'follow-up', prompt });
}
