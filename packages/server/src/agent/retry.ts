import { recordAudit } from '../audit/audit.ts';
import type { Actor } from '../context.ts';
import { isFinal } from '../jobs/lifecycle.ts';
import type { Job, StoreContext } from '../jobs/store.ts';
import { Problem } from '../problem.ts';
import { refuseArchived } from './message.ts';
import { inputOf, readRuns } from './record.ts';
import { refusePurged } from './retention.ts';
import { resumeAgentJob } from './start.ts';

export async function retryAgentJob(context: StoreContext, given: { job: Job; actor: Actor }): Promise<Job> {
  const { job } = given;
  refuseArchived(job);
  refusePurged(job);
  if (!isFinal(job.status)) {
    throw new Problem(
      'job_not_finished',
      'The job has not finished. Cancel it first, or wait until it has ended.',
    );
  }
  const runs = await readRuns(context, [job.id]);
  const prompt = runs.findLast(({ kind }) => kind !== 'update')?.prompt ?? inputOf(job).prompt;
  await recordAudit(context, { actor: given.actor, action: 'agent.retry', object: job.id });
  return resumeAgentJob(context, { job, kind: 'retry', prompt });
}
