/**
 * An agent job as the API shows it. An archived job has no other status, and `prLink` is null while the job is
 * active.
 */
import {
  agentPhases,
  maxShownPromptCharacters,
  maxShownInstructions,
  type AgentEnding,
  type AgentJob,
  type Failure,
} from '@docyard/api';
import { isFinal } from '../jobs/lifecycle.ts';
import { canceledByOf, type Job } from '../jobs/store.ts';
import { firstLine } from './first-line.ts';
import { inputOf, type Run } from './record.ts';
import { sumUsage } from './replay.ts';

const maxTitleCharacters = 80;

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
    title: runs.findLast((run) => run.title !== null)?.title ?? firstLine(input.prompt, maxTitleCharacters),
    phase: phaseOf(job),
    statusReason: active ? null : endingOf(runs.at(-1), failure),
    error: job.status === 'failed' ? (failure?.message ?? 'The job failed.') : null,
    canceledBy: canceledByOf(job),
    pullRequest,
    usage: sumUsage(runs.flatMap(({ usage }) => usage ?? [])),
    result: resultOf(runs),
    policy: runs.findLast((run) => run.policy !== null)?.policy ?? null,
    runs: Math.max(1, runs.length),
    instructions: runs
      .slice(-maxShownInstructions)
      .map(({ number, prompt }) => ({ run: number, prompt: prompt.slice(0, maxShownPromptCharacters) })),
    draft: input.draft,
    scope: { paths: input.scopePaths },
    limits: input.limits,
    dryRun: input.dryRun,
    triggeringChange: input.triggeringChange ?? null,
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

/** Every job starts in the phase `fetching`, which is part of an agent's preparation. */
export function phaseOf(job: Pick<Job, 'status' | 'phase'>): AgentJob['phase'] {
  if (isFinal(job.status)) return 'done';
  return agentPhases.find((phase) => phase === job.phase) ?? 'preparing';
}

/** A worker that could not end its run leaves the reason in the row of the job. */
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

const nothingChanged = {
  filesChanged: 0,
  linesAdded: 0,
  linesRemoved: 0,
  newErrors: 0,
  newWarnings: 0,
  fixedFindings: 0,
  previewJobId: null,
  notes: [],
};

function resultOf(runs: readonly Run[]): AgentJob['result'] {
  const run = runs.findLast(({ result, summary }) => result !== null || summary !== null);
  return run === undefined ? null : { summary: run.summary, ...nothingChanged, ...run.result };
}
