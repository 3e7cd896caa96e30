/** The pages of the list that are loaded, and what an event about one job makes of them. Pure. */
import type { ExportJob } from '@docyard/api';
import type { InfiniteData } from '@tanstack/react-query';

export interface ExportFilters {
  status?: ExportJob['status'];
  domain?: string;
  /** A moment; older exports are left out. */
  since?: string;
}

interface ListPage {
  data: ExportJob[];
  nextCursor: string | null;
}
export type LoadedPages = InfiniteData<ListPage, string | undefined>;

/** The pages after an event about one job. */
export function withJob(loaded: LoadedPages, job: ExportJob, filters: ExportFilters): LoadedPages {
  const known = loaded.pages.flatMap(({ data }) => data).find(({ jobId }) => jobId === job.jobId);
  const isWanted = isMeant(job, filters);
  if (known === undefined) {
    const newest = loaded.pages[0]?.data[0];
    const belongsOnTop = newest === undefined || newest.createdAt <= job.createdAt;
    if (!isWanted || !belongsOnTop) return loaded;
    return mapFirst(loaded, (data) => [job, ...data]);
  }
  if (known.updatedAt > job.updatedAt) return loaded;
  return mapPages(loaded, (data) =>
    data.some(({ jobId }) => jobId === job.jobId)
      ? data.flatMap((each) => (each.jobId !== job.jobId ? [each] : isWanted ? [job] : []))
      : data,
  );
}

function isMeant(job: ExportJob, { status, domain, since }: ExportFilters): boolean {
  if (status !== undefined && job.status !== status) return false;
  if (domain !== undefined && job.domain !== domain) return false;
  return since === undefined || job.createdAt >= since;
}

function mapFirst(loaded: LoadedPages, change: (data: ExportJob[]) => ExportJob[]): LoadedPages {
  const [first, ...rest] = loaded.pages;
  if (first === undefined) return loaded;
  return { ...loaded, pages: [{ ...first, data: change(first.data) }, ...rest] };
}

function mapPages(loaded: LoadedPages, change: (data: ExportJob[]) => ExportJob[]): LoadedPages {
  return { ...loaded, pages: loaded.pages.map((page) => ({ ...page, data: change(page.data) })) };
}
