/**
 * The row of an agent job as callers see it. `archivedAt` is a mark that wins over every state, and `prLink` is
 * told only once the job is no longer active.
 */
import type { AgentJob } from '@docyard/api';
import type { Job } from '../jobs/store.ts';

/** What an agent job keeps in its row. */
export interface AgentInput {
  prompt: string;
  model: string;
  source: { repository: string; ref: string | null };
}

export interface AgentResult {
  prLink: string | null;
}

export function viewAgentJob(job: Job): AgentJob {
  const input = JSON.parse(job.input) as AgentInput;
  const result = job.result === null ? null : (JSON.parse(job.result) as AgentResult);
  const active = job.status === 'queued' || job.status === 'running';
  return {
    id: job.id,
    status:
      job.archived_at === null ? (active ? 'active' : (job.status as 'completed' | 'failed')) : 'archived',
    source: { repository: input.source.repository, ref: input.source.ref },
    model: input.model,
    prLink: active ? null : (result?.prLink ?? null),
    createdAt: job.created_at,
    archivedAt: job.archived_at,
  };
}
