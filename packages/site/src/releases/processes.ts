/**
 * The status of running deployments, for commands on the same folder. Each process writes into its work
 * folder; a file without a held lock belongs to a dead process.
 */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tryLock } from './lock.ts';
import type { SiteStatus } from '../serving/status-response.ts';
import type { ReleaseStore } from './store.ts';

export interface RunningProcess extends SiteStatus {
  pid: number;
}

const fileName = 'status.json';

export async function writeProcessStatus(store: ReleaseStore, status: SiteStatus): Promise<void> {
  const written: RunningProcess = { pid: process.pid, ...status };
  const draft = join(store.workFolder, `${randomBytes(4).toString('hex')}.draft`);
  try {
    await writeFile(draft, `${JSON.stringify(written)}\n`);
    await rename(draft, join(store.workFolder, fileName));
  } catch {
    // A full disk must not stop the site.
  }
}

export async function runningProcesses(folder: string): Promise<RunningProcess[]> {
  const staging = join(folder, 'staging');
  const running: RunningProcess[] = [];
  for (const name of await readdir(staging).catch(() => [])) {
    const text = await readFile(join(staging, name, fileName), 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    if (isHeld(join(staging, name, 'lock'))) running.push(JSON.parse(text) as RunningProcess);
  }
  return running;
}

/** A missing file belongs to a process that has just ended. */
function isHeld(lockFile: string): boolean {
  try {
    const lock = tryLock(lockFile, 'alone');
    lock?.release();
    return lock === undefined;
  } catch {
    return false;
  }
}
