/**
 * Well-behaved clients: each start has an idempotency key and is retried until it is acknowledged; each job is followed to its
 * end by waiting, polling or events. A client stays with one API process until that fails.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DocyardClient, DocyardError, waitForExport, type ExportJob } from '@docyard/api';
import { downloadBundle } from '@docyard/api/download';
import { temporaryFolder } from '../service.ts';
import type { Chance } from '../torture/seeded-random.ts';
import type { Cluster } from './cluster.ts';
import { isFinal, type Ledger } from './ledger.ts';

export interface Organization {
  id: string;
  name: string;
  key: string;
  domain: string;
  jobs: number;
}

interface CallerOptions {
  cluster: Cluster;
  chance: Chance;
  ledger: Ledger;
  organization: Organization;
  /** Aborts all retries. */
  signal: AbortSignal;
  /** Starts wait while so many jobs are not followed yet. Without it, all jobs start at once. */
  maxUnfollowed?: number;
}

const startersAtOnce = 3;
const followersAtOnce = 8;
/** Covers several minutes, longer than any outage. */
const maxAttempts = 500;
const pollSeconds = { least: 0.5, most: 2 };

export class Caller {
  readonly client: DocyardClient;
  readonly organization: Organization;
  readonly #options: CallerOptions;
  readonly #fetch: typeof fetch;
  readonly #unfollowed: string[] = [];
  readonly #downloads = temporaryFolder('chaos-downloads');
  #started = 0;
  #isStarting = true;

  constructor(options: CallerOptions) {
    this.#options = options;
    this.organization = options.organization;
    this.#fetch = throughAnyProcess(options.cluster, options.chance);
    this.client = new DocyardClient({
      baseUrl: 'http://any.invalid',
      apiKey: this.organization.key,
      tries: 1,
      timeoutSeconds: 40,
      fetch: this.#fetch,
    });
  }

  async run(): Promise<void> {
    const starting = Promise.all(Array.from({ length: startersAtOnce }, () => this.#startSome()));
    const following = Promise.all(Array.from({ length: followersAtOnce }, () => this.#followSome()));
    await Promise.all([starting.finally(() => (this.#isStarting = false)), following]);
  }

  /** Retries transient failures until the limit. */
  async insist<T>(what: string, work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        this.#options.signal.throwIfAborted();
        if (tries === maxAttempts) throw error;
        const answer = error instanceof DocyardError ? error : undefined;
        this.#options.ledger.countRetry(answer?.status);
        if (answer !== undefined && !isPassing(answer)) {
          this.#options.ledger.complain(`${what} was answered ${answer.status}: ${answer.message}`);
          if (answer.status < 500) throw error;
        }
        const seconds = Math.min(answer?.retryAfterSeconds ?? 0.5, 5);
        await pause(seconds * (0.5 + this.#options.chance.next() / 2) * 1000);
      }
    }
  }

  /** The download verifies the hash of the link. */
  async download(jobId: string): Promise<{ file: string; sha256: string; sizeBytes: number }> {
    const file = join(this.#downloads, `${jobId}-${Math.floor(this.#options.chance.next() * 1e9)}.tar.gz`);
    const { sha256, sizeBytes } = await downloadBundle(this.client, jobId, file);
    return { file, sha256, sizeBytes };
  }

  async #startSome(): Promise<void> {
    const { ledger, maxUnfollowed = Infinity } = this.#options;
    const { name, domain, jobs } = this.organization;
    while (this.#started < jobs) {
      while (this.#unfollowed.length >= maxUnfollowed && !this.#options.signal.aborted) await pause(100);
      this.#started += 1;
      const tag = `${name}-${this.#started}`;
      const start = () =>
        this.client.call(
          'startExport',
          { body: { domain, metadata: { tag } } },
          { headers: { 'idempotency-key': tag } },
        );
      const job = await this.insist(`the start of ${tag}`, start);
      ledger.acknowledge(tag, job);
      this.#unfollowed.push(job.jobId);
    }
  }

  async #followSome(): Promise<void> {
    const { chance, ledger, signal } = this.#options;
    for (;;) {
      const jobId = this.#unfollowed.shift();
      if (jobId === undefined) {
        if (!this.#isStarting) return;
        await pause(100);
        continue;
      }
      const follow = chance.pick([this.#wait, this.#wait, this.#poll, this.#listen]) ?? this.#wait;
      const job = await this.insist(`following ${jobId}`, () => follow.call(this, jobId));
      ledger.observe(job);
      if (job.status !== 'completed' || !chance.happens(0.2)) continue;
      const downloaded = this.insist(`the bundle of ${jobId}`, () => this.download(jobId));
      ledger.compareDownload(job, await downloaded);
      signal.throwIfAborted();
    }
  }

  async #wait(jobId: string): Promise<ExportJob> {
    const { ledger, signal } = this.#options;
    return waitForExport(this.client, jobId, { signal, onProgress: (job) => ledger.observe(job) });
  }

  async #poll(jobId: string): Promise<ExportJob> {
    const { ledger, chance, signal } = this.#options;
    for (;;) {
      const askedAt = performance.now();
      const job = await this.client.call('readExport', { params: { jobId } }, { signal });
      ledger.observe(job, askedAt);
      if (isFinal(job)) return job;
      await pause(chance.between(pollSeconds.least, pollSeconds.most) * 1000);
    }
  }

  /** Reconnects with the last event id, so that it gets every event once. */
  async #listen(jobId: string): Promise<ExportJob> {
    const { ledger, signal } = this.#options;
    for (;;) {
      const stream = this.#events(jobId, ledger.lastEventOf(jobId), signal);
      const open = async () => {
        for await (const { id, record } of stream) {
          ledger.observeEvent(id, record);
          if (isFinal(record)) return record;
        }
        return undefined;
      };
      const final = await open();
      if (final !== undefined) return final;
      await pause(500, undefined, { signal });
    }
  }

  async *#events(jobId: string, after: string, signal: AbortSignal) {
    const path = `/v1/static-export/jobs/${jobId}/events`;
    const answer = await this.#fetch(`http://any.invalid${path}`, {
      headers: {
        authorization: `Bearer ${this.organization.key}`,
        ...(after === '' ? {} : { 'last-event-id': after }),
      },
      signal,
    });
    if (answer.status !== 200) {
      const body = (await answer.json().catch(() => undefined)) as { error: string } | undefined;
      throw new DocyardError(answer.status, body, undefined);
    }
    let text = '';
    const decoder = new TextDecoder();
    for await (const part of answer.body ?? []) {
      text += decoder.decode(part, { stream: true });
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        const [, id] = /^id: (\d+)$/m.exec(frame) ?? [];
        const [, data] = /^data: (.*)$/m.exec(frame) ?? [];
        if (id !== undefined && data !== undefined) yield { id, record: JSON.parse(data) as ExportJob };
      }
    }
  }
}

function isPassing({ status, code }: DocyardError): boolean {
  return [408, 429, 502, 503, 504].includes(status) || code === 'idempotency_in_progress';
}

/** Redirects only requests to the service; download links keep their address. */
function throughAnyProcess(cluster: Cluster, chance: Chance): typeof fetch {
  let chosen: string | undefined;
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const origins = cluster.living('api').flatMap(({ service }) => service?.origin ?? []);
    chosen = origins.find((origin) => origin === chosen) ?? chance.pick(origins);
    if (chosen === undefined) throw new Error('No API process is there.');
    try {
      const answer = await fetch(chosen + url.pathname + url.search, init);
      if (answer.status >= 500) chosen = undefined;
      return answer;
    } catch (error) {
      chosen = undefined;
      throw error;
    }
  };
}
