import type { AgentJob, AgentDiff } from '@docyard/api';
import { readJob, wasCanceled, type Job } from '../jobs/store.ts';
import { readPage, type PageRequest } from '../paging.ts';
import { Problem } from '../problem.ts';
import { findProject } from '../projects/find-project.ts';
import { jobsWithin, type AccessScope } from '../access-scope.ts';
import { readRuns, type Run, readDiff } from './record.ts';
import { redactJson, type Redact } from './redact.ts';
import { refusePurged } from './retention.ts';
import { redactorOf, type SettingsContext } from './settings.ts';
import { viewAgentJob } from './view.ts';
import type { JobView, Context } from '../context.ts';
import { isFinal } from '../jobs/lifecycle.ts';

export interface JobPlace {
  id: string;
  projectId: string;
  reach: AccessScope;
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

export async function findAgentWork(
  context: Pick<SettingsContext, 'database'>,
  where: JobPlace,
): Promise<Job> {
  const job = await findAgentJob(context, where);
  refusePurged(job);
  return job;
}

export async function describeAgentJob(context: SettingsContext, job: Job): Promise<AgentJob> {
  const [described] = await describeAgentJobs(context, [job]);
  return described as AgentJob;
}

export async function describeAgentJobs(context: SettingsContext, jobs: readonly Job[]): Promise<AgentJob[]> {
  const all = await readRuns(
    context,
    jobs.map(({ id }) => id),
  );
  const runs = Map.groupBy(all, ({ jobId }) => jobId);
  const redactors = new Map<string, Redact>();
  for (const projectId of new Set(jobs.map(({ project_id }) => project_id)))
    redactors.set(projectId, await redactorOf(context, projectId));
  return jobs.map((job) => maskedView(redactors.get(job.project_id) as Redact, job, runs.get(job.id) ?? []));
}

interface JobFilters extends PageRequest {
  reach: AccessScope;
  status?: AgentJob['status'] | undefined;
  archived?: boolean | undefined;
  canceled?: boolean | undefined;
}

export async function listAgentJobs(
  context: SettingsContext,
  input: JobFilters & { projectId: string },
): Promise<{ data: AgentJob[]; nextCursor: string | null }> {
  const project = await findProject(context, { id: input.projectId, reach: input.reach });
  return listAllAgentJobs(context, { ...input, projectId: project.id });
}

export async function listAllAgentJobs(
  context: SettingsContext,
  input: JobFilters & { projectId?: string | undefined },
): Promise<{ data: AgentJob[]; nextCursor: string | null }> {
  let query = context.database
    .selectFrom('jobs')
    .selectAll()
    .where(jobsWithin(input.reach))
    .where('kind', '=', 'agent');
  if (input.projectId !== undefined) query = query.where('project_id', '=', input.projectId);
  const archived = input.archived ?? (input.status === undefined ? undefined : input.status === 'archived');
  if (archived !== undefined) query = query.where('archived_at', archived ? 'is not' : 'is', null);
  if (input.canceled !== undefined) query = query.where(wasCanceled(input.canceled));
  // An archived job has no other status: asking for both finds nothing.
  if (input.status !== undefined) {
    query =
      input.status === 'archived'
        ? query.where('archived_at', 'is not', null)
        : query.where('archived_at', 'is', null).where('status', 'in', rowStatuses[input.status]);
  }
  const { data: jobs, nextCursor } = await readPage(input, query, (job) => job);
  return { data: await describeAgentJobs(context, jobs), nextCursor };
}

/** Masks before truncating titles: part of a secret would not be recognized. */
function maskedView(redact: Redact, job: Job, runs: readonly Run[]): AgentJob {
  const failure = job.failure === null ? null : redact(job.failure);
  return viewAgentJob({ ...job, input: redact(job.input), failure }, redactJson(redact, runs));
}

const rowStatuses = {
  active: ['queued', 'running'],
  completed: ['completed'],
  failed: ['failed'],
} as const;

/**
 * Webhook payloads of agent jobs. A pull request is announced when its run ends, unless an earlier run opened
 * it.
 */
export function agentView({ config, secrets }: Pick<Context, 'config' | 'secrets'>): Required<JobView> {
  return {
    record: (database, job) => describeAgentJob({ database, config, secrets }, job),
    async extraEvents(database, job, change) {
      if (!isFinal(change)) return [];
      const runs = await readRuns({ database }, [job.id]);
      return hasNewPullRequest(runs) ? ['agent.pull_request_opened'] : [];
    },
  };
}

function hasNewPullRequest(runs: readonly Run[]): boolean {
  const [url = null, ...earlier] = runs.map(({ pullRequest }) => pullRequest?.url).toReversed();
  return url !== null && !earlier.includes(url);
}

export async function readAgentDiff(
  context: SettingsContext,
  { jobId, projectId, run }: { jobId: string; projectId: string; run?: number | undefined },
): Promise<AgentDiff> {
  const { files, patch } = (await readDiff(context, { jobId, run })) ?? { files: [], patch: '' };
  return redactJson(await redactorOf(context, projectId), {
    files: files.map(({ path, from, status, addedLines, removedLines }) => ({
      path,
      from,
      status,
      addedLines,
      removedLines,
    })),
    linesAdded: files.reduce((sum, file) => sum + file.addedLines, 0),
    linesRemoved: files.reduce((sum, file) => sum + file.removedLines, 0),
    patch,
  });
}
