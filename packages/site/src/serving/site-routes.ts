/** Chooses the site of a request by its host, then by the longest base path. */
import type { IncomingMessage } from 'node:http';
import type { HostedSite } from './hosted-site.ts';
import { readRequestPath } from './request-path.ts';

export class SiteRoutes {
  readonly #byHost = new Map<string, HostedSite[]>();
  /** Sites without a host. */
  readonly #ofAnyHost: readonly HostedSite[];
  readonly #default: HostedSite | undefined;

  constructor(sites: readonly HostedSite[], defaultSite?: string | null) {
    const byPathLength = sites.toSorted((a, b) => (b.basePath ?? '').length - (a.basePath ?? '').length);
    for (const site of byPathLength)
      for (const host of site.hosts) this.#byHost.set(host, [...(this.#byHost.get(host) ?? []), site]);
    this.#ofAnyHost = byPathLength.filter(({ hosts }) => hosts.length === 0);
    this.#default = sites.find(({ name }) => name !== null && name === defaultSite);
  }

  find({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): HostedSite | undefined {
    const ofHost = this.#byHost.size === 0 ? undefined : this.#byHost.get(hostOf(url, headers.host));
    const candidates = ofHost ?? this.#ofAnyHost;
    if (candidates.length === 1) return candidates[0];
    return siteAt(candidates, url) ?? this.#default;
  }

  /** Whether a site answers requests for the host. */
  serves(host: string): boolean {
    const isAnyServed = this.#ofAnyHost.length > 0 || this.#default !== undefined;
    return isAnyServed || this.#byHost.has(withoutPort(host));
  }
}

function siteAt(candidates: readonly HostedSite[], target: string): HostedSite | undefined {
  const wanted = candidates.length === 0 ? 'malformed' : readRequestPath(target);
  if (typeof wanted === 'string') return candidates.at(-1);
  return candidates.find(
    ({ basePath = '' }) =>
      basePath === '' || wanted.path === basePath || wanted.path.startsWith(`${basePath}/`),
  );
}

/** RFC 9112, section 3.2.2: the host of an absolute target replaces the Host header. */
function hostOf(target: string, header: string | undefined): string {
  const [, absolute] = target.startsWith('/') ? [] : (/^https?:\/\/([^/?#]*)/i.exec(target) ?? []);
  return withoutPort(absolute ?? header ?? '');
}

function withoutPort(host: string): string {
  return host
    .replace(/:\d*$/, '')
    .replace(/(?<=.)\.$/, '')
    .toLowerCase();
}
