/**
 * Keeps the server on the current release, and keeps earlier releases locked until their last request ends.
 */
import type { Logger } from 'pino';
import type { Lock } from '../releases/lock.ts';
import type { Release } from '../releases/release.ts';
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

export class ServedReleases {
  readonly #parts: Parts;
  #active: Release | undefined;
  #state: State | undefined;
  /** Releases that a request may still read. */
  readonly #locks = new Map<string, Lock>();
  #following: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
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
    if (state.current !== null && state.current !== this.#active?.id) await this.#activate(state);
    const canSweep = this.#unlockUnused();
    const isSame = JSON.stringify(before) === JSON.stringify(state);
    if (isSame && !canSweep) return undefined;
    const hadTaken = Object.keys(before?.taken ?? {}).length > 0;
    return { wasResumed: hadTaken && Object.keys(state.taken).length === 0, canSweep };
  }

  status(): SiteStatus['release'] {
    if (this.#active === undefined) return null;
    const { id, version, commit, committedAt, pages, signedBy, installedAt } = this.#active;
    return { id, version, commit, committedAt, pages, signedBy, installedAt };
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
  async #activate(state: State): Promise<void> {
    const { site, log } = this.#parts;
    const candidates = [state.current, ...state.history.toReversed()].filter((id) => id !== null);
    for (const id of candidates) {
      if (id === this.#active?.id) return;
      const release = await this.#open(id).catch((error: unknown) => {
        log.error({ err: error, release: id }, 'a release cannot be served');
        return undefined;
      });
      if (release === undefined) continue;
      site.activate(await openSite(release));
      const isFirst = this.#active === undefined;
      this.#active = release;
      if (!isFirst) this.#parts.store.onStep('activated');
      log.info({ release: id, version: release.version }, `serving ${id}`);
      return;
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
      if (id === this.#active?.id || this.#parts.site.inUse(id)) continue;
      lock.release();
      this.#locks.delete(id);
      hasUnlocked = true;
    }
    return hasUnlocked;
  }
}
