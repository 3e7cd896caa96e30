/** Detects that the server cannot be reached and refreshes the screens when it is back. */
import { DocyardError, InvalidParameterError } from '@docyard/api';
import { useSyncExternalStore } from 'react';

const firstProbeMs = 1000;
const maxProbeMs = 10_000;
const probeTimeoutMs = 5000;

let isAway = false;
let probeMs = firstProbeMs;
const listeners = new Set<() => void>();
const recoveries = new Set<() => unknown>();

/** Whether the same request may succeed later. `fetch` reports network failures as TypeError. */
export function isTransient(error: unknown): boolean {
  if (error instanceof DocyardError) return [502, 503, 504].includes(error.status);
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
  return isTimeout || (error instanceof TypeError && !(error instanceof InvalidParameterError));
}

/** Call it after a transient failure. */
export function noticeServerAway(): void {
  if (isAway) return;
  setAway(true);
  probeMs = firstProbeMs;
  setTimeout(() => void probe(), probeMs);
}

/** Call it after a broken stream, which does not prove an outage. */
export async function checkServer(): Promise<void> {
  if (!isAway && !(await isReachable())) noticeServerAway();
}

/** Runs `recover` when the server answers again. The outage lasts until no recovery resolves to false. */
export function onServerReturn(recover: () => unknown): () => void {
  recoveries.add(recover);
  return () => void recoveries.delete(recover);
}

/** Resolves when the server answers. */
export async function serverReturned(): Promise<void> {
  await checkServer();
  if (!isAway) return;
  await new Promise<void>((resolve) => {
    const stop = onServerReturn(() => {
      stop();
      resolve();
    });
  });
}

export function useServerAway(): boolean {
  return useSyncExternalStore(subscribe, () => isAway);
}

async function probe(): Promise<void> {
  if (await isReachable()) {
    const outcomes = await Promise.all([...recoveries].map((recover) => recover()));
    if (outcomes.every((outcome) => outcome !== false)) return setAway(false);
  }
  probeMs = Math.min(probeMs * 1.5, maxProbeMs);
  setTimeout(() => void probe(), probeMs);
}

function isReachable(): Promise<boolean> {
  const signal = AbortSignal.timeout(probeTimeoutMs);
  return fetch('/healthz', { cache: 'no-store', signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function setAway(next: boolean): void {
  isAway = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
