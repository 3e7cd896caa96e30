/** The list of agent jobs, updated by an event stream. */
import type { AgentJob } from '@docyard/api';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { client } from '../../api/client.ts';
import { useLive } from '../../session/live.ts';
import { useList } from '../../parts/list.ts';
import { withRow, type LoadedPages } from '../../parts/loaded-pages.ts';

export interface JobFilters {
  status?: AgentJob['status'];
  archived?: 'false';
  canceled?: 'true' | 'false';
  projectId?: string;
}

/** Steps cause no job event, so step counts are polled. */
const stepsMs = 10_000;
const rowsAtOnce = 50;

export function useLiveAgentJobs(filters: JobFilters) {
  const queries = useQueryClient();
  const name = JSON.stringify(['agent-jobs', 'list', filters]);
  const list = useList(
    JSON.parse(name) as unknown[],
    (cursor) => client.call('listAllAgentJobs', { query: { ...filters, cursor, limit: rowsAtOnce } }),
    { followed: true, refetchMs: (rows) => rows.some(({ status }) => status === 'active') && stepsMs },
  );
  const take = useCallback(
    (data: unknown) => {
      const job = data as AgentJob;
      const [, , filters] = JSON.parse(name) as [string, string, JobFilters];
      queries.setQueryData<LoadedPages<AgentJob>>(
        JSON.parse(name) as unknown[],
        (pages) =>
          pages && withRow(pages, job, { keyOf: ({ id }) => id, isWanted: matchesFilters(job, filters) }),
      );
    },
    [queries, name],
  );
  return { ...list, connected: useLive('/v2/agent/events', take) };
}

function matchesFilters(job: AgentJob, { status, archived, canceled, projectId }: JobFilters): boolean {
  const isCanceled = job.status !== 'active' && job.statusReason === 'cancelled';
  if (canceled !== undefined && isCanceled !== (canceled === 'true')) return false;
  if (status !== undefined && job.status !== status) return false;
  if (archived === 'false' && job.status === 'archived') return false;
  return projectId === undefined || job.projectId === projectId;
}
