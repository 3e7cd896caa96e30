/**
 * The running deployment: looks for newer bundles, installs what is good, and shows the server which release to serve,
 * whoever installed it. Whatever goes wrong with the new, the old is served on.
 */
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { type BundleRefused, contentDate, type Refusal } from '@docyard/bundle';
import { ConfigError } from '../errors.ts';
import { writeProcessStatus } from '../releases/processes.ts';
import { ServedReleases } from './served-releases.ts';
import type { SiteServer } from '../serving/site-server.ts';
import type { SiteStatus } from '../serving/status-response.ts';
import type { ExportSettings } from '../settings/settings.ts';
import { SourceError } from '../sources/source.ts';
import type { ReleaseStore } from '../releases/store.ts';
import type { RefreshResult } from './refresh-source.ts';
import { refreshSources, sourcesOf, type RefreshEvent } from './source-order.ts';
import { watchEvents, watchFolder, type Watching } from './folder-watch.ts';

export interface DeploymentParts {
  store: ReleaseStore;
  server: Pick<SiteServer, 'activate' | 'inUse'>;
  log: Logger;
  /** Called when what is served may have changed. */
  onChange?: () => void;
}

/** After a failure it is asked again sooner, then less and less often. */
export const maxRefreshPauseSeconds = 300;
const maxReported = 100;

export class Deployment {
  readonly #parts: DeploymentParts;
  readonly #served: ServedReleases;
  readonly #counts = new RefreshCounts();
  readonly #stopping = new AbortController();
  /** Of the look under way, which new settings make pointless. */
  #looking = new AbortController();
  readonly #refused = new Map<string, BundleRefused>();
  #settings: ExportSettings;
  /** Opened when first asked, and anew with new settings. */
  #sources: ReturnType<typeof sourcesOf>;
  /** Ends the pause between two looks. */
  #wake: () => void = () => {};
  #failures = 0;
  /** What would only be said again. */
  readonly #told = new Set<string>();
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
    this.#sources = undefined;
    this.#refused.clear();
    this.#failures = 0;
    this.#told.clear();
    this.#looking.abort();
    this.#watchSources();
    this.#wake();
  }

  /** Holds on to what is served until `drained`: somebody may still be reading. */
  async stop(drained: Promise<void> = Promise.resolve()): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    for (const watching of this.#watching) watching.stop();
    await Promise.all([this.#loop, drained]);
    this.#served.close();
  }

  /** Serves the release that is current now; resolves once it is served. */
  async followStore(): Promise<void> {
    await this.#look();
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
    const longest = Math.max(refreshSeconds, maxRefreshPauseSeconds);
    return Math.min(2 ** this.#failures, longest) * (0.5 + Math.random() / 2);
  }

  async #refresh(): Promise<void> {
    const { store, log } = this.#parts;
    this.#looking = new AbortController();
    const signal = AbortSignal.any([this.#stopping.signal, this.#looking.signal]);
    try {
      this.#sources ??= sourcesOf(this.#settings);
      if (this.#sources === undefined) return;
      const context = { store, settings: this.#settings, refused: this.#refused, signal };
      await this.#settle(
        await refreshSources(this.#sources, context, (happened) => this.#reportEvent(happened)),
      );
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

  /** There is another source to ask, or nothing is missing; told all the same. */
  #reportEvent(happened: RefreshEvent): void {
    const { log } = this.#parts;
    if (happened.what === 'link spent') {
      if (this.#isNews(happened.what))
        log.info('the link has expired; what it led to is installed and served on');
    } else if (happened.what === 'refreshFrom failed') {
      const { message } = happened.error;
      if (this.#isNews(message)) log.warn(`refreshFrom brought nothing, asking bundleUrl: ${message}`);
    } else if (happened.taken.isNews) {
      const { refusal, message } = happened.taken.refusal;
      this.#counts.refused(refusal);
      log.warn({ refusal }, `what refreshFrom has was refused, asking bundleUrl: ${message}`);
    }
  }

  async #settle(result: RefreshResult): Promise<void> {
    const { log } = this.#parts;
    if (this.#failures > 0) this.#told.clear();
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
    const { release, appliedTo } = result.installed;
    const { id, version, commit, signedBy, origin } = release;
    const how = appliedTo === undefined ? {} : { deltaTo: appliedTo };
    log.info(
      { release: id, version, commit, signedBy, origin, ...how },
      `installed ${id}: ${contentDate(release, new Date())}`,
    );
    await this.#look();
    await this.#served.sweep(this.#settings.keep);
    this.#parts.store.onStep('swept');
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
    if (this.#told.size > maxReported) this.#told.clear();
    const isNews = !this.#told.has(told);
    this.#told.add(told);
    return isNews;
  }

  async #tell(): Promise<void> {
    await writeProcessStatus(this.#parts.store, this.status());
    this.#parts.onChange?.();
  }
}

/** Outcomes of refreshes for status and metrics. */
class RefreshCounts {
  readonly #outcomes: Record<string, number> = {};
  readonly #refusals: Record<string, number> = {};
  #last: SiteStatus['lastRefresh'] = null;

  ended(outcome: string, detail?: string): void {
    this.#outcomes[outcome] = (this.#outcomes[outcome] ?? 0) + 1;
    this.#last = { at: new Date().toISOString(), outcome, ...(detail === undefined ? {} : { detail }) };
  }

  refused(refusal: Refusal): void {
    this.#refusals[refusal] = (this.#refusals[refusal] ?? 0) + 1;
  }

  status(): Pick<SiteStatus, 'lastRefresh' | 'refreshes' | 'refusals'> {
    return { lastRefresh: this.#last, refreshes: this.#outcomes, refusals: this.#refusals };
  }
}
