/** Steady use of an installation: commits, exports, polling, event streams, bundles and deltas. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DocyardClient, waitForExport, type ExportJob } from '@docyard/api';
import { downloadBundle } from '@docyard/api/download';
import type { GitServer, ServedRepository } from '../fakes/git-server.ts';
import { siteFiles, temporaryFolder, type Service } from '../service.ts';

export interface LoadCounts {
  exports: number;
  polls: number;
  streams: number;
  downloads: number;
  deltas: number;
}

const projectCount = 2;
const pages = 20;
const pollersPerApi = 4;
const pollEverySeconds = 0.25;
const streamEverySeconds = 2;
const tries = 3;

export class Load {
  readonly counts: LoadCounts = { exports: 0, polls: 0, streams: 0, downloads: 0, deltas: 0 };
  /** Requests and jobs that failed. */
  readonly failures: string[] = [];
  readonly #apis: readonly Service[];
  readonly #clients: readonly DocyardClient[];
  readonly #key: string;
  readonly #downloads = temporaryFolder('soak-downloads');
  readonly #current = new Map<string, string>();

  constructor(apis: readonly Service[], key: string) {
    this.#apis = apis;
    this.#key = key;
    this.#clients = apis.map(({ origin }) => new DocyardClient({ baseUrl: origin, apiKey: key, tries }));
  }

  /** Resolves when the signal aborts and everything begun has ended. */
  async run(git: GitServer, signal: AbortSignal): Promise<void> {
    const projects = Array.from({ length: projectCount }, (_, index) => `site-${index + 1}.example.com`);
    const repositories = new Map<string, ServedRepository>();
    for (const domain of projects) {
      const repository = git.addRepository(domain, siteFiles(pages));
      repositories.set(domain, repository);
      const source = { repository: repository.url, ref: 'main' };
      await this.#client(0).call('createProject', { body: { name: domain, domain, source } });
    }
    await Promise.all([
      ...[...repositories].map(([domain, repository]) => this.#exportAll(domain, repository, signal)),
      ...this.#clients.flatMap((client) =>
        Array.from({ length: pollersPerApi }, () => this.#poll(client, signal)),
      ),
      ...this.#apis.map((api) => this.#follow(api, signal)),
    ]);
  }

  /** Commits a change, exports it, downloads the bundle and its delta, and starts again. */
  async #exportAll(domain: string, repository: ServedRepository, signal: AbortSignal): Promise<void> {
    let before: ExportJob | undefined;
    for (let number = 1; !signal.aborted; number += 1) {
      const client = this.#client(number);
      const text = `---\ntitle: Page 0\n---\n\n## First part\n\nEdition ${number} of ${domain}.\n`;
      repository.commit('main', { 'index.mdx': text });
      const job = await this.#attempt(`export ${number} of ${domain}`, async () => {
        const { jobId } = await client.call('startExport', { body: { domain } });
        this.#current.set(domain, jobId);
        return waitForExport(client, jobId);
      });
      if (job?.status !== 'completed') {
        this.failures.push(`export ${number} of ${domain}: ${job?.failure?.message ?? 'no record'}`);
        await pause(1000);
        continue;
      }
      this.counts.exports += 1;
      await this.#attempt(`the bundle of ${job.jobId}`, () => this.#download(client, job.jobId));
      const since = before?.jobId;
      if (since !== undefined)
        await this.#attempt(`the delta of ${job.jobId}`, () => this.#delta(client, job.jobId, since));
      before = job;
    }
  }

  /** The download verifies the hash of the link. */
  async #download(client: DocyardClient, jobId: string): Promise<void> {
    const file = join(this.#downloads, `${jobId}.tar.gz`);
    await downloadBundle(client, jobId, file);
    rmSync(file);
    this.counts.downloads += 1;
  }

  async #delta(client: DocyardClient, jobId: string, since: string): Promise<void> {
    const { bundleUrl } = await client.call('createBundle', { params: { jobId }, body: { since } });
    const answer = await fetch(bundleUrl);
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`the delta was answered ${answer.status}`);
    this.counts.deltas += 1;
  }

  async #poll(client: DocyardClient, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const jobId of this.#current.values()) {
        await this.#attempt(`the status of ${jobId}`, () => client.call('readExport', { params: { jobId } }));
        this.counts.polls += 1;
      }
      await pause(pollEverySeconds * 1000);
    }
  }

  /** Opens event streams and leaves some before their end, as clients do. */
  async #follow({ origin }: Service, signal: AbortSignal): Promise<void> {
    for (let number = 0; !signal.aborted; number += 1) {
      await pause(streamEverySeconds * 1000);
      const jobs = [...this.#current.values()];
      const jobId = jobs[number % jobs.length];
      if (jobId === undefined) continue;
      await this.#attempt(`the events of ${jobId}`, async () => {
        const leave = AbortSignal.timeout(number % 2 === 0 ? 30_000 : 300);
        const url = `${origin}/v1/static-export/jobs/${jobId}/events`;
        const answer = await fetch(url, { headers: { authorization: `Bearer ${this.#key}` }, signal: leave });
        await answer.text();
      });
      this.counts.streams += 1;
    }
  }

  async #attempt<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const wasLeft = error instanceof DOMException && error.name === 'TimeoutError';
      if (!wasLeft) this.failures.push(`${what}: ${String(error)}`);
      return undefined;
    }
  }

  #client(number: number): DocyardClient {
    const client = this.#clients[number % this.#clients.length];
    if (client === undefined) throw new Error('There is no process that answers requests.');
    return client;
  }
}
