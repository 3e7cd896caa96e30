/**
 * The running deployment: looks for newer bundles, installs what is good, and shows the server which release to serve,
 * whoever installed it. Whatever goes wrong with the new, the old is served on.
 */
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { contentDate } from '../bundles/freshness.ts';
import type { BundleRefused } from '../bundles/refusal.ts';
import { ConfigError } from '../config.ts';
import { crashIfAsked } from './crash.ts';
import { RefreshCounts } from './refresh-counts.ts';
import { tellOfProcess } from './processes.ts';
import { ServedReleases } from './served-releases.ts';
import type { SiteServer } from './serving/server.ts';
import type { SiteStatus } from './serving/status.ts';
import type { ExportSettings } from './settings.ts';
import type { OpenBucket } from './sources/bucket.ts';
import { openSource } from './sources/open.ts';
import { SourceError } from './sources/source.ts';
import { taken, wantingOnly } from './state.ts';
import type { ReleaseStore } from './store.ts';
import { takeFrom, type Taken, type WantedSource } from './taking.ts';
import { watchEvents, watchFolder, type Watching } from './watching.ts';

export interface DeploymentParts {
  store: ReleaseStore;
  server: Pick<SiteServer, 'activate' | 'inUse'>;
  log: Logger;
  openBucket: OpenBucket;
}

/** After a failure it is asked again sooner, then less and less often. */
const longestPauseSeconds = 300;

export class Deployment {
  readonly #parts: DeploymentParts;
  readonly #served: ServedReleases;
  readonly #counts = new RefreshCounts();
  readonly #stopping = new AbortController();
  /** Of the look under way, which new settings make pointless. */
  #looking = new AbortController();
  readonly #refused = new Map<string, BundleRefused>();
  #settings: ExportSettings;
  /** Ends the pause between two looks. */
  #wake: () => void = () => {};
  #failures = 0;
  #lastTold = '';
  #watching: Watching[] = [];
  #loop: Promise<void> = Promise.resolve();

  constructor(settings: ExportSettings, parts: DeploymentParts) {
    this.#settings = settings;
    this.#parts = parts;
    this.#served = new ServedReleases(parts);
  }

  /** What is installed is served when this resolves. What comes later comes by itself. */
  async start(): Promise<void> {
    const { store } = this.#parts;
    await this.#served.follow();
    await this.#served.sweep(this.#settings.keep);
    await this.#tell();
    this.#watching.push(watchFolder(store.folder, () => void this.#look()));
    this.#watchSources();
    this.#loop = this.#run();
  }

  /** New settings count at once, also for what was refused under the old ones. */
  apply(settings: ExportSettings): void {
    this.#settings = settings;
    this.#refused.clear();
    this.#failures = 0;
    this.#lastTold = '';
    this.#looking.abort();
    this.#watchSources();
    this.#wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    for (const watching of this.#watching) watching.stop();
    await this.#loop;
    this.#served.close();
  }

  status(): SiteStatus {
    return { release: this.#served.status(), ...this.#counts.status() };
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await this.#refresh();
      if (this.#stopping.signal.aborted) return;
      const timer = setTimeout(this.#wake, this.#pauseSeconds() * 1000);
      await woken;
      clearTimeout(timer);
    }
  }

  /** With some chance in it, so that many deployments do not ask one server in the same moment. */
  #pauseSeconds(): number {
    const { refreshSeconds } = this.#settings;
    if (this.#failures === 0) return refreshSeconds * (0.9 + Math.random() / 5);
    const longest = Math.max(refreshSeconds, longestPauseSeconds);
    return Math.min(2 ** this.#failures, longest) * (0.5 + Math.random() / 2);
  }

  async #refresh(): Promise<void> {
    const { log } = this.#parts;
    this.#looking = new AbortController();
    const signal = AbortSignal.any([this.#stopping.signal, this.#looking.signal]);
    try {
      const outcome = await this.#takeWanted(signal);
      if (outcome !== undefined) await this.#settle(outcome);
    } catch (error) {
      if (signal.aborted) return;
      this.#failures += 1;
      const isKnown = error instanceof SourceError || error instanceof ConfigError;
      const message = error instanceof Error ? error.message : String(error);
      this.#counts.ended(error instanceof SourceError ? error.failure : 'failed', message);
      if (this.#isNews(message)) {
        if (isKnown) log.warn(`nothing newer could be had: ${message}`);
        else log.error({ err: error }, 'looking for something newer failed');
      }
    }
    await this.#tell();
  }

  /** Undefined when there is nothing to ask. */
  async #takeWanted(signal: AbortSignal): Promise<Taken | undefined> {
    const { store } = this.#parts;
    const settings = this.#settings;
    const sources = this.#sources();
    if (!settings.enabled || sources === undefined) return undefined;
    const { bundle, refresh } = sources;
    const taking = { store, settings, refused: this.#refused, signal };
    const keys = [bundle?.key, refresh?.key].filter((key) => key !== undefined);
    const state = await store.change((before) => wantingOnly(before, keys), signal);
    const isTaken = bundle !== undefined && Object.hasOwn(state.taken, bundle.key);
    if (bundle === undefined) return takeFrom(refresh, taking);
    if (refresh === undefined)
      return takeFrom(bundle, taking).catch((error: unknown) => this.#orInstalled(error, isTaken));
    if (isTaken) return takeFrom(refresh, taking);
    const first = await takeFrom(bundle, taking).catch((error: unknown) => error as Error);
    if (!(first instanceof Error) && first.outcome !== 'refused') return first;
    this.#tellOfFirst(first);
    const second = await takeFrom(refresh, taking);
    // What refreshFrom has stands for it from now on; otherwise the old link would bring old content when it opens again.
    if (second.outcome !== 'refused')
      await store.change((state) => taken(state, bundle.key, 'through refreshFrom'), signal);
    return second;
  }

  /** A link that is spent after it was used has done its work; that there is nothing newer is all that can be said. */
  #orInstalled(error: unknown, isTaken: boolean): Taken {
    if (!isTaken || !(error instanceof SourceError) || error.failure !== 'link_expired') throw error;
    if (this.#isNews('spent link'))
      this.#parts.log.info('the link has expired; what it led to is installed and served on');
    return { outcome: 'unchanged' };
  }

  /** There is another source to ask; what was wrong with the first is told all the same. */
  #tellOfFirst(first: Error | Extract<Taken, { outcome: 'refused' }>): void {
    const { log } = this.#parts;
    if (first instanceof Error) {
      log.warn(`bundleUrl brought nothing, asking refreshFrom: ${first.message}`);
    } else if (first.isNews) {
      this.#counts.refused(first.refusal.refusal);
      log.warn({ refusal: first.refusal.refusal }, `bundleUrl was refused: ${first.refusal.message}`);
    }
  }

  async #settle(result: Taken): Promise<void> {
    const { log } = this.#parts;
    this.#failures = 0;
    if (result.outcome === 'refused') {
      const { refusal, message } = result.refusal;
      this.#counts.ended('refused', message);
      if (!result.isNews) return;
      this.#counts.refused(refusal);
      log.warn({ refusal }, `a bundle was refused, what was served is served on: ${message}`);
      return;
    }
    this.#counts.ended(result.outcome);
    if (result.outcome !== 'installed') {
      log.debug(`nothing newer: ${result.outcome}`);
      return;
    }
    this.#lastTold = '';
    const { release, appliedTo } = result.installed;
    const { id, version, commit, signedBy, origin } = release;
    const how = appliedTo === undefined ? {} : { deltaTo: appliedTo };
    log.info(
      { release: id, version, commit, signedBy, origin, ...how },
      `installed ${id}: ${contentDate(release, new Date())}`,
    );
    await this.#look();
    await this.#served.sweep(this.#settings.keep);
    crashIfAsked('swept');
  }

  /** Somebody may have switched: this process, an import, a roll back. */
  async #look(): Promise<void> {
    try {
      const change = await this.#served.follow();
      if (change === undefined) return;
      if (change.wasResumed) this.#wake();
      if (change.canSweep) await this.#served.sweep(this.#settings.keep);
      await this.#tell();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (this.#isNews(message)) this.#parts.log.error({ err: error }, 'the current release cannot be read');
    }
  }

  #sources():
    | { bundle: WantedSource; refresh: WantedSource | undefined }
    | { bundle: undefined; refresh: WantedSource }
    | undefined {
    const { bundleUrl, refreshFrom } = this.#settings;
    const bundle = bundleUrl === null ? undefined : this.#open(bundleUrl);
    const refresh = refreshFrom === null ? undefined : this.#open(refreshFrom);
    if (bundle !== undefined) return { bundle, refresh };
    return refresh === undefined ? undefined : { bundle, refresh };
  }

  #open(address: string): WantedSource {
    const { apiKey, version, sha256, publicKeys } = this.#settings;
    const source = openSource(address, { apiKey, openBucket: this.#parts.openBucket });
    const expected = JSON.stringify([source.origin, version, sha256, publicKeys.map(({ keyId }) => keyId)]);
    const key = createHash('sha256').update(expected).digest('hex').slice(0, 16);
    return { ...source, key };
  }

  /** A file that is put into a folder is taken at once. */
  #watchSources(): void {
    const [ofStore, ...ofSources] = this.#watching;
    for (const watching of ofSources) watching.stop();
    this.#watching = ofStore === undefined ? [] : [ofStore];
    const { bundleUrl, refreshFrom, enabled } = this.#settings;
    for (const address of [bundleUrl, refreshFrom]) {
      if (!enabled || address === null || !address.startsWith('/')) continue;
      const folder = /\.(tar\.gz|tgz)$/.test(address) ? dirname(address) : address;
      this.#watching.push(watchEvents(folder, () => this.#wake()));
    }
  }

  #isNews(told: string): boolean {
    const isNews = told !== this.#lastTold;
    this.#lastTold = told;
    return isNews;
  }

  async #tell(): Promise<void> {
    await tellOfProcess(this.#parts.store, this.status());
  }
}
