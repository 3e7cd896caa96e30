/**
 * Keeps the server on the current release, and keeps earlier releases locked until their last request ends.
 */
import type { Logger } from 'pino';
import type { Lock } from '../releases/lock.ts';
import type { Release } from '../releases/release.ts';
import { type AccessKeys, type OpenedRestricted, openRestricted } from '../releases/restricted-files.ts';
import type { HostedSite } from '../serving/hosted-site.ts';
import { openSite } from '../serving/served-site.ts';
import type { SiteStatus } from '../serving/status-response.ts';
import type { State } from '../releases/state.ts';
import type { ReleaseStore } from '../releases/store.ts';

interface Parts {
  store: ReleaseStore;
  site: Pick<HostedSite, 'activate' | 'inUse'>;
  log: Logger;
}

interface Active {
  release: Release;
  /** Why the pages for groups are not served. */
  problem: string | undefined;
}

export class ServedReleases {
  readonly #parts: Parts;
  #keys: AccessKeys;
  #active: Active | undefined;
  /** The active release was opened with former keys. */
  #hasNewKeys = false;
  #state: State | undefined;
  /** Releases that a request may still read. */
  readonly #locks = new Map<string, Lock>();
  #following: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts, keys: AccessKeys) {
    this.#parts = parts;
    this.#keys = keys;
  }

  /** They apply when `follow` is called. */
  useKeys(keys: AccessKeys): void {
    this.#keys = keys;
    this.#hasNewKeys = true;
  }

  /** Undefined when nothing has changed. Calls are serialized. */
  follow(): Promise<{ wasResumed: boolean; canSweep: boolean } | undefined> {
    const next = this.#following.then(() => this.#follow());
    this.#following = next.catch(() => {});
    return next;
  }

  async #follow(): Promise<{ wasResumed: boolean; canSweep: boolean } | undefined> {
    const before = this.#state;
    const state = await this.#parts.store.state();
    this.#state = state;
    const hasNewKeys = this.#hasNewKeys;
    this.#hasNewKeys = false;
    if (state.current !== null && (hasNewKeys || state.current !== this.#active?.release.id))
      await this.#activate(state, hasNewKeys);
    const canSweep = this.#unlockUnused();
    const isSame = JSON.stringify(before) === JSON.stringify(state);
    if (isSame && !canSweep && !hasNewKeys) return undefined;
    const hadTaken = Object.keys(before?.taken ?? {}).length > 0;
    return { wasResumed: hadTaken && Object.keys(state.taken).length === 0, canSweep };
  }

  status(): Pick<SiteStatus, 'release' | 'restrictedPages'> {
    if (this.#active === undefined) return { release: null };
    const { release, problem } = this.#active;
    const { id, version, commit, committedAt, pages, signedBy, installedAt, manifest } = release;
    const restrictedPages =
      manifest.access === undefined
        ? {}
        : { restrictedPages: problem === undefined ? 'served' : `not served: ${problem}` };
    return {
      release: { id, version, commit, committedAt, pages, signedBy, installedAt },
      ...restrictedPages,
    };
  }

  async sweep(keep: number): Promise<void> {
    const removed = await this.#parts.store.sweep(keep);
    if (removed.length > 0) this.#parts.log.info({ removed }, 'removed releases that are no longer kept');
  }

  close(): void {
    for (const lock of this.#locks.values()) lock.release();
    this.#locks.clear();
  }

  /** The current release; if it cannot be opened, the last one that can. */
  async #activate(state: State, hasNewKeys: boolean): Promise<void> {
    const { site, log } = this.#parts;
    const candidates = [state.current, ...state.history.toReversed()].filter((id) => id !== null);
    for (const id of candidates) {
      if (id === this.#active?.release.id && !hasNewKeys) return;
      const release = await this.#open(id).catch((error: unknown) => {
        log.error({ err: error, release: id }, 'a release cannot be served');
        return undefined;
      });
      if (release === undefined) continue;
      const { restricted, problem } = await this.#openRestricted(release);
      site.activate(await openSite({ ...release, restricted }));
      const before = this.#active;
      this.#active = { release, problem };
      if (before !== undefined) this.#parts.store.onStep('activated');
      if (problem !== undefined && problem !== before?.problem)
        log.warn({ release: id }, `the pages for groups are not served: ${problem}`);
      log.info({ release: id, version: release.version }, `serving ${id}`);
      return;
    }
  }

  /** Public pages must be served although the others cannot be opened. */
  async #openRestricted(
    release: Release,
  ): Promise<{ restricted?: OpenedRestricted | undefined; problem: string | undefined }> {
    const options = { draftFolder: this.#parts.store.newWork('restricted') };
    try {
      const restricted = await openRestricted(release.folder, release.manifest, this.#keys, options);
      return { restricted, problem: undefined };
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Locked first, so that it is not removed while it is read. */
  async #open(id: string): Promise<Release> {
    const lock = this.#locks.get(id) ?? this.#parts.store.use(id);
    if (lock === undefined) throw new Error(`Release ${id} no longer exists.`);
    this.#locks.set(id, lock);
    return this.#parts.store.open(id);
  }

  /** True when a release was unlocked. */
  #unlockUnused(): boolean {
    let hasUnlocked = false;
    for (const [id, lock] of this.#locks) {
      if (id === this.#active?.release.id || this.#parts.site.inUse(id)) continue;
      lock.release();
      this.#locks.delete(id);
      hasUnlocked = true;
    }
    return hasUnlocked;
  }
}
