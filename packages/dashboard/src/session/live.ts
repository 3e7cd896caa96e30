/** Event streams of the server, reopened after every failure. */
import { useEffect, useState } from 'react';
import { checkSession, queries } from '../api/client.ts';
import { checkServer, onServerReturn } from '../api/server-watch.ts';

const openAgainMs = 5000;

/** Calls `take` for every job of a stream. Returns false while the stream is disconnected. */
export function useLive(path: string, take: (job: unknown) => void): boolean {
  const [connected, setConnected] = useState(true);
  useEffect(() => openStream(path, { job: take }, setConnected), [path, take]);
  return connected;
}

/** `takers` are keyed by event name. Returns a function that closes the stream. */
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
      // Events were missed while the stream was closed.
      if (wasRefused) void queries.invalidateQueries();
      wasRefused = false;
    });
    source.addEventListener('error', () => {
      setConnected(false);
      void checkServer();
      // The browser reconnects after network failures, but gives up after an error response.
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
