/** Hears of exports from the event stream of the server, as they change. */
import type { ExportJob } from '@docyard/api';
import { useEffect, useState } from 'react';

/** `false` while the stream is away; the browser connects again by itself. */
export function useLive(path: string, take: (job: ExportJob) => void): boolean {
  const [connected, setConnected] = useState(true);
  useEffect(() => {
    const source = new EventSource(path);
    source.addEventListener('open', () => setConnected(true));
    source.addEventListener('error', () => setConnected(false));
    source.addEventListener('job', ({ data }: MessageEvent<string>) => take(JSON.parse(data) as ExportJob));
    return () => source.close();
  }, [path, take]);
  return connected;
}
