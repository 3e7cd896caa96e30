/** Starts the runs of agent jobs. The caller announces the job to the queue after its transaction commits. */
import { basename, isAbsolute } from 'node:path';
import type { CreateAgentJob, TriggeringChange } from '@docyard/api';
import { recordAudit } from '../audit/audit.ts';
import { nowText, type Actor, type Context } from '../context.ts';
import { createJob } from '../jobs/create-jobs.ts';
import { refuseFullQueue } from '../jobs/queue-counts.ts';
import { resumeJob, type Job, type StoreContext } from '../jobs/store.ts';
import { Problem } from '../problem.ts';
import type { ProjectRecord } from '../projects/find-project.ts';
import { addRun, updateRun, readRuns, type AgentInput, type RunKind } from './record.ts';
import { readRules, requireEngine } from './settings.ts';
import { endingOf } from './view.ts';
import type { Limits } from './contract.ts';

type StartContext = StoreContext & Pick<Context, 'config' | 'sources' | 'secrets'>;

export async function startAgentJob(
  context: StartContext,
  given: {
    project: ProjectRecord;
    request: CreateAgentJob;
    actor: Actor;
    allowLocal: boolean;
    reviewers?: NonNullable<AgentInput['reviewers']>;
  },
): Promise<Job> {
  const { project, request, actor } = given;
  const model = await requireEngine(context, project.id);
  const source = {
    repository: project.repository,
    ref: request.source?.ref ?? project.ref,
    directory: project.directory,
    allowLocal: given.allowLocal,
  };
  const complaint = context.sources.refuse(source);
  if (complaint !== undefined) {
    const { field, message } = complaint;
    throw new Problem('invalid_request', message, { details: [{ path: `source.${field}`, message }] });
  }
  await refuseFullQueue(context, actor.organizationId);
  const { limits, contextRepositories } = await readRules(context, project.id);
  const triggeringChange = request.triggeringChange ?? null;
  refuseUnknownRepository(contextRepositories, triggeringChange);
  const input: AgentInput = {
    prompt: request.prompt,
    model: request.model ?? model?.name ?? programName(context),
    source,
    draft: request.draft ?? null,
    scopePaths: request.scope?.paths ?? [],
    limits: lowerLimits(limits, request.limits ?? {}),
    dryRun: request.dryRun ?? false,
    triggeringChange,
    metadata: request.metadata ?? {},
    ...(given.reviewers === undefined ? {} : { reviewers: given.reviewers }),
  };
  const job = await createJob(context, {
    kind: 'agent',
    organizationId: actor.organizationId,
    projectId: project.id,
    domain: project.domain,
    input,
    retryOf: null,
  });
  await addRun(context, { jobId: job.id, kind: 'create', prompt: request.prompt });
  const details = { projectId: project.id, model: input.model };
  await recordAudit(context, { actor, action: 'agent.start', object: job.id, details });
  return job;
}

function refuseUnknownRepository(known: readonly { name: string }[], change: TriggeringChange | null): void {
  if (change === null || known.some(({ name }) => name === change.repository)) return;
  const message = `The project has no context repository ${change.repository}. Add it to agent.contextRepositories, or leave out triggeringChange.`;
  const details = [{ path: 'triggeringChange.repository', message }];
  throw new Problem('invalid_request', message, { details });
}

/** Stands for the model name of an external agent, whose model is unknown. */
function programName({ config }: StartContext): string {
  // `/usr/bin/node /opt/writer/main.js` is named after its script.
  return basename(config.agentCommand?.findLast((part) => isAbsolute(part)) ?? 'agent');
}

/** Adds a run to a finished job, on the same branch and pull request. */
export async function resumeAgentJob(
  context: StoreContext,
  given: { job: Job; kind: Exclude<RunKind, 'create'>; prompt: string },
): Promise<Job> {
  const { job } = given;
  await closeLastRun(context, job);
  await addRun(context, { jobId: job.id, kind: given.kind, prompt: given.prompt });
  const resumed = await resumeJob(context, job);
  if (resumed === undefined) {
    throw new Problem('job_not_finished', 'The job is already running again. Wait until it ends.');
  }
  return resumed;
}

/** Records the ending of a run whose worker was lost, before the job is reset. */
async function closeLastRun(context: Pick<Context, 'database' | 'clock'>, job: Job): Promise<void> {
  const last = (await readRuns(context, [job.id])).at(-1);
  if (last === undefined || last.ending !== null) return;
  const failure = job.failure === null ? null : (JSON.parse(job.failure) as Parameters<typeof endingOf>[1]);
  const ending = endingOf(last, failure) ?? 'internal';
  await updateRun(context, last, { ending, finishedAt: job.finished_at ?? nowText(context) });
}

/** A request may lower the limits of the project, never raise them. */
function lowerLimits(limits: Limits, requested: NonNullable<CreateAgentJob['limits']>): Limits {
  const names = Object.keys(limits) as (keyof Limits)[];
  return Object.fromEntries(
    names.map((name) => [name, Math.min(limits[name], requested[name] ?? Infinity)]),
  ) as unknown as Limits;
}

export async function recentInstructions(
  context: Pick<Context, 'database' | 'clock'>,
  projectId: string,
): Promise<{ count: number; oldestAt: Date | undefined }> {
  const since = new Date(context.clock.now().getTime() - 3_600_000).toISOString();
  const runs = await context.database
    .selectFrom('agent_runs')
    .innerJoin('jobs', 'jobs.id', 'agent_runs.job_id')
    .select((eb) => [
      eb.fn.countAll<number | string>().as('count'),
      eb.fn.min('agent_runs.created_at').as('oldest'),
    ])
    .where('jobs.project_id', '=', projectId)
    // A follow-up is counted by its message.
    .where('agent_runs.kind', '!=', 'follow-up')
    .where('agent_runs.created_at', '>', since)
    .executeTakeFirstOrThrow();
  const messages = await context.database
    .selectFrom('agent_messages')
    .innerJoin('jobs', 'jobs.id', 'agent_messages.job_id')
    .select((eb) => [
      eb.fn.countAll<number | string>().as('count'),
      eb.fn.min('agent_messages.created_at').as('oldest'),
    ])
    .where('jobs.project_id', '=', projectId)
    .where('agent_messages.created_at', '>', since)
    .executeTakeFirstOrThrow();
  const [oldest] = [runs.oldest, messages.oldest].filter((at) => at !== null).toSorted();
  return {
    count: Number(runs.count) + Number(messages.count),
    oldestAt: oldest === undefined ? undefined : new Date(oldest),
  };
}
