/**
 * An agent job as callers see it: the fields of the specification, then what more is known. `archivedAt` is a mark that
 * wins over every state, and `prLink` is told only once the job is no longer active.
 */
import {
  agentPhases,
  longestShownPrompt,
  mostShownInstructions,
  type AgentEnding,
  type AgentJob,
  type Failure,
} from '@docyard/api';
import { isFinal } from '../jobs/lifecycle.ts';
import { canceledByOf, type Job } from '../jobs/store.ts';
import type { Usage } from './contract.ts';
import { firstLine } from './first-line.ts';
import { inputOf, type Run } from './record.ts';

const longestTitle = 80;

/** `runs` are all runs of the job, oldest first. */
export function viewAgentJob(job: Job, runs: readonly Run[]): AgentJob {
  const input = inputOf(job);
  const active = !isFinal(job.status);
  const pullRequest = runs.findLast((run) => run.pullRequest !== null)?.pullRequest ?? null;
  const failure = job.failure === null ? null : (JSON.parse(job.failure) as Failure);
  return {
    id: job.id,
    status: statusOf(job),
    source: { repository: input.source.repository, ref: input.source.ref },
    model: input.model,
    prLink: active ? null : (pullRequest?.url ?? null),
    createdAt: job.created_at,
    archivedAt: job.archived_at,
    projectId: job.project_id,
    title: runs.findLast((run) => run.title !== null)?.title ?? firstLine(input.prompt, longestTitle),
    phase: phaseOf(job),
    statusReason: active ? null : endingOf(runs.at(-1), failure),
    error: job.status === 'failed' ? (failure?.message ?? 'The job failed.') : null,
    canceledBy: canceledByOf(job),
    pullRequest,
    usage: usageOf(runs),
    result: resultOf(runs),
    policy: runs.findLast((run) => run.policy !== null)?.policy ?? null,
    runs: Math.max(1, runs.length),
    instructions: runs
      .slice(-mostShownInstructions)
      .map(({ number, prompt }) => ({ run: number, prompt: prompt.slice(0, longestShownPrompt) })),
    draft: input.draft,
    scope: { paths: input.scopePaths },
    limits: input.limits,
    dryRun: input.dryRun,
    metadata: input.metadata,
    updatedAt: job.updated_at,
    startedAt: job.started_at,
    finishedAt: job.finished_at,
    purgedAt: job.purged_at,
  };
}

export function statusOf(job: Pick<Job, 'status' | 'archived_at'>): AgentJob['status'] {
  if (job.archived_at !== null) return 'archived';
  return isFinal(job.status) ? (job.status as 'completed' | 'failed') : 'active';
}

/** The kernel calls the first phase of every job fetching; for an agent that is part of its preparation. */
export function phaseOf(job: Pick<Job, 'status' | 'phase'>): AgentJob['phase'] {
  if (isFinal(job.status)) return 'done';
  return agentPhases.find((phase) => phase === job.phase) ?? 'preparing';
}

/** A run that its worker could not end itself leaves its reason in the row of the job. */
export function endingOf(run: Pick<Run, 'ending'> | undefined, failure: Failure | null): AgentEnding | null {
  if (run?.ending) return run.ending;
  switch (failure?.code) {
    case undefined:
      return null;
    case 'canceled':
      return 'cancelled';
    case 'timeout':
      return 'timeout';
    case 'source_unavailable':
    case 'source_not_found':
    case 'source_refused':
      return 'clone_failed';
    default:
      return 'internal';
  }
}

function usageOf(runs: readonly Run[]): Usage {
  const sum = (of: keyof Usage) => runs.reduce((total, { usage }) => total + (usage?.[of] ?? 0), 0);
  return {
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cacheReadTokens: sum('cacheReadTokens'),
    steps: sum('steps'),
  };
}

const nothingChanged = {
  filesChanged: 0,
  linesAdded: 0,
  linesRemoved: 0,
  newErrors: 0,
  newWarnings: 0,
  fixedFindings: 0,
  previewJobId: null,
};

/** Of the last run that has something to tell; an open run has not. */
function resultOf(runs: readonly Run[]): AgentJob['result'] {
  const told = runs.findLast((run) => run.result !== null || run.summary !== null);
  return told === undefined ? null : { summary: told.summary, ...nothingChanged, ...told.result };
}
