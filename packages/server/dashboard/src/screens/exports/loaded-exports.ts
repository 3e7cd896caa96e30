/** The pages of the list of exports that are loaded, and what an event about one job makes of them. Pure. */
import type { ExportJob } from '@docyard/api';
import { withRow, type LoadedPages as Pages } from '../../parts/loaded-pages.ts';

export interface ExportFilters {
  status?: ExportJob['status'];
  domain?: string;
  /** A moment; older exports are left out. */
  since?: string;
}

export type LoadedPages = Pages<ExportJob>;

/** The pages after an event about one job. */
export function withJob(loaded: LoadedPages, job: ExportJob, filters: ExportFilters): LoadedPages {
  return withRow(loaded, job, { keyOf: ({ jobId }) => jobId, isWanted: isMeant(job, filters) });
}

function isMeant(job: ExportJob, { status, domain, since }: ExportFilters): boolean {
  if (status !== undefined && job.status !== status) return false;
  if (domain !== undefined && job.domain !== domain) return false;
  return since === undefined || job.createdAt >= since;
}
