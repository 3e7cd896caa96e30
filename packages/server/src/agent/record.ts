/** Stores the runs of agent jobs, their steps and their pending messages. */
import type { TriggeringChange } from '@docyard/api';
import type { Selectable } from 'kysely';
import { nowText, type Context } from '../context.ts';
import type { AgentRunRow, AgentStepRow } from '../ports/database.ts';
import type { Job } from '../jobs/store.ts';
import type { DiffFile, EndReason, Limits, PullRequest, Step, Usage, Verdict } from './contract.ts';

type RecordContext = Pick<Context, 'database' | 'clock'>;

export interface AgentInput {
  prompt: string;
  model: string;
  source: { repository: string; ref: string | null; directory: string | null; allowLocal: boolean };
  /** Null: the checks decide. */
  draft: boolean | null;
  scopePaths: string[];
  /** The limits of the project, lowered by the request. */
  limits: Limits;
  dryRun: boolean;
  /** In a context repository. Undefined in jobs of earlier versions. */
  triggeringChange?: TriggeringChange | null;
  metadata: Record<string, string>;
  /** Requested besides those of the project. */
  reviewers?: { users: string[]; teams: string[] };
}

export function inputOf(job: Pick<Job, 'input'>): AgentInput {
  return JSON.parse(job.input) as AgentInput;
}

/** An `update` merges the base branch without the model. */
export const runKinds = ['create', 'follow-up', 'retry', 'update'] as const;
export type RunKind = (typeof runKinds)[number];

export interface RunResult {
  filesChanged: number;
  linesAdded: number;
  linesRemoved: number;
  newErrors: number;
  newWarnings: number;
  fixedFindings: number;
  previewJobId: string | null;
  /** Earlier versions did not store them. */
  notes?: string[];
}

export type ChangedFile = Omit<DiffFile, 'before' | 'after'>;

export interface Run {
  jobId: string;
  number: number;
  kind: RunKind;
  prompt: string;
  ending: EndReason | null;
  title: string | null;
  summary: string | null;
  branch: string | null;
  baseCommit: string | null;
  usage: Usage | null;
  /** Null if this run proposed none. */
  pullRequest: PullRequest | null;
  policy: Verdict | null;
  result: RunResult | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

export async function addRun(
  context: RecordContext,
  given: { jobId: string; kind: RunKind; prompt: string },
): Promise<number> {
  const number = (await lastRunNumber(context, given.jobId)) + 1;
  await context.database
    .insertInto('agent_runs')
    .values({
      job_id: given.jobId,
      number,
      kind: given.kind,
      prompt: given.prompt,
      created_at: nowText(context),
    })
    .execute();
  return number;
}

/** 0 if the job has no run. */
export async function lastRunNumber(context: Pick<Context, 'database'>, jobId: string): Promise<number> {
  const last = await context.database
    .selectFrom('agent_runs')
    .select((eb) => eb.fn.max('number').as('number'))
    .where('job_id', '=', jobId)
    .executeTakeFirst();
  return last?.number ?? 0;
}

/** All columns except the patch, which may be large. */
const runColumns = [
  'job_id',
  'number',
  'kind',
  'prompt',
  'ending',
  'title',
  'summary',
  'branch',
  'base_commit',
  'usage',
  'pull_request',
  'policy',
  'result',
  'created_at',
  'started_at',
  'finished_at',
] as const;

export async function readRuns(
  context: Pick<Context, 'database'>,
  jobIds: readonly string[],
): Promise<Run[]> {
  if (jobIds.length === 0) return [];
  const rows = await context.database
    .selectFrom('agent_runs')
    .select(runColumns)
    .where('job_id', 'in', jobIds)
    .orderBy('job_id')
    .orderBy('number')
    .execute();
  return rows.map(runOf);
}

export type RunChange = Partial<
  Pick<
    Run,
    | 'ending'
    | 'title'
    | 'summary'
    | 'branch'
    | 'baseCommit'
    | 'usage'
    | 'pullRequest'
    | 'policy'
    | 'result'
    | 'startedAt'
    | 'finishedAt'
  >
> & {
  diff?: StoredDiff;
  /** Null if it equals `diff`. */
  ownDiff?: StoredDiff | null;
};

export interface StoredDiff {
  files: ChangedFile[];
  patch: string;
}

export async function updateRun(
  context: RecordContext,
  run: { jobId: string; number: number },
  change: RunChange,
): Promise<void> {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  const values = {
    ...(change.ending === undefined ? {} : { ending: change.ending }),
    ...(change.title === undefined ? {} : { title: change.title }),
    ...(change.summary === undefined ? {} : { summary: change.summary }),
    ...(change.branch === undefined ? {} : { branch: change.branch }),
    ...(change.baseCommit === undefined ? {} : { base_commit: change.baseCommit }),
    ...(change.usage === undefined ? {} : { usage: json(change.usage) }),
    ...(change.pullRequest === undefined ? {} : { pull_request: json(change.pullRequest) }),
    ...(change.policy === undefined ? {} : { policy: json(change.policy) }),
    ...(change.result === undefined ? {} : { result: json(change.result) }),
    ...(change.startedAt === undefined ? {} : { started_at: change.startedAt }),
    ...(change.finishedAt === undefined ? {} : { finished_at: change.finishedAt }),
    ...(change.diff === undefined
      ? {}
      : { files: JSON.stringify(change.diff.files), patch: change.diff.patch }),
    ...(change.ownDiff === undefined
      ? {}
      : { own_files: json(change.ownDiff?.files ?? null), own_patch: change.ownDiff?.patch ?? null }),
  };
  if (Object.keys(values).length === 0) return;
  await context.database
    .updateTable('agent_runs')
    .set(values)
    .where('job_id', '=', run.jobId)
    .where('number', '=', run.number)
    .execute();
}

/** Of all runs since a time. */
export async function usedTokens(
  { database }: Pick<Context, 'database'>,
  jobIds: readonly string[],
  since: string,
): Promise<number> {
  const runs = await database
    .selectFrom('agent_runs')
    .select('usage')
    .where('job_id', 'in', jobIds)
    .where('created_at', '>=', since)
    .where('usage', 'is not', null)
    .execute();
  return runs.reduce((sum, { usage }) => {
    const { inputTokens, outputTokens } = JSON.parse(usage ?? '{}') as Usage;
    return sum + inputTokens + outputTokens;
  }, 0);
}

/**
 * The newest stored diff of the branch, so that a run that failed early keeps the previous one; with `run`, the
 * diff of that run alone.
 */
export async function readDiff(
  context: Pick<Context, 'database'>,
  { jobId, run }: { jobId: string; run?: number | undefined },
): Promise<StoredDiff | undefined> {
  let query = context.database
    .selectFrom('agent_runs')
    .select(['files', 'patch', 'own_files', 'own_patch'])
    .where('job_id', '=', jobId)
    .where('patch', 'is not', null);
  if (run !== undefined) query = query.where('number', '=', run);
  const row = await query.orderBy('number', 'desc').executeTakeFirst();
  if (row === undefined) return undefined;
  const isOwn = run !== undefined && row.own_patch !== null;
  const [files, patch] = isOwn ? [row.own_files, row.own_patch] : [row.files, row.patch];
  return { files: JSON.parse(files ?? '[]') as ChangedFile[], patch: patch ?? '' };
}

export interface RecordedStep {
  sequence: number;
  run: number;
  number: number;
  at: string;
  step: Step;
}

/** Fails if the number exists: two workers must not write one journal. */
export async function addStep(
  context: RecordContext,
  where: { jobId: string; run: number; number: number },
  step: Step,
): Promise<void> {
  await context.database
    .insertInto('agent_steps')
    .values({
      job_id: where.jobId,
      run: where.run,
      number: where.number,
      kind: step.kind,
      data: JSON.stringify(step),
      at: nowText(context),
    })
    .execute();
}

export async function readSteps(
  context: Pick<Context, 'database'>,
  where: { jobId: string } & ({ run: number } | { afterSequence: number; limit: number }),
): Promise<RecordedStep[]> {
  const ofJob = context.database.selectFrom('agent_steps').selectAll().where('job_id', '=', where.jobId);
  const wanted =
    'run' in where
      ? ofJob.where('run', '=', where.run)
      : ofJob.where('sequence', '>', where.afterSequence).limit(where.limit);
  return (await wanted.orderBy('sequence').execute()).map(recordedStep);
}

export function recordedStep(row: Selectable<AgentStepRow>): RecordedStep {
  const { sequence, run, number, at } = row;
  return { sequence, run, number, at, step: JSON.parse(row.data) as Step };
}

function runOf(row: Pick<Selectable<AgentRunRow>, (typeof runColumns)[number]>): Run {
  const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
  return {
    jobId: row.job_id,
    number: row.number,
    kind: row.kind as RunKind,
    prompt: row.prompt,
    ending: row.ending as EndReason | null,
    title: row.title,
    summary: row.summary,
    branch: row.branch,
    baseCommit: row.base_commit,
    usage: parsed(row.usage) as Usage | null,
    pullRequest: parsed(row.pull_request) as PullRequest | null,
    policy: parsed(row.policy) as Verdict | null,
    result: parsed(row.result) as RunResult | null,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
