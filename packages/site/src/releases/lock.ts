/**
 * File locks that the kernel releases when their process ends. Users of a file take a shared lock; removing
 * or replacing it needs an exclusive one. They work between processes and within one.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';

export interface Lock {
  release(): void;
}

/** Undefined when the lock is held. */
export function tryLock(file: string, kind: 'alone' | 'shared'): Lock | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    if (kind === 'alone') database.exec('BEGIN EXCLUSIVE');
    else {
      database.exec('BEGIN');
      // A read takes the shared lock; nothing is written.
      database.prepare('SELECT count(*) FROM sqlite_master').get();
    }
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

class LockTimeoutError extends Error {
  override name = 'LockTimeoutError';
}

const tryEveryMs = 50;

export async function waitForLock(
  file: string,
  { seconds, signal }: { seconds: number; signal?: AbortSignal | undefined },
): Promise<Lock> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const lock = tryLock(file, 'alone');
    if (lock !== undefined) return lock;
    if (performance.now() > deadline) {
      throw new LockTimeoutError(
        `Another process has been installing into this folder for ${seconds} seconds. Try again when it is done.`,
      );
    }
    await pause(tryEveryMs, undefined, signal === undefined ? {} : { signal });
  }
}

const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode === sqliteBusy;
}
