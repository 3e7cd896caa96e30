/** The list of exports, kept true by one stream of events: rows change, appear and leave as the server tells. */
import type { ExportJob } from '@docyard/api';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { useLive } from '../../session/live.ts';
import { useList } from '../../parts/list.ts';
import { withJob, type ExportFilters, type LoadedPages } from './loaded-exports.ts';
import { emptyTrail, extendTrail, type Trail } from './trail.ts';

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
    (data: unknown) => {
      const job = data as ExportJob;
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
