/** One export and its history. The event stream replays past events, so a late visitor sees all of them. */
import type { ExportJob } from '@docyard/api';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '../../api/client.ts';
import { openStream } from '../../session/live.ts';
import { emptyHistory, extendHistory, type ExportHistory } from './export-history.ts';

export function useExport(jobId: string) {
  const queries = useQueryClient();
  const record = useQuery({
    queryKey: ['export', jobId],
    queryFn: () => client.call('readExport', { params: { jobId } }),
  });
  const [seen, setSeen] = useState<{ jobId: string; trail: ExportHistory }>({ jobId, trail: emptyHistory });
  const [connected, setConnected] = useState(true);
  const exists = record.data !== undefined;
  useEffect(() => {
    if (!exists) return undefined;
    let trail = emptyHistory;
    const take = (data: unknown) => {
      const job = data as ExportJob;
      trail = extendHistory(trail, job);
      setSeen({ jobId, trail });
      // Replayed events must not overwrite newer data.
      queries.setQueryData<ExportJob>(['export', jobId], (known) =>
        known !== undefined && known.updatedAt > job.updatedAt ? known : job,
      );
      // Without closing, EventSource would reconnect after the last event.
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
    trail: seen.jobId === jobId ? seen.trail : emptyHistory,
  };
}

export function isOver({ status }: Pick<ExportJob, 'status'>): boolean {
  return status === 'completed' || status === 'failed';
}
