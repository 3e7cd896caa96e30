/** The pages of the list of exports that are loaded, and what an event about one job makes of them. Pure. */
import type { ExportJob } from '@docyard/api';
import { withRow, type LoadedPages as Pages } from '../../parts/loaded-pages.ts';

export interface ExportFilters {
  status?: ExportJob['status'];
  domain?: string;
  projectId?: string;
  canceled?: 'true' | 'false';
  q?: string;
  sort?: '-createdAt' | 'createdAt' | 'domain' | '-updatedAt';
  /** A moment; older exports are left out. */
  since?: string;
}

export type LoadedPages = Pages<ExportJob>;

/** The pages after an event about one job. */
export function withJob(loaded: LoadedPages, job: ExportJob, filters: ExportFilters): LoadedPages {
  return withRow(loaded, job, {
    keyOf: ({ jobId }) => jobId,
    isWanted: isMeant(job, filters),
    isAdded: filters.q === undefined && filters.sort === undefined,
  });
}

function isMeant(job: ExportJob, filters: ExportFilters): boolean {
  const { status, domain, since, projectId, canceled } = filters;
  if (status !== undefined && job.status !== status) return false;
  if (domain !== undefined && job.domain !== domain) return false;
  if (projectId !== undefined && job.projectId !== projectId) return false;
  const isCanceled = job.failure?.code === 'canceled';
  if (canceled !== undefined && isCanceled !== (canceled === 'true')) return false;
  return since === undefined || job.createdAt >= since;
}
