/**
 * A bundle at the stable address of a Docyard server: `…/v1/static-export/latest/bundle?domain=…` or
 * `…/v1/static-export/jobs/{jobId}/bundle`. Each request redirects to a freshly signed link that contains the
 * job id, so one small request shows whether the export is new.
 */
import { join } from 'node:path';
import { DocyardClient, DocyardError, type ExportJob } from '@docyard/api';
import { download, unreachable } from './download.ts';
import { SourceError, type Fetch, type Offer, type Source } from './source.ts';

const stablePath = /\/v1\/static-export\/(latest|jobs\/se_[0-9a-f]{16})\/bundle$/;
const answerSeconds = 30;

export function isStableAddress(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) && stablePath.test(url.pathname);
}

export function serverSource(address: string, apiKey: string | null, fetch: Fetch): Source {
  const url = new URL(address);
  url.searchParams.delete('since');
  const server = new Server(url, apiKey, fetch);
  return {
    origin: url.href,
    async look(known, signal) {
      const { jobId } = await server.freshLink(signal);
      if (known?.startsWith(`job:${jobId} `)) return 'unchanged';
      const job = await server.readJob(jobId, signal);
      if (known !== null && known.endsWith(` sha256:${job.bundle?.sha256}`)) return 'unchanged';
      return offerOf(job, server);
    },
  };
}

/** The job id identifies the export; the hash detects a new export with the same content. */
function offerOf(job: ExportJob, server: Server): Offer {
  const { jobId, version } = job;
  const sha256 = job.bundle?.sha256 ?? null;
  const remote = (since: string | undefined, signal: AbortSignal) => ({
    origin: server.origin,
    spent: 'The links of the server do not work. Check its PUBLIC_URL.',
    fetch: server.fetch,
    link: async () => (await server.freshLink(signal, { jobId, since })).link,
  });
  return {
    fingerprint: `job:${jobId} sha256:${sha256}`,
    sha256,
    version,
    jobId,
    async fetch(folder, signal) {
      const file = join(folder, 'bundle.tar.gz');
      await download(remote(undefined, signal), file, { signal });
      return file;
    },
    async fetchDelta(since, folder, signal) {
      const file = join(folder, 'delta.tar.gz');
      try {
        await download(remote(since, signal), file, { signal });
        return file;
      } catch (error) {
        signal.throwIfAborted();
        // The server may no longer have the base export; then the full bundle is used.
        if (error instanceof SourceError && error.failure !== 'disk_full') return undefined;
        throw error;
      }
    },
  };
}

interface FreshLink {
  jobId: string;
  link: string;
}

class Server {
  readonly origin: string;
  readonly #url: URL;
  readonly #apiKey: string | null;
  readonly fetch: Fetch;

  constructor(url: URL, apiKey: string | null, fetch: Fetch) {
    this.fetch = fetch;
    this.#url = url;
    this.#apiKey = apiKey;
    this.origin = url.href;
  }

  /** The redirect is not followed with the API key, because the link may lead to another host. */
  async freshLink(
    signal: AbortSignal,
    of?: { jobId: string; since: string | undefined },
  ): Promise<FreshLink> {
    const url = new URL(this.#url);
    if (of !== undefined) {
      url.pathname = url.pathname.replace(stablePath, `/v1/static-export/jobs/${of.jobId}/bundle`);
      url.search = of.since === undefined ? '' : `?${new URLSearchParams({ since: of.since }).toString()}`;
    }
    const response = await this.fetch(url, {
      redirect: 'manual',
      headers: this.#apiKey === null ? {} : { authorization: `Bearer ${this.#apiKey}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerSeconds * 1000)]),
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw unreachable(this.origin, error);
    });
    if (response.status !== 302) throw await this.#refusal(response);
    await response.body?.cancel();
    const link = new URL(response.headers.get('location') ?? '', url);
    const [jobId] = /\bse_[0-9a-f]{16}\b/.exec(link.pathname) ?? [];
    if (jobId === undefined)
      throw new SourceError('unreachable', `${this.origin} does not redirect to a bundle.`);
    return { jobId, link: link.href };
  }

  async readJob(jobId: string, signal: AbortSignal): Promise<ExportJob> {
    const baseUrl = this.#url.origin + this.#url.pathname.replace(stablePath, '');
    const client = new DocyardClient({
      baseUrl,
      apiKey: this.#apiKey ?? '',
      tries: 2,
      fetch: this.fetch,
      timeoutSeconds: answerSeconds,
    });
    try {
      return await client.call('readExport', { params: { jobId } }, { signal });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof DocyardError) throw this.#failureOf(error.status, error.message);
      throw unreachable(this.origin, error);
    }
  }

  async #refusal(response: Response): Promise<SourceError> {
    const said = await sentenceIn(response);
    return this.#failureOf(response.status, said ?? `It responded with status ${response.status}.`);
  }

  #failureOf(status: number, said: string): SourceError {
    if (status === 401 || status === 403) {
      const advice = this.#apiKey === null ? ' Set DOCYARD_API_KEY or staticExport.apiKeyFile.' : '';
      return new SourceError('denied', `${this.origin}: ${said}${advice}`);
    }
    if (status === 404 || status === 410 || status === 400)
      return new SourceError('not_found', `${this.origin}: ${said}`);
    if (status === 409) return new SourceError('not_ready', `${this.origin}: ${said}`);
    return new SourceError('unreachable', `${this.origin}: ${said}`);
  }
}

const maxErrorBytes = 64 * 1024;

/** The error message of the server; undefined unless it is short JSON. */
async function sentenceIn(response: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of response.body ?? []) {
      parts.push(part);
      size += part.length;
      if (size > maxErrorBytes) return undefined;
    }
    const { error } = JSON.parse(Buffer.concat(parts).toString()) as { error?: unknown };
    return typeof error === 'string' ? error.slice(0, 500) : undefined;
  } catch {
    return undefined;
  }
}
