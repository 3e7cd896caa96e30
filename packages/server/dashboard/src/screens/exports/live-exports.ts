/** The list of exports, kept true by one stream of events: rows change, appear and leave as the server tells. */
import type { ExportJob } from '@docyard/api';
import { useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { client } from '../../app/client.ts';
import { useLive } from '../../app/live.ts';
import { useList } from '../../parts/list.ts';
import { emptyTrail, extendTrail, type Trail } from './trail.ts';

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

export function useLiveExports(filters: ExportFilters) {
  const queries = useQueryClient();
  const name = JSON.stringify(['exports', 'list', filters]);
  const list = useList(
    JSON.parse(name) as unknown[],
    (cursor) => client.call('listExports', { query: { ...filters, cursor, limit: 100 } }),
    { followed: true },
  );
  const [trails] = useState(() => new Map<string, Trail>());
  const take = useCallback(
    (job: ExportJob) => {
      trails.set(job.jobId, extendTrail(trails.get(job.jobId) ?? emptyTrail, job));
      const [, , wanted] = JSON.parse(name) as [string, string, ExportFilters];
      queries.setQueryData<LoadedPages>(JSON.parse(name) as unknown[], (pages) =>
        pages === undefined ? undefined : withJob(pages, job, wanted),
      );
    },
    [queries, name, trails],
  );
  const connected = useLive('/v1/static-export/events', take);
  // Nobody follows while the screen is closed: whoever comes back reads the first page again, not all of them.
  useEffect(
    () => () => {
      queries.setQueryData<LoadedPages>(JSON.parse(name) as unknown[], (pages) =>
        pages === undefined
          ? undefined
          : { pages: pages.pages.slice(0, 1), pageParams: pages.pageParams.slice(0, 1) },
      );
    },
    [queries, name],
  );
  return { ...list, connected, trails };
}

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
