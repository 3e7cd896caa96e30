/** The agent job of a pull request, and what the forge reports about the pull request. */
import type { Context } from '../../context.ts';
import { readJob, type Job } from '../../jobs/store.ts';
import type { PullRequest } from '../contract.ts';
import { inputOf, readRuns, updateRun, type Run } from '../record.ts';

type RecordContext = Pick<Context, 'database' | 'clock'>;

export interface PullRequestJob {
  job: Job;
  /** The last run with a pull request. */
  run: Run;
  pullRequest: PullRequest;
}

/** Undefined if no job of the project has opened it. `isRepository` compares the repository of the job. */
export async function findPullRequestJob(
  context: Pick<Context, 'database'>,
  given: {
    organizationId: string;
    projectId: string;
    number: number;
    isRepository: (url: string) => boolean;
  },
): Promise<PullRequestJob | undefined> {
  const { organizationId, projectId, number } = given;
  const candidates = await context.database
    .selectFrom('agent_runs')
    .innerJoin('jobs', 'jobs.id', 'agent_runs.job_id')
    .select('jobs.id')
    .distinct()
    .where('jobs.organization_id', '=', organizationId)
    .where('jobs.project_id', '=', projectId)
    // JSON, so this is only a first selection.
    .where('agent_runs.pull_request', 'like', `%"number":${number},%`)
    .execute();
  for (const { id } of candidates) {
    const job = await readJob(context, { id, reach: { organizationId, projectId }, kind: 'agent' });
    if (job === undefined || !given.isRepository(inputOf(job).source.repository)) continue;
    const found = await lastPullRequest(context, job);
    if (found?.pullRequest.number === number) return found;
  }
  return undefined;
}

async function lastPullRequest(
  context: Pick<Context, 'database'>,
  job: Job,
): Promise<PullRequestJob | undefined> {
  const run = (await readRuns(context, [job.id])).findLast(({ pullRequest }) => pullRequest !== null);
  const pullRequest = run?.pullRequest;
  return run === undefined || pullRequest == null ? undefined : { job, run, pullRequest };
}

export async function recordPullRequestState(
  context: RecordContext,
  { run, pullRequest }: PullRequestJob,
  state: 'open' | 'closed' | 'merged',
): Promise<void> {
  if (pullRequest.state === state) return;
  await updateRun(context, run, { pullRequest: { ...pullRequest, state } });
}
