/** Notices that the server cannot be reached, and brings the screens up to date when it is back. */
import { DocyardError } from '@docyard/api';
import { useSyncExternalStore } from 'react';

const firstProbeMs = 1000;
const maxProbeMs = 10_000;
const probeTimeoutMs = 5000;

let isAway = false;
let probeMs = firstProbeMs;
const listeners = new Set<() => void>();
const recoveries = new Set<() => unknown>();

/** A failure that may pass without a change of the request: no answer, or one that says so. */
export function isPassing(error: unknown): boolean {
  if (error instanceof DocyardError) return [502, 503, 504].includes(error.status);
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
  return isTimeout || (error instanceof TypeError && !isInvalidId(error));
}

/** The client sends no request for an id that would address something else. */
export function isInvalidId(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes('cannot be one');
}

/** Call it after a failure that may pass. */
export function noticeServerAway(): void {
  if (isAway) return;
  setAway(true);
  probeMs = firstProbeMs;
  setTimeout(() => void probe(), probeMs);
}

/** After a broken stream: the server may be there all the same. */
export async function checkServer(): Promise<void> {
  if (!isAway && !(await isReachable())) noticeServerAway();
}

/** Runs when the server is back; the server counts as back when every recovery has resolved to true or nothing. */
export function onServerReturn(recover: () => unknown): () => void {
  recoveries.add(recover);
  return () => void recoveries.delete(recover);
}

/** Resolves when the server answers, at once while it is not known to be away. */
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
