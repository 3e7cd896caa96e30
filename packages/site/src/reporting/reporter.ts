/**
 * Reports the state of this site to a service and follows its instructions if the settings allow it. All
 * connections are outbound.
 */
import { randomBytes } from 'node:crypto';
import {
  DocyardClient,
  SignedInstruction,
  type DeploymentReceipt,
  type DeploymentRelease,
  type ReportDeployment,
} from '@docyard/api';
import type { Logger } from 'pino';
import { BundleRefusedError, type PublicKey, verifySignature } from '@docyard/bundle';
import { isThisMachine, peerFetch } from '../network/peers.ts';
import type { Analytics } from '../analytics/analytics.ts';
import { version } from '../version.ts';
import { sendReadings } from './readings-sender.ts';
import type { ReleaseRecord } from '../releases/release.ts';
import type { ReportSettings } from '../settings/report-settings.ts';
import type { SiteStatus } from '../serving/status-response.ts';
import { ReleaseNotFoundError, resumed, rolledBack } from '../releases/state.ts';
import type { ReleaseStore } from '../releases/store.ts';

interface ReporterParts {
  store: ReleaseStore;
  /** The running deployment. */
  deployment: { status(): SiteStatus; followStore(): Promise<void> };
  /** Keys that sign bundles and instructions. */
  publicKeys: readonly PublicKey[];
  offline: boolean;
  analytics?: Analytics | undefined;
  log: Logger;
}

const answerSeconds = 20;
export const maxPauseSeconds = 300;
const maxText = 1000;
const maxReleases = 50;
/** What readers did follows the first report and every tenth. */
const reportsPerReadings = 10;

class InstructionRefusedError extends Error {
  override name = 'InstructionRefusedError';
}

export class Reporter {
  readonly #settings: ReportSettings;
  readonly #parts: ReporterParts;
  readonly #client: DocyardClient;
  readonly #stopping = new AbortController();
  #wake: () => void = () => {};
  #reportedRelease: string | null | undefined;
  #finished: ReportDeployment['finished'] = null;
  #failures = 0;
  #lastProblem = '';
  #reports = 0;
  #readingsProblem = '';
  #loop: Promise<void> = Promise.resolve();

  constructor(settings: ReportSettings, parts: ReporterParts) {
    this.#settings = settings;
    this.#parts = parts;
    const fetch = peerFetch({ offline: parts.offline });
    this.#client = new DocyardClient({
      baseUrl: settings.url,
      apiKey: settings.apiKey,
      tries: 1,
      timeoutSeconds: answerSeconds,
      // A redirect would send the key, and the authority to give instructions, to another host.
      fetch: (input, init) => fetch(input, { ...init, redirect: 'error' }),
    });
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Reports immediately when another release is served. */
  releaseMayHaveChanged(): void {
    if (this.#parts.deployment.status().release?.id !== this.#reportedRelease) this.#wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const hasFollowed = await this.#report();
      if (this.#stopping.signal.aborted) return;
      if (hasFollowed) continue;
      const timer = setTimeout(this.#wake, this.#pauseSeconds() * 1000);
      await woken;
      clearTimeout(timer);
    }
  }

  #pauseSeconds(): number {
    const { seconds } = this.#settings;
    if (this.#failures === 0) return seconds;
    return Math.min(Math.max(seconds, 2 ** this.#failures), Math.max(seconds, maxPauseSeconds));
  }

  /** True when an instruction was settled, which the next report contains. */
  async #report(): Promise<boolean> {
    const { log } = this.#parts;
    const nonce = randomBytes(18).toString('base64url');
    try {
      const body = await this.#describe(nonce);
      const { signal } = this.#stopping;
      const receipt = await this.#client.call('reportDeployment', { body }, { signal });
      if (this.#failures > 0) log.info('reporting works again');
      this.#failures = 0;
      this.#lastProblem = '';
      this.#reportedRelease = body.current;
      this.#finished = null;
      await this.#sendReadings();
      if (receipt.instruction === null || !this.#settings.acceptsInstructions) return false;
      return await this.#follow(receipt.instruction, nonce);
    } catch (error) {
      if (this.#stopping.signal.aborted) return false;
      this.#failures += 1;
      const message = error instanceof Error ? error.message : String(error);
      if (message !== this.#lastProblem) log.warn(`the report was not delivered: ${message}`);
      this.#lastProblem = message;
      return false;
    }
  }

  async #sendReadings(): Promise<void> {
    const { analytics, log } = this.#parts;
    const isDue = this.#reports % reportsPerReadings === 0;
    this.#reports += 1;
    if (analytics === undefined || !isDue) return;
    const { signal } = this.#stopping;
    try {
      await sendReadings(this.#client, { name: this.#settings.name, analytics, signal });
      this.#readingsProblem = '';
    } catch (error) {
      if (signal.aborted) return;
      const { message } = error as Error;
      if (message !== this.#readingsProblem) log.warn(`the analytics were not delivered: ${message}`);
      this.#readingsProblem = message;
    }
  }

  async #describe(nonce: string): Promise<ReportDeployment> {
    const { store, deployment } = this.#parts;
    const { name, siteUrl, seconds, acceptsInstructions } = this.#settings;
    const { release, lastRefresh, notReadyBecause } = deployment.status();
    const [records, state] = await Promise.all([store.releases(), store.state()]);
    const reason = release === null ? 'No release is installed yet.' : (notReadyBecause ?? null);
    return {
      name,
      url: siteUrl,
      software: version,
      reportSeconds: seconds,
      acceptsInstructions,
      nonce,
      isReady: reason === null,
      reason: reason?.slice(0, maxText) ?? null,
      current: release?.id ?? null,
      releases: records.slice(0, maxReleases).map(reportedRelease),
      held: state.held === null ? null : { at: state.held.at, from: state.held.from },
      lastRefresh:
        lastRefresh === null
          ? null
          : {
              at: lastRefresh.at,
              outcome: lastRefresh.outcome,
              ...(lastRefresh.detail === undefined ? {} : { detail: lastRefresh.detail.slice(0, maxText) }),
            },
      finished: this.#finished,
    };
  }

  async #follow(given: NonNullable<DeploymentReceipt['instruction']>, nonce: string): Promise<boolean> {
    const { store, deployment, log } = this.#parts;
    const { action, release, id } = this.#verify(given, nonce);
    try {
      if (action === 'resume') await store.change(resumed);
      else {
        const installed = await store.releases();
        const at = new Date().toISOString();
        await store.change((state) =>
          state.current === release ? state : rolledBack(state, installed, { to: release ?? undefined, at }),
        );
      }
      await deployment.followStore();
      log.info({ action, release }, `followed an instruction of the service: ${action}`);
      this.#finished = { id, ok: true, message: action === 'resume' ? 'Resumed.' : `Serving ${release}.` };
    } catch (error) {
      if (!(error instanceof ReleaseNotFoundError)) throw error;
      log.warn(`an instruction of the service cannot be followed: ${error.message}`);
      this.#finished = { id, ok: false, message: error.message.slice(0, maxText) };
    }
    return true;
  }

  /** The instruction must be from this service, for this site, in response to this report. */
  #verify(
    { text, signature }: NonNullable<DeploymentReceipt['instruction']>,
    nonce: string,
  ): SignedInstruction {
    const { publicKeys } = this.#parts;
    const url = new URL(this.#settings.url);
    if (publicKeys.length > 0) checkSignature(publicKeys, text, signature);
    else if (url.protocol !== 'https:' && !isThisMachine(url.hostname))
      throw new InstructionRefusedError(
        'An instruction over plain http was refused. Use https for report.url, or set staticExport.publicKey.',
      );
    const instruction = SignedInstruction.parse(JSON.parse(text));
    if (instruction.deployment !== this.#settings.name || instruction.nonce !== nonce)
      throw new InstructionRefusedError('An instruction for another site or report was refused.');
    return instruction;
  }
}

function checkSignature(publicKeys: readonly PublicKey[], text: string, signature: string): void {
  try {
    verifySignature(publicKeys, Buffer.from(text), signature);
  } catch (error) {
    if (!(error instanceof BundleRefusedError)) throw error;
    throw new InstructionRefusedError(`An instruction was refused: ${error.message}`);
  }
}

function reportedRelease(record: ReleaseRecord): DeploymentRelease {
  const { id, version: label, commit, committedAt, pages, signedBy, installedAt, jobId } = record;
  return { id, version: label, commit, committedAt, pages, signedBy, installedAt, jobId };
}
