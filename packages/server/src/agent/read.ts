/**
 * Reads one agent job, exactly as the specification lists it.
 */
import type { AgentJob } from '@docyard/api';
import type { Context } from '../context.ts';
import { readJob, type Job } from '../jobs/store.ts';
import { Problem } from '../problem.ts';
import { viewAgentJob } from './view.ts';

async function findAgentJob(
  context: Pick<Context, 'database'>,
  where: { id: string; projectId: string; organizationId: string },
): Promise<Job> {
  const job = await readJob(context, { id: where.id, organizationId: where.organizationId, kind: 'agent' });
  if (job === undefined || job.project_id !== where.projectId) {
    throw new Problem('not_found', 'There is no such agent job in this project.');
  }
  return job;
}

export async function readAgentJob(
  context: Pick<Context, 'database'>,
  where: { id: string; projectId: string; organizationId: string },
): Promise<AgentJob> {
  return viewAgentJob(await findAgentJob(context, where));
}
