/**
 * Reads agent jobs: one, or a page of a project's. Every query names the organization.
 */
import type { AgentJob } from '@docyard/api';
import type { Context } from '../context.ts';
import { readJob, type Job } from '../jobs/store.ts';
import { readPage, type PageRequest } from '../paging.ts';
import { Problem } from '../problem.ts';
import { findProject } from '../projects/projects.ts';
import { readRuns } from './record.ts';
import { viewAgentJob } from './view.ts';

type ReadContext = Pick<Context, 'database'>;

export interface JobPlace {
  id: string;
  projectId: string;
  organizationId: string;
}

export async function findAgentJob(context: ReadContext, where: JobPlace): Promise<Job> {
  const job = await readJob(context, { id: where.id, organizationId: where.organizationId, kind: 'agent' });
  if (job === undefined || job.project_id !== where.projectId) {
    throw new Problem('not_found', 'There is no such agent job in this project.');
  }
  return job;
}

/** A row together with its runs, as callers see it. */
export async function describeAgentJob(context: ReadContext, job: Job): Promise<AgentJob> {
  return viewAgentJob(job, await readRuns(context, [job.id]));
}

export async function listAgentJobs(
  context: ReadContext,
  input: PageRequest & {
    organizationId: string;
    projectId: string;
    status?: AgentJob['status'] | undefined;
    archived?: boolean | undefined;
  },
): Promise<{ data: AgentJob[]; nextCursor: string | null }> {
  const project = await findProject(context, { id: input.projectId, organizationId: input.organizationId });
  let query = context.database
    .selectFrom('jobs')
    .selectAll()
    .where('organization_id', '=', input.organizationId)
    .where('project_id', '=', project.id)
    .where('kind', '=', 'agent');
  const archived = input.archived ?? (input.status === undefined ? undefined : input.status === 'archived');
  if (archived !== undefined) query = query.where('archived_at', archived ? 'is not' : 'is', null);
  // An archived job has no other status, so that asking for both finds nothing.
  if (input.status !== undefined) {
    query =
      input.status === 'archived'
        ? query.where('archived_at', 'is not', null)
        : query.where('archived_at', 'is', null).where('status', 'in', rowStatuses[input.status]);
  }
  const { data: jobs, nextCursor } = await readPage(input, query, (job) => job);
  const runs = Map.groupBy(
    await readRuns(
      context,
      jobs.map(({ id }) => id),
    ),
    ({ jobId }) => jobId,
  );
  return { data: jobs.map((job) => viewAgentJob(job, runs.get(job.id) ?? [])), nextCursor };
}

const rowStatuses = {
  active: ['queued', 'running'],
  completed: ['completed'],
  failed: ['failed'],
} as const;
