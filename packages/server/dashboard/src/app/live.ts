/** Keeps a cached record true while its job runs, from the event stream of the server. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

/** `false` while the stream is away; the browser connects again by itself. */
export function useLive<Job>(path: string | undefined, take: (job: Job) => void): boolean {
  const [connected, setConnected] = useState(true);
  useEffect(() => {
    if (path === undefined) return undefined;
    const source = new EventSource(path);
    source.addEventListener('open', () => setConnected(true));
    source.addEventListener('error', () => setConnected(false));
    source.addEventListener('job', ({ data }: MessageEvent<string>) => take(JSON.parse(data) as Job));
    return () => source.close();
  }, [path, take]);
  return connected;
}

/** The same for a record of the cache: every event replaces it. */
export function useLiveRecord<Job>(path: string | undefined, key: readonly unknown[]): boolean {
  const queries = useQueryClient();
  const name = JSON.stringify(key);
  const [take] = useState(() => (job: Job) => queries.setQueryData(JSON.parse(name) as unknown[], job));
  return useLive(path, take);
}
