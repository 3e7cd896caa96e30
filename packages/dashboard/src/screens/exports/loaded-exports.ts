/** Applies an event about one export to the loaded pages of the list. */
import type { ExportJob } from '@docyard/api';
import { withRow, type LoadedPages as Pages } from '../../parts/loaded-pages.ts';

export interface ExportFilters {
  status?: ExportJob['status'];
  domain?: string;
  projectId?: string;
  canceled?: 'true' | 'false';
  q?: string;
  sort?: '-createdAt' | 'createdAt' | 'domain' | '-updatedAt';
  since?: string;
}

export type LoadedPages = Pages<ExportJob>;

export function withJob(loaded: LoadedPages, job: ExportJob, filters: ExportFilters): LoadedPages {
  return withRow(loaded, job, {
    keyOf: ({ jobId }) => jobId,
    isWanted: matchesFilters(job, filters),
    isAdded: filters.q === undefined && filters.sort === undefined,
  });
}

function matchesFilters(job: ExportJob, filters: ExportFilters): boolean {
  const { status, domain, since, projectId, canceled } = filters;
  if (status !== undefined && job.status !== status) return false;
  if (domain !== undefined && job.domain !== domain) return false;
  if (projectId !== undefined && job.projectId !== projectId) return false;
  const isCanceled = job.failure?.code === 'canceled';
  if (canceled !== undefined && isCanceled !== (canceled === 'true')) return false;
  return since === undefined || job.createdAt >= since;
}
