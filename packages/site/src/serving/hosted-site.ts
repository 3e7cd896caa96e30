/**
 * One site of a server. It can switch to another release between two requests; a running response completes with
 * its release.
 */
import type { SiteEndpoint } from './endpoint.ts';
import type { Gate } from './gate.ts';
import type { PageObserver } from './respond.ts';
import { readRequestPath } from './request-path.ts';
import type { ServedSite } from './served-site.ts';
import type { SiteStatus, SiteTraffic } from './status-response.ts';

export interface HostedSiteOptions {
  status: () => SiteStatus;
  /** Null for the only site. */
  name?: string | null;
  /** Empty for every host that no other site names. */
  hosts?: readonly string[];
  /** Such as `/docs`; defaults to the path of the bundle. */
  basePath?: string | undefined;
  /** max-age of Strict-Transport-Security; 0 disables it. */
  hstsSeconds?: number | undefined;
}

export class HostedSite {
  readonly name: string | null;
  readonly hosts: readonly string[];
  /** Undefined for the path of the bundle. */
  readonly basePath: string | undefined;
  readonly #hstsSeconds: number;
  readonly #status: () => SiteStatus;
  #active: ServedSite | undefined;
  #gate: Gate | undefined;
  #observer: PageObserver | undefined;
  readonly #endpoints = new Map<string, SiteEndpoint>();
  /** Responses that are being read from disk, by release. */
  readonly #held = new Map<string, number>();
  readonly #answers = new Map<number, number>();
  #bodyBytes = 0;

  constructor({ status, name = null, hosts = [], basePath, hstsSeconds = 0 }: HostedSiteOptions) {
    this.#status = status;
    this.name = name;
    this.hosts = hosts;
    this.basePath = basePath === undefined ? undefined : withoutSlash(basePath);
    this.#hstsSeconds = hstsSeconds;
  }

  /** Undefined until the first installation. */
  get active(): ServedSite | undefined {
    return this.#active;
  }

  /** Undefined for a public site. */
  get gate(): Gate | undefined {
    return this.#gate;
  }

  /** Call it before the first release is active. */
  protect(gate: Gate): void {
    this.#gate = gate;
  }

  /** Call it before the first release is active. */
  add(endpoint: SiteEndpoint): void {
    this.#endpoints.set(endpoint.path, endpoint);
  }

  get observer(): PageObserver | undefined {
    return this.#observer;
  }

  /** Undefined ends the observation. */
  observe(observer: PageObserver | undefined): void {
    this.#observer = observer;
  }

  /** The endpoint of a raw request target. */
  endpointAt(target: string): SiteEndpoint | undefined {
    if (this.#endpoints.size === 0) return undefined;
    const wanted = readRequestPath(target);
    const basePath = this.#active?.basePath ?? '';
    if (typeof wanted === 'string' || !wanted.path.startsWith(`${basePath}/`)) return undefined;
    return this.#endpoints.get(wanted.path.slice(basePath.length));
  }

  activate(site: ServedSite): void {
    site.configure({
      ...(this.basePath === undefined ? {} : { basePath: this.basePath }),
      isPrivate: this.#gate !== undefined,
      headers: this.#hstsSeconds > 0 ? ['Strict-Transport-Security', `max-age=${this.#hstsSeconds}`] : [],
    });
    this.#active = site;
  }

  /** Whether the release is active or still being read. */
  inUse(releaseId: string): boolean {
    return this.#active?.id === releaseId || this.#held.has(releaseId);
  }

  /** The release is in use until the returned function is called. */
  hold(releaseId: string): () => void {
    this.#held.set(releaseId, (this.#held.get(releaseId) ?? 0) + 1);
    return () => {
      const left = (this.#held.get(releaseId) ?? 1) - 1;
      if (left > 0) this.#held.set(releaseId, left);
      else this.#held.delete(releaseId);
    };
  }

  count(status: number, bodyBytes: number): void {
    this.#answers.set(status, (this.#answers.get(status) ?? 0) + 1);
    this.#bodyBytes += bodyBytes;
  }

  status(): SiteStatus {
    return this.#status();
  }

  traffic(): SiteTraffic {
    return {
      answers: this.#answers,
      bodyBytes: this.#bodyBytes,
      requestsUnderWay: [...this.#held.values()].reduce((sum, count) => sum + count, 0),
      cachedBytes: this.#active?.content.bytes ?? 0,
    };
  }
}

function withoutSlash(path: string): string {
  const bare = path.replace(/(?<!\/)\/+$/, '').replace(/^\/$/, '');
  return bare === '' || bare.startsWith('/') ? bare : `/${bare}`;
}
