/** Streams of events of the server, opened again whatever happens to them. */
import { useEffect, useState } from 'react';
import { checkSession, queries } from '../api/client.ts';
import { checkServer, onServerReturn } from '../api/server-watch.ts';

const openAgainMs = 5000;

/** Hands over every job of a stream. `false` while the stream is away. */
export function useLive(path: string, take: (job: unknown) => void): boolean {
  const [connected, setConnected] = useState(true);
  useEffect(() => openStream(path, { job: take }, setConnected), [path, take]);
  return connected;
}

/** By the name of the event. Returns what closes the stream. */
export function openStream(
  path: string,
  takers: Record<string, (data: unknown) => void>,
  setConnected: (connected: boolean) => void,
): () => void {
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wasRefused = false;
  const open = () => {
    source = new EventSource(path);
    source.addEventListener('open', () => {
      setConnected(true);
      // It begins anew: what happened in between was told to nobody.
      if (wasRefused) void queries.invalidateQueries();
      wasRefused = false;
    });
    source.addEventListener('error', () => {
      setConnected(false);
      void checkServer();
      // A connection that breaks is made again by the browser. It gives up when the server answers with an error.
      if (source.readyState !== EventSource.CLOSED) return;
      wasRefused = true;
      checkSession();
      timer = setTimeout(open, openAgainMs);
    });
    for (const [name, take] of Object.entries(takers)) {
      source.addEventListener(name, ({ data }: MessageEvent<string>) => take(JSON.parse(data) as unknown));
    }
  };
  open();
  const stopWatching = onServerReturn(() => {
    if (source.readyState === EventSource.OPEN) return;
    clearTimeout(timer);
    source.close();
    open();
  });
  return () => {
    stopWatching();
    clearTimeout(timer);
    source.close();
  };
}
