/** Conflicts of pull requests with their base branch: found after a push, merged by a run, or reported with their files. */
import type { Context } from '../../context.ts';
import { isFinal } from '../../jobs/lifecycle.ts';
import { refuseFullQueue } from '../../jobs/queue-counts.ts';
import { holdJob, tenantOf, type Job } from '../../jobs/store.ts';
import { inTransaction } from '../../ports/database.ts';
import { openProjectForge } from '../../projects/forge.ts';
import { Problem } from '../../problem.ts';
import { stepsOfRun } from '../journal.ts';
import { sanitizeCode } from '../../pull-requests/sanitize.ts';
import { inputOf, lastRunNumber, readRuns } from '../record.ts';
import { findStep } from '../replay.ts';
import { recentInstructions, resumeAgentJob } from '../start.ts';
import {
  addTask,
  changeTask,
  isStill,
  postponeTask,
  replaceConflictChecks,
  type ReviewTask,
} from './tasks.ts';

/** The newest; older pull requests are checked when their job continues. */
const maxJobs = 20;
const maxNamedFiles = 50;
const recheckSeconds = 15;
const busySeconds = 60;
/** A forge computes conflicts when it is first asked. */
const maxUnknownAnswers = 3;

interface PushedBase {
  organizationId: string;
  projectId: string;
  branch: string;
  commit: string;
  isRepository: (url: string) => boolean;
}

/** One task for each pair of head and base. Returns the number of tasks. */
export async function addConflictTasks(context: Context, pushed: PushedBase): Promise<number> {
  const { organizationId, projectId, branch, commit } = pushed;
  const candidates = await context.database
    .selectFrom('jobs')
    .select(['id', 'input'])
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .where('kind', '=', 'agent')
    .where('archived_at', 'is', null)
    .where('purged_at', 'is', null)
    .where('id', 'in', (eb) =>
      eb.selectFrom('agent_runs').select('job_id').where('pull_request', 'like', '%"state":"open"%'),
    )
    .orderBy('sequence', 'desc')
    .limit(maxJobs)
    .execute();
  let added = 0;
  for (const { id: jobId, input } of candidates) {
    if (!pushed.isRepository(inputOf({ input }).source.repository)) continue;
    const open = await openPullRequest(context, jobId);
    if (open?.baseBranch !== branch) continue;
    const source = `conflict:${jobId}:${open.head}:${commit}`;
    const { number: pullRequest } = open;
    await replaceConflictChecks(context, { jobId, source });
    await addTask(context, { organizationId, projectId, jobId, pullRequest, comment: null, source });
    added += 1;
  }
  return added;
}

async function openPullRequest(
  context: Context,
  jobId: string,
): Promise<{ number: number; head: string; baseBranch: string } | undefined> {
  const run = (await readRuns(context, [jobId])).findLast(({ pullRequest }) => pullRequest !== null);
  const number = run?.pullRequest?.number;
  if (run?.pullRequest?.state !== 'open' || number == null) return undefined;
  const steps = await stepsOfRun(context, { jobId, run: run.number });
  const head = findStep(steps, 'pushed')?.commit;
  const baseBranch = findStep(steps, 'prepared')?.baseBranch;
  return head === undefined || baseBranch === undefined ? undefined : { number, head, baseBranch };
}

/** Asks the forge, and starts a run that merges the base branch if there is a conflict. */
export async function checkConflict(
  context: Context,
  { task, job }: { task: ReviewTask; job: Job },
  signal: AbortSignal,
): Promise<void> {
  const { repository } = inputOf(job).source;
  const forge = await openProjectForge(context, { ...tenantOf(job), repository }, signal);
  const { state, isMergeable } = await forge.readPr(task.pullRequest, signal);
  if (state !== 'open') return changeTask(context, task, { state: 'answered', reason: `It is ${state}.` });
  if (isMergeable === true) return changeTask(context, task, { state: 'answered', reason: 'No conflict.' });
  // Bitbucket Cloud does not report conflicts, so the merge has to show them.
  const isUnknown = isMergeable === null && forge.kind !== 'bitbucket';
  if (isUnknown && task.attempts < maxUnknownAnswers) return postponeTask(context, task, recheckSeconds);
  return startUpdate(context, task);
}

async function startUpdate(context: Context, task: ReviewTask): Promise<void> {
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const job = await holdJob(database, task.jobId);
    if (!(await isStill(inside, task))) return;
    if (job === undefined || job.archived_at !== null || job.purged_at !== null) {
      return changeTask(inside, task, { state: 'answered', reason: 'The job takes no more runs.' });
    }
    const { count } = await recentInstructions(inside, task.projectId);
    const isLimited = count >= context.config.limits.agentInstructionsPerHour;
    if (!isFinal(job.status) || isLimited || (await isQueueFull(inside, job)))
      return postponeTask(inside, task, busySeconds);
    await resumeAgentJob(inside, { job, kind: 'update', prompt: 'Merge the base branch.' });
    const run = await lastRunNumber(inside, job.id);
    return changeTask(inside, task, { state: 'sent', run });
  });
}

async function isQueueFull(context: Context, job: Job): Promise<boolean> {
  try {
    await refuseFullQueue(context, job.organization_id);
    return false;
  } catch (error) {
    if (error instanceof Problem) return true;
    throw error;
  }
}

/** A comment with the files that the run could not merge; one per pull request. */
export async function reportConflict(
  context: Context,
  { task, job, run }: { task: ReviewTask; job: Job; run: number },
  signal: AbortSignal,
): Promise<void> {
  const steps = await stepsOfRun(context, { jobId: job.id, run });
  const prepared = findStep(steps, 'prepared');
  const update = prepared?.baseUpdate;
  if (prepared === undefined || update?.outcome !== 'conflicts') return;
  const { repository } = inputOf(job).source;
  const forge = await openProjectForge(context, { ...tenantOf(job), repository }, signal);
  const base = `${sanitizeCode(prepared.baseBranch)} at \`${update.base.slice(0, 12)}\``;
  const files = update.files.slice(0, maxNamedFiles).map((path) => `- ${sanitizeCode(path)}`);
  const body = [`This branch conflicts with ${base}. Resolve the conflicts in:`, '', ...files].join('\n');
  await forge.putComment(task.pullRequest, { marker: 'conflicts', body }, signal);
}
