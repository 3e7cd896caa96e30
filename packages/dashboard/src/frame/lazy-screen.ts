/** Screens whose code is loaded when they are first opened, also when the server is away at that moment. */
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
    // After an update of the server the files have other names, which a reload brings.
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
