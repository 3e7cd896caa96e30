/** Starts agent jobs for automations. Features do not import each other, so automations, agent jobs and exports meet here. */
import type { Diagnostic, Failure, TriggeringChange } from '@docyard/api';
import { startAgentJob } from './agent/start.ts';
import { messageAgentJob } from './agent/message.ts';
import { readRuns, usedTokens } from './agent/record.ts';
import type { AutomationJobs, JobOrder, JobOutcome } from './automations/jobs.ts';
import type { Actor, Context } from './context.ts';
import { compareFindings } from './exports/compare-findings.ts';
import { readReport } from './exports/read.ts';
import { isSameRepository } from './forge-events/repository-address.ts';
import { refuseAgentInstruction } from './http/limits.ts';
import { isFinal } from './jobs/lifecycle.ts';
import { holdJob, type Job } from './jobs/store.ts';
import { ForgeError } from './ports/forge.ts';
import { Problem } from './problem.ts';
import type { ProjectRecord } from './projects/find-project.ts';
import { readAgentSettings } from './projects/agent-settings.ts';
import { openProjectForge } from './projects/forge.ts';

const retrySeconds = 60;
const maxListedFindings = 100;

export const automationJobs: AutomationJobs = {
  start: (context, order) => attempt(() => start(context, order)),
  message: (context, given) => attempt(() => message(context, given)),
  isOpen,
  usedTokens,
  readNewErrors,
};

async function start(context: Context, order: JobOrder): Promise<string> {
  const { project, prompt, automation, runId, reviewers } = order;
  await refuseBusyProject(context, project);
  const { local_sources: localSources } = await context.database
    .selectFrom('organizations')
    .select('local_sources')
    .where('id', '=', project.organization_id)
    .executeTakeFirstOrThrow();
  const triggeringChange = await triggeringChangeOf(context, order);
  const hasReviewers = reviewers.users.length + reviewers.teams.length > 0;
  const job = await startAgentJob(context, {
    project,
    request: {
      prompt,
      ...(automation.draft === undefined ? {} : { draft: automation.draft }),
      ...(automation.scope === undefined ? {} : { scope: automation.scope }),
      ...(triggeringChange === undefined ? {} : { triggeringChange }),
      metadata: { automation: automation.name, automationRun: runId },
    },
    actor: systemActor(project),
    allowLocal: localSources === 1,
    ...(hasReviewers ? { reviewers } : {}),
  });
  return job.id;
}

async function message(
  context: Context,
  { jobId, project, prompt }: { jobId: string; project: ProjectRecord; prompt: string },
): Promise<string> {
  await refuseBusyProject(context, project);
  const job = await holdJob(context.database, jobId);
  if (job === undefined) throw new Problem('not_found', 'The agent job was deleted.');
  await messageAgentJob(context, { job, prompt, actor: systemActor(project) });
  return job.id;
}

async function refuseBusyProject(context: Context, project: ProjectRecord): Promise<void> {
  const problem = await refuseAgentInstruction(context, project.id);
  if (problem !== undefined) throw problem;
}

/** The agent can read the change if the repository is one of those that the project gives it. */
async function triggeringChangeOf(
  context: Context,
  { project, change }: JobOrder,
): Promise<TriggeringChange | undefined> {
  if (change === null) return undefined;
  const { contextRepositories } = await readAgentSettings(context, project.id);
  const found = contextRepositories.find(({ repository }) => isSameRepository(repository, change.repository));
  return found && { repository: found.name, base: change.base, head: change.head };
}

function systemActor(project: ProjectRecord): Actor {
  return {
    organizationId: project.organization_id,
    projectId: project.id,
    name: 'system',
    address: null,
    requestId: null,
  };
}

/** A limit passes; other problems need a change of the project. */
async function attempt(work: () => Promise<string>): Promise<JobOutcome> {
  try {
    return { jobId: await work() };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code !== 'rate_limited' && error.code !== 'queue_full') return { failedBecause: error.message };
    const seconds = Number(error.headers['retry-after']);
    return { retryAfterSeconds: seconds > 0 ? seconds : retrySeconds, reason: error.message };
  }
}

async function isOpen(context: Context, jobId: string, signal: AbortSignal): Promise<boolean> {
  const job = await context.database
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', jobId)
    .executeTakeFirst();
  if (job === undefined || job.archived_at !== null || job.purged_at !== null) return false;
  if (!isFinal(job.status)) return job.cancel_requested_at === null;
  const runs = await readRuns(context, [jobId]);
  const pullRequest = runs.findLast((run) => run.pullRequest !== null)?.pullRequest ?? null;
  if (pullRequest === null || pullRequest.number === null) return false;
  if (pullRequest.state === 'closed' || pullRequest.state === 'merged') return false;
  return isOpenAtForge(context, job, pullRequest.number, signal);
}

/** A forge that does not answer is asked again with the next event; until then the stored state counts. */
async function isOpenAtForge(
  context: Context,
  job: Job,
  number: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { repository } = (JSON.parse(job.input) as { source: { repository: string } }).source;
  const place = { organizationId: job.organization_id, projectId: job.project_id, repository };
  try {
    const forge = await openProjectForge(context, place, signal);
    return (await forge.prState(number, signal)).state === 'open';
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ForgeError) return error.problem !== 'not_found';
    throw error;
  }
}

async function readNewErrors(
  context: Context,
  exportJobId: string,
): Promise<{ count: number; findings: string }> {
  const job = await context.database
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', exportJobId)
    .executeTakeFirst();
  if (job === undefined || job.purged_at !== null) return { count: 0, findings: '' };
  const failure = job.failure === null ? null : (JSON.parse(job.failure) as Failure);
  if (failure !== null && failure.code !== 'strict_failed') {
    // The site could not be loaded, so there is no report.
    const isOfAuthor = failure.code === 'config_invalid' || failure.code === 'no_pages';
    return isOfAuthor ? { count: 1, findings: failure.message } : { count: 0, findings: '' };
  }
  const errors = (await newFindings(context, job)).filter(({ severity }) => severity === 'error');
  return { count: errors.length, findings: errors.slice(0, maxListedFindings).map(lineOf).join('\n') };
}

/** Without an earlier export, all findings are new. */
async function newFindings(context: Context, job: Job): Promise<Diagnostic[]> {
  try {
    const reach = { organizationId: job.organization_id, projectId: job.project_id };
    return (await compareFindings(context, { job, older: undefined, reach })).new;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return (await readReport(context, job).catch(() => ({ diagnostics: [] }))).diagnostics;
  }
}

function lineOf({ file, line, code, message: text }: Diagnostic): string {
  return `${file}${line === null || line === undefined ? '' : `:${line}`}: ${text} (${code})`;
}
