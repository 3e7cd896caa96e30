/** Loads a screen when it is first opened and retries while the server cannot be reached. */
import { lazy, type ComponentType } from 'react';
import { serverReturned } from '../api/server-watch.ts';

const reloadedName = 'docyard-reloaded-at';
const reloadPauseMs = 60_000;

export function lazyScreen(load: () => Promise<ComponentType>) {
  return lazy(async () => ({ default: await loadUntilDone(load) }));
}

async function loadUntilDone(load: () => Promise<ComponentType>): Promise<ComponentType> {
  try {
    return await load();
  } catch {
    await serverReturned();
  }
  try {
    return await load();
  } catch (error) {
    // After a server update the files have new names; a reload gets them.
    if (!mayReload()) throw error;
    globalThis.location.reload();
    return new Promise(() => undefined);
  }
}

function mayReload(): boolean {
  const before = Number(sessionStorage.getItem(reloadedName) ?? 0);
  if (Date.now() - before < reloadPauseMs) return false;
  sessionStorage.setItem(reloadedName, String(Date.now()));
  return true;
}
