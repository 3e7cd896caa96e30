/**
 * What a deployment keeps on disk: releases, which of them is served, and the work of processes under way. Every change
 * is one rename, so a kill at any moment leaves the old state or the new one. Several processes may share the folder.
 *
 *   releases/<id>/{site,compressed,release.json}   never written to again
 *   staging/<process>/…                            of one process; swept once that process is gone
 *   current.json                                   which release is served
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder, writeDurably } from '../disk/durable-file.ts';
import { DataFolderError } from '../errors.ts';
import { fileErrorReason } from '../disk/file-error.ts';
import type { OnInstallStep } from './install-steps.ts';
import { tryLock, waitForLock, type Lock } from './lock.ts';
import { openRelease, readRecord, recordName, type Release, type ReleaseRecord } from './release.ts';
import { readState, stateName, type State } from './state.ts';

/** An installation holds the lock for its last steps only, which take milliseconds. */
const lockSeconds = 60;

export class ReleaseStore {
  readonly folder: string;
  /** Only of this process: downloads, and releases that are not whole yet. */
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
        `${root} is the data folder of the service. A deployment needs one of its own: choose it with --data.`,
      );
    }
    try {
      for (const name of ['releases', 'staging']) await makeFolder(join(root, name));
      // Whoever sweeps holds this one, and would take a folder without a lock for a leftover.
      const lock = await waitForLock(join(root, 'lock'), { seconds: lockSeconds });
      try {
        const workFolder = join(root, 'staging', randomBytes(6).toString('hex'));
        await mkdir(workFolder);
        const workLock = tryLock(join(workFolder, 'lock'), 'shared');
        if (workLock === undefined) throw new Error('A new lock cannot be taken.');
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
    // Whoever asks what runs here looks at the lock meanwhile, and SQLite may put a file beside it.
    await rm(this.workFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
    this.#workLock.release();
  }

  async state(): Promise<State> {
    return readState(this.folder);
  }

  /** Reads, changes and writes as one step among all processes. What `change` returns becomes the state. */
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

  /** Newest first. A folder that holds no whole release is left out. */
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

  /** As long as somebody holds it, the release is not removed. Undefined when the release is gone. */
  use(id: string): Lock | undefined {
    const folder = this.#releaseFolder(id);
    return existsSync(join(folder, recordName)) ? tryLock(join(folder, 'in-use'), 'shared') : undefined;
  }

  /** A name in the folder of this process that nothing has yet. */
  newWork(name: string): string {
    return join(this.workFolder, `${name}-${randomBytes(4).toString('hex')}`);
  }

  /**
   * Makes a release of a folder with everything in it but the record. Call it from `change`: the number of a release is
   * taken from the state.
   */
  async add(stagedFolder: string, record: ReleaseRecord): Promise<void> {
    await writeDurably(join(stagedFolder, recordName), `${JSON.stringify(record, null, 2)}\n`);
    await syncFolder(stagedFolder);
    this.onStep('recorded');
    await rename(stagedFolder, this.#releaseFolder(record.id));
    await syncFolder(join(this.folder, 'releases'));
  }

  /** Removes all but the `keep` releases that were served last, and what processes that are gone have left. */
  async sweep(keep: number): Promise<string[]> {
    const removed: string[] = [];
    const doomed: string[] = [];
    await this.change(async (state) => {
      const kept = keptReleases(state, await this.releases(), keep);
      for (const name of await readdir(join(this.folder, 'releases'))) {
        if (kept.includes(name) || !(await this.#takeAway(this.#releaseFolder(name), 'in-use', doomed)))
          continue;
        removed.push(name);
      }
      for (const name of await readdir(join(this.folder, 'staging')))
        await this.#takeAway(join(this.folder, 'staging', name), 'lock', doomed);
      return state;
    });
    // Thousands of files take a while; nobody waits for that.
    for (const folder of doomed) await rm(folder, { recursive: true, force: true });
    return removed;
  }

  /** It vanishes at once and is emptied later. False when somebody uses it, or it is gone already. */
  async #takeAway(folder: string, lockName: string, doomed: string[]): Promise<boolean> {
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
      // A process that ends removes its own.
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

/** The one that is served, those before it, then whatever else is there, newest first. */
function keptReleases(state: State, releases: readonly ReleaseRecord[], keep: number): string[] {
  const there = releases.map(({ id }) => id);
  const served = [...state.history, ...(state.current === null ? [] : [state.current])].toReversed();
  return [...new Set([...served.filter((id) => there.includes(id)), ...there])].slice(0, Math.max(1, keep));
}

/** `r7-1a2b3c4d`: short enough to type, and told apart by what it holds. */
export function nextId(state: State, manifestSha256: string): string {
  return `r${state.sequence + 1}-${manifestSha256.slice(0, 8)}`;
}

export function sequenceOf(id: string): number {
  return Number(/^r(\d+)-/.exec(id)?.[1] ?? 0);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
