/** One site of the process: its releases, refreshes and reports. A site that cannot start is retried. */
import type { Logger } from 'pino';
import { analyticsFile } from './analytics/analytics-database.ts';
import { Analytics } from './analytics/analytics.ts';
import { analyticsEndpoints } from './analytics/endpoints.ts';
import { openGate } from './access/open-gate.ts';
import { AskEndpoint } from './answers/ask-endpoint.ts';
import { mcpEndpoint } from './mcp/mcp-endpoint.ts';
import { Deployment } from './refresh/deployment.ts';
import type { OnInstallStep } from './releases/install-steps.ts';
import { ReleaseStore } from './releases/store.ts';
import { Reporter } from './reporting/reporter.ts';
import { HostedSite } from './serving/hosted-site.ts';
import type { SiteStatus } from './serving/status-response.ts';
import type { NamedSite, SettingsOfSite } from './settings/settings.ts';

const noTraffic = { release: null, lastRefresh: null, refreshes: {}, refusals: {} };
const firstRetrySeconds = 2;
const maxRetrySeconds = 60;

interface Running {
  store: ReleaseStore;
  deployment: Deployment;
  reporter: Reporter | undefined;
  analytics: Analytics | undefined;
}

/** Without a name for the only site. */
export interface SiteToDeploy extends Pick<NamedSite, 'hosts' | 'basePath' | 'hstsSeconds' | 'settings'> {
  name: string | null;
}

export interface DeployedSiteParts {
  log: Logger;
  onStep?: OnInstallStep | undefined;
}

export class DeployedSite {
  readonly hosted: HostedSite;
  readonly #name: string | null;
  readonly #parts: DeployedSiteParts;
  #settings: NamedSite['settings'];
  #running: Running | undefined;
  #problem: string | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #starting: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(site: SiteToDeploy, { log, onStep }: DeployedSiteParts) {
    const { name, hosts, basePath, hstsSeconds, settings } = site;
    this.#name = name;
    this.#parts = { log: name === null ? log : log.child({ site: name }), onStep };
    this.#settings = settings;
    this.hosted = new HostedSite({
      name,
      hosts,
      basePath: basePath ?? undefined,
      hstsSeconds,
      status: () => this.#status(),
    });
  }

  get release(): string | null {
    return this.#status().release?.id ?? null;
  }

  /** Opens the data folder, which fails for a wrong one before a port is opened. */
  async open(): Promise<void> {
    if (this.#running !== undefined || this.#isStopped) return;
    const settings = this.#settings;
    if (settings instanceof Error) throw settings;
    const { log, onStep } = this.#parts;
    const store = await ReleaseStore.openIn(settings.dataDir, { onStep });
    const { offline } = settings.staticExport;
    if (settings.access !== null)
      this.hosted.protect(
        openGate(settings.access, { siteName: this.#name, dataDir: settings.dataDir, offline, log }),
      );
    if (settings.mcp) this.hosted.add(mcpEndpoint({ hosts: this.hosted.hosts }));
    if (settings.answers !== null) this.hosted.add(new AskEndpoint(settings.answers, { offline, log }));
    const onChange = () => this.#running?.reporter?.releaseMayHaveChanged();
    const deployment = new Deployment(settings.staticExport, { store, site: this.hosted, log, onChange });
    const analytics = this.#openAnalytics(settings);
    const reporter = reporterOf(settings, { store, deployment, analytics, log });
    this.#running = { store, deployment, reporter, analytics };
  }

  /** A site whose analytics cannot be opened is served without them. */
  #openAnalytics({ analytics: settings, dataDir }: SettingsOfSite): Analytics | undefined {
    if (settings === null) return undefined;
    const { log } = this.#parts;
    try {
      const analytics = new Analytics({ dataDir, retentionDays: settings.retentionDays, log });
      for (const endpoint of analyticsEndpoints(analytics, settings)) this.hosted.add(endpoint);
      this.hosted.observe(analytics);
      return analytics;
    } catch (error) {
      log.error(`analytics are off, because ${analyticsFile} cannot be opened: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** Serves the installed release and follows its source. */
  async start(): Promise<void> {
    await this.open();
    await this.#running?.deployment.start();
    this.#running?.analytics?.start();
    this.#running?.reporter?.start();
    this.#problem = undefined;
    this.#failures = 0;
  }

  /** As `start`, but a failure is logged and repeated later. */
  startWithRetries(): Promise<void> {
    clearTimeout(this.#retry);
    const start = async () => (this.#running === undefined ? this.start() : undefined);
    this.#starting = this.#starting.then(start).catch(async (error: unknown) => {
      const { message } = error as Error;
      if (message !== this.#problem) this.#parts.log.error(`the site cannot be served: ${message}`);
      this.#problem = message;
      await this.#close();
      this.#failures += 1;
      const seconds = Math.min(firstRetrySeconds * 2 ** (this.#failures - 1), maxRetrySeconds);
      if (!this.#isStopped) this.#retry = setTimeout(() => void this.startWithRetries(), seconds * 1000);
    });
    return this.#starting;
  }

  /** New settings of the export apply at once. */
  apply(settings: NamedSite['settings']): void {
    this.#settings = settings;
    if (settings instanceof Error) {
      this.#parts.log.error(`the new settings are invalid and ignored: ${settings.message}`);
      return;
    }
    if (this.#running === undefined) void this.startWithRetries();
    else this.#running.deployment.apply(settings.staticExport);
  }

  /** Keeps the served release locked until `drained`. */
  async stop(drained?: Promise<void>): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#retry);
    await this.#starting;
    await this.#close(drained);
  }

  async #close(drained?: Promise<void>): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    this.hosted.observe(undefined);
    await running?.reporter?.stop();
    await running?.deployment.stop(drained);
    running?.analytics?.stop();
    await running?.store.close();
  }

  #status(): SiteStatus {
    const problem = this.#problem === undefined ? {} : { notReadyBecause: this.#problem };
    if (this.#running !== undefined) return { ...this.#running.deployment.status(), ...problem };
    return {
      ...noTraffic,
      ...(this.#name === null || this.#failures > 0 ? {} : { isStarting: true }),
      ...problem,
    };
  }
}

function reporterOf(
  { report, staticExport: { publicKeys, offline } }: SettingsOfSite,
  parts: Omit<Running, 'reporter'> & { log: Logger },
): Reporter | undefined {
  return report === null ? undefined : new Reporter(report, { ...parts, publicKeys, offline });
}
