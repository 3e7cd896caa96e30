/** The list of exports, updated by an event stream. */
import type { ExportJob } from '@docyard/api';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { useLive } from '../../session/live.ts';
import { useList } from '../../parts/list.ts';
import { withJob, type ExportFilters, type LoadedPages } from './loaded-exports.ts';
import { emptyHistory, extendHistory, type ExportHistory } from './export-history.ts';

export function useLiveExports(filters: ExportFilters) {
  const queries = useQueryClient();
  const name = JSON.stringify(['exports', 'list', filters]);
  const list = useList(
    JSON.parse(name) as unknown[],
    (cursor) => client.call('listExports', { query: { ...filters, cursor, limit: 100 } }),
    { followed: true },
  );
  const [trails] = useState(() => new Map<string, ExportHistory>());
  const take = useCallback(
    (data: unknown) => {
      const job = data as ExportJob;
      trails.set(job.jobId, extendHistory(trails.get(job.jobId) ?? emptyHistory, job));
      const [, , filters] = JSON.parse(name) as [string, string, ExportFilters];
      queries.setQueryData<LoadedPages>(JSON.parse(name) as unknown[], (pages) =>
        pages === undefined ? undefined : withJob(pages, job, filters),
      );
    },
    [queries, name, trails],
  );
  const connected = useLive('/v1/static-export/events', take);
  // The stream is closed with the screen, so reload the first page only when it opens again.
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
