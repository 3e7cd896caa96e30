/**
 * The data folder of a deployment. Every change is one rename, so a crash leaves the old or the new state. Several
 * processes may share the folder.
 *
 *   releases/<id>/{site,compressed,release.json}   immutable
 *   releases/<id>/restricted                       sealed files of the site, opened once
 *   staging/<process>/…                            work of one process; swept after its end
 *   current.json                                   the served release
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder, syncFolder, writeDurably } from '../disk/durable-file.ts';
import { DataFolderError } from '../errors.ts';
import { fileErrorReason } from '../disk/file-error.ts';
import type { OnInstallStep } from './install-steps.ts';
import { tryLock, waitForLock, type Lock } from './lock.ts';
import { openRelease, readRecord, recordName, type Release, type ReleaseRecord } from './release.ts';
import { readState, stateName, type State } from './state.ts';

/** An installation holds the lock only briefly. */
const lockSeconds = 60;

export class ReleaseStore {
  readonly folder: string;
  /** Downloads and unfinished releases of this process. */
  readonly workFolder: string;
  /** Called after each step of an installation. */
  readonly onStep: OnInstallStep;
  readonly #workLock: Lock;

  private constructor(folder: string, workFolder: string, workLock: Lock, onStep: OnInstallStep) {
    this.folder = folder;
    this.workFolder = workFolder;
    this.onStep = onStep;
    this.#workLock = workLock;
  }

  static async openIn(
    folder: string,
    { onStep = () => {} }: { onStep?: OnInstallStep | undefined } = {},
  ): Promise<ReleaseStore> {
    const root = resolve(folder);
    if (existsSync(join(root, 'docyard.db'))) {
      throw new DataFolderError(
        `${root} is the data folder of the service. Choose a separate folder for the deployment with --data.`,
      );
    }
    try {
      for (const name of ['releases', 'staging']) await makeFolder(join(root, name));
      // A concurrent sweep would remove a work folder without a lock.
      const lock = await waitForLock(join(root, 'lock'), { seconds: lockSeconds });
      try {
        const workFolder = join(root, 'staging', randomBytes(6).toString('hex'));
        await mkdir(workFolder);
        const workLock = tryLock(join(workFolder, 'lock'), 'shared');
        if (workLock === undefined) throw new Error('Cannot create a new lock.');
        return new ReleaseStore(root, workFolder, workLock, onStep);
      } finally {
        lock.release();
      }
    } catch (error) {
      throw new DataFolderError(
        `Cannot use the folder ${root}: ${fileErrorReason(error)}. Choose another with --data.`,
      );
    }
  }

  async close(): Promise<void> {
    // A command may be checking the lock, and SQLite may create a file beside it.
    await rm(this.workFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
    this.#workLock.release();
  }

  async state(): Promise<State> {
    return readState(this.folder);
  }

  /** Read, change and write are atomic among all processes. */
  async change(change: (state: State) => State | Promise<State>, signal?: AbortSignal): Promise<State> {
    const lock = await waitForLock(join(this.folder, 'lock'), { seconds: lockSeconds, signal });
    try {
      const before = await this.state();
      const after = await change(before);
      if (after !== before)
        await writeDurably(join(this.folder, stateName), `${JSON.stringify(after, null, 2)}\n`);
      return after;
    } finally {
      lock.release();
    }
  }

  /** Newest first. Incomplete releases are left out. */
  async releases(): Promise<ReleaseRecord[]> {
    const names = await readdir(join(this.folder, 'releases'));
    const records = await Promise.all(
      names.map((name) => readRecord(this.#releaseFolder(name)).catch(() => undefined)),
    );
    return records
      .filter((record) => record !== undefined)
      .toSorted((a, b) => sequenceOf(b.id) - sequenceOf(a.id));
  }

  async open(id: string): Promise<Release> {
    return openRelease(this.#releaseFolder(id));
  }

  /** The release is not removed while the lock is held. Undefined when the release does not exist. */
  use(id: string): Lock | undefined {
    const folder = this.#releaseFolder(id);
    return existsSync(join(folder, recordName)) ? tryLock(join(folder, 'in-use'), 'shared') : undefined;
  }

  /** An unused name in the folder of this process. */
  newWork(name: string): string {
    return join(this.workFolder, `${name}-${randomBytes(4).toString('hex')}`);
  }

  /**
   * Turns a complete folder into a release. Call it within `change`, because the state provides the number.
   */
  async add(stagedFolder: string, record: ReleaseRecord): Promise<void> {
    await writeDurably(join(stagedFolder, recordName), `${JSON.stringify(record, null, 2)}\n`);
    await syncFolder(stagedFolder);
    this.onStep('recorded');
    await rename(stagedFolder, this.#releaseFolder(record.id));
    await syncFolder(join(this.folder, 'releases'));
  }

  /** Removes all but the `keep` releases that were served last, and the leftovers of dead processes. */
  async sweep(keep: number): Promise<string[]> {
    const removed: string[] = [];
    const doomed: string[] = [];
    await this.change(async (state) => {
      const kept = keptReleases(state, await this.releases(), keep);
      for (const name of await readdir(join(this.folder, 'releases'))) {
        if (kept.includes(name) || !(await this.#moveAway(this.#releaseFolder(name), 'in-use', doomed)))
          continue;
        removed.push(name);
      }
      for (const name of await readdir(join(this.folder, 'staging')))
        await this.#moveAway(join(this.folder, 'staging', name), 'lock', doomed);
      return state;
    });
    // Removing many files takes long, so the lock is released first.
    for (const folder of doomed) await rm(folder, { recursive: true, force: true });
    return removed;
  }

  /** Renames first and deletes later. False when the folder is in use or already removed. */
  async #moveAway(folder: string, lockName: string, doomed: string[]): Promise<boolean> {
    if (folder === this.workFolder) return false;
    let lock: Lock | undefined;
    try {
      lock = tryLock(join(folder, lockName), 'alone');
      if (lock === undefined) return false;
      const away = this.newWork('removed');
      await rename(folder, away);
      doomed.push(away);
      return true;
    } catch (error) {
      // A process that ends removes its folder.
      if (!existsSync(folder)) return false;
      throw error;
    } finally {
      lock?.release();
    }
  }

  #releaseFolder(id: string): string {
    return join(this.folder, 'releases', id);
  }
}

/** The served release, the ones before it, then the others from newest to oldest. */
function keptReleases(state: State, releases: readonly ReleaseRecord[], keep: number): string[] {
  const there = releases.map(({ id }) => id);
  const served = [...state.history, ...(state.current === null ? [] : [state.current])].toReversed();
  return [...new Set([...served.filter((id) => there.includes(id)), ...there])].slice(0, Math.max(1, keep));
}

/** `r7-1a2b3c4d`: a number that is easy to type, and the start of the manifest hash. */
export function nextId(state: State, manifestSha256: string): string {
  return `r${state.sequence + 1}-${manifestSha256.slice(0, 8)}`;
}

export function sequenceOf(id: string): number {
  return Number(/^r(\d+)-/.exec(id)?.[1] ?? 0);
}
