/**
 * Reads agent jobs: one, or a page of a project's. Every query names how far the caller reaches.
 */
import type { AgentJob } from '@docyard/api';
import { readJob, type Job } from '../jobs/store.ts';
import { readPage, type PageRequest } from '../paging.ts';
import { Problem } from '../problem.ts';
import { findProject } from '../projects/projects.ts';
import { jobsWithin, type Reach } from '../reach.ts';
import { readRuns, type Run } from './record.ts';
import { redactJson, type Redact } from './redact.ts';
import { refusePurged } from './retention.ts';
import { redactorOf, type SettingsContext } from './settings.ts';
import { viewAgentJob } from './view.ts';

export interface JobPlace {
  id: string;
  projectId: string;
  reach: Reach;
}

export async function findAgentJob(
  context: Pick<SettingsContext, 'database'>,
  where: JobPlace,
): Promise<Job> {
  const job = await readJob(context, { id: where.id, reach: where.reach, kind: 'agent' });
  if (job === undefined || job.project_id !== where.projectId) {
    throw new Problem('not_found', 'There is no such agent job in this project.');
  }
  return job;
}

/** For whoever wants to see its steps or its change. */
export async function findAgentWork(
  context: Pick<SettingsContext, 'database'>,
  where: JobPlace,
): Promise<Job> {
  const job = await findAgentJob(context, where);
  refusePurged(job);
  return job;
}

/** A row together with its runs, as callers see it; known secrets are masked once more. */
export async function describeAgentJob(context: SettingsContext, job: Job): Promise<AgentJob> {
  const redact = await redactorOf(context, job.project_id);
  return maskedView(redact, job, await readRuns(context, [job.id]));
}

export async function listAgentJobs(
  context: SettingsContext,
  input: PageRequest & {
    reach: Reach;
    projectId: string;
    status?: AgentJob['status'] | undefined;
    archived?: boolean | undefined;
  },
): Promise<{ data: AgentJob[]; nextCursor: string | null }> {
  const project = await findProject(context, { id: input.projectId, reach: input.reach });
  let query = context.database
    .selectFrom('jobs')
    .selectAll()
    .where(jobsWithin(input.reach))
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
  const redact = await redactorOf(context, project.id);
  return { data: jobs.map((job) => maskedView(redact, job, runs.get(job.id) ?? [])), nextCursor };
}

/** Masked before it is viewed: a title is cut, and half of a secret could not be found again. */
function maskedView(redact: Redact, job: Job, runs: readonly Run[]): AgentJob {
  const failure = job.failure === null ? null : redact(job.failure);
  return viewAgentJob({ ...job, input: redact(job.input), failure }, redactJson(redact, runs));
}

const rowStatuses = {
  active: ['queued', 'running'],
  completed: ['completed'],
  failed: ['failed'],
} as const;
