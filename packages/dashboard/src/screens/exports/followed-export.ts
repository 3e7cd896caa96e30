/** One export and everything that happened to it. The stream of events begins with the past, so a late visitor sees it all. */
import type { ExportJob } from '@docyard/api';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { openStream } from '../../session/live.ts';
import { emptyTrail, extendTrail, type Trail } from './trail.ts';

export function useFollowedExport(jobId: string) {
  const queries = useQueryClient();
  const record = useQuery({
    queryKey: ['export', jobId],
    queryFn: () => client.call('readExport', { params: { jobId } }),
  });
  const [seen, setSeen] = useState<{ jobId: string; trail: Trail }>({ jobId, trail: emptyTrail });
  const [connected, setConnected] = useState(true);
  const exists = record.data !== undefined;
  useEffect(() => {
    if (!exists) return undefined;
    let trail = emptyTrail;
    const take = (data: unknown) => {
      const job = data as ExportJob;
      trail = extendTrail(trail, job);
      setSeen({ jobId, trail });
      // What the past brings must not set back what is known.
      queries.setQueryData<ExportJob>(['export', jobId], (known) =>
        known !== undefined && known.updatedAt > job.updatedAt ? known : job,
      );
      // The server has told everything and would be asked again.
      if (isOver(job)) close();
    };
    const path = `/v1/static-export/jobs/${encodeURIComponent(jobId)}/events`;
    const close = openStream(path, { job: take }, setConnected);
    return close;
  }, [queries, jobId, exists]);
  const job = record.data;
  return {
    job,
    error: job === undefined ? record.error : null,
    refetch: () => void record.refetch(),
    connected: connected || (job !== undefined && isOver(job)),
    trail: seen.jobId === jobId ? seen.trail : emptyTrail,
  };
}

export function isOver({ status }: Pick<ExportJob, 'status'>): boolean {
  return status === 'completed' || status === 'failed';
}
