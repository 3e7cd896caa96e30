/**
 * The running deployment: checks for newer bundles, installs them and activates the current release. On any
 * failure the current release stays live.
 */
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { type BundleRefusedError, contentDate, type Refusal } from '@docyard/bundle';
import { ConfigError } from '../errors.ts';
import { writeProcessStatus } from '../releases/processes.ts';
import { ServedReleases } from './served-releases.ts';
import type { HostedSite } from '../serving/hosted-site.ts';
import type { SiteStatus } from '../serving/status-response.ts';
import type { ExportSettings } from '../settings/settings.ts';
import { SourceError } from '../sources/source.ts';
import type { ReleaseStore } from '../releases/store.ts';
import type { RefreshResult } from './refresh-source.ts';
import { refreshSources, sourcesOf, type RefreshEvent } from './source-order.ts';
import { watchEvents, watchFolder, type Watching } from './folder-watch.ts';

export interface DeploymentParts {
  store: ReleaseStore;
  site: Pick<HostedSite, 'activate' | 'inUse'>;
  log: Logger;
  /** Called when the served release may have changed. */
  onChange?: () => void;
}

/** Backoff after failures. */
export const maxRefreshPauseSeconds = 300;
const maxLoggedMessages = 100;

export class Deployment {
  readonly #parts: DeploymentParts;
  readonly #served: ServedReleases;
  readonly #counts = new RefreshCounts();
  readonly #stopping = new AbortController();
  /** Aborts the running refresh when the settings change. */
  #refreshing = new AbortController();
  readonly #refused = new Map<string, BundleRefusedError>();
  #settings: ExportSettings;
  /** Opened on first use and again after new settings. */
  #sources: ReturnType<typeof sourcesOf>;
  /** Ends the pause between two refreshes. */
  #wake: () => void = () => {};
  #failures = 0;
  /** Until the first refresh has ended. */
  #isStarting = true;
  /** Messages that were already logged. */
  readonly #logged = new Set<string>();
  #watching: Watching[] = [];
  #loop: Promise<void> = Promise.resolve();

  constructor(settings: ExportSettings, parts: DeploymentParts) {
    this.#settings = settings;
    this.#parts = parts;
    this.#served = new ServedReleases(parts, settings);
  }

  /** Resolves once the installed release is served. */
  async start(): Promise<void> {
    const { store } = this.#parts;
    await this.#served.follow();
    await this.#served.sweep(this.#settings.keep);
    await this.#publishStatus();
    this.#watching.push(watchFolder(store.folder, () => void this.#followStore()));
    this.#watchSources();
    this.#loop = this.#run();
  }

  /** New settings apply immediately, also to bundles refused under the old ones. */
  apply(settings: ExportSettings): void {
    this.#settings = settings;
    this.#sources = undefined;
    this.#refused.clear();
    this.#failures = 0;
    this.#logged.clear();
    this.#refreshing.abort();
    this.#served.useKeys(settings);
    void this.#followStore();
    this.#watchSources();
    this.#wake();
  }

  /** Keeps the served release locked until `drained`. */
  async stop(drained: Promise<void> = Promise.resolve()): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    for (const watching of this.#watching) watching.stop();
    await Promise.all([this.#loop, drained]);
    this.#served.close();
  }

  /** Resolves once the current release is served. */
  async followStore(): Promise<void> {
    await this.#followStore();
  }

  status(): SiteStatus {
    const isStarting = this.#isStarting ? { isStarting: true } : {};
    return { ...this.#served.status(), ...this.#counts.status(), ...isStarting };
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

  /** With jitter, so that many deployments do not contact one server at the same time. */
  #pauseSeconds(): number {
    const { refreshSeconds } = this.#settings;
    if (this.#failures === 0) return refreshSeconds * (0.9 + Math.random() / 5);
    const maxSeconds = Math.max(refreshSeconds, maxRefreshPauseSeconds);
    return Math.min(2 ** this.#failures, maxSeconds) * (0.5 + Math.random() / 2);
  }

  async #refresh(): Promise<void> {
    const { store, log } = this.#parts;
    this.#refreshing = new AbortController();
    const signal = AbortSignal.any([this.#stopping.signal, this.#refreshing.signal]);
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
      if (this.#isFirst(message)) {
        if (isKnown) log.warn(`refresh failed: ${message}`);
        else log.error({ err: error }, 'refresh failed');
      }
    } finally {
      this.#isStarting = false;
    }
    await this.#publishStatus();
  }

  /** Events that do not end the refresh. */
  #reportEvent(happened: RefreshEvent): void {
    const { log } = this.#parts;
    if (happened.what === 'link spent') {
      if (this.#isFirst(happened.what))
        log.info('the link has expired; its bundle is installed and stays live');
    } else if (happened.what === 'refreshFrom failed') {
      const { message } = happened.error;
      if (this.#isFirst(message)) log.warn(`refreshFrom failed, trying bundleUrl: ${message}`);
    } else if (happened.taken.isNews) {
      const { refusal, message } = happened.taken.refusal;
      this.#counts.refused(refusal);
      log.warn({ refusal }, `the bundle of refreshFrom was refused, trying bundleUrl: ${message}`);
    }
  }

  async #settle(result: RefreshResult): Promise<void> {
    const { log } = this.#parts;
    if (this.#failures > 0) this.#logged.clear();
    this.#failures = 0;
    if (result.outcome === 'refused') {
      const { refusal, message } = result.refusal;
      this.#counts.ended('refused', message);
      if (!result.isNews) return;
      this.#counts.refused(refusal);
      log.warn({ refusal }, `a bundle was refused, the current release stays live: ${message}`);
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
    await this.#followStore();
    await this.#served.sweep(this.#settings.keep);
    this.#parts.store.onStep('swept');
  }

  /** This process, an import or a rollback may have switched the release. */
  async #followStore(): Promise<void> {
    try {
      const change = await this.#served.follow();
      if (change === undefined) return;
      if (change.wasResumed) this.#wake();
      if (change.canSweep) await this.#served.sweep(this.#settings.keep);
      await this.#publishStatus();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (this.#isFirst(message)) this.#parts.log.error({ err: error }, 'the current release cannot be read');
    }
  }

  /** New files in a folder are installed immediately. */
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

  #isFirst(message: string): boolean {
    if (this.#logged.size > maxLoggedMessages) this.#logged.clear();
    const isFirst = !this.#logged.has(message);
    this.#logged.add(message);
    return isFirst;
  }

  async #publishStatus(): Promise<void> {
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
