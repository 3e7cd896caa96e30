/** Hears of a job from the event stream of the server, as it changes. */
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
