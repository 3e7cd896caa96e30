import { setTimeout as wait } from 'node:timers/promises';
import { EgressError } from '../../egress/addresses.ts';
import type { PolicyFor, Tenant } from '../../egress/rules.ts';
import { type OutboundAnswer, sendRequest } from '../../egress/request.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  ForgeError,
  type Forge,
  type ForgeKind,
  type Forges,
  type ForgeSettings,
} from '../../ports/forge.ts';
import { defaultLimits, type Connection } from './api.ts';
import { bareForge } from './bare.ts';
import { bitbucketDataCenterForge } from './bitbucket-data-center.ts';
import { bitbucketForge } from './bitbucket.ts';
import { giteaForge } from './gitea.ts';
import type { AppTokens } from './github-app.ts';
import { githubForge } from './github.ts';
import { knownForge } from '../../git/forge-hosts.ts';
import { gitlabForge } from './gitlab.ts';

type Open = (connection: Connection, settings: ForgeSettings, tokens: AppTokens) => Forge;

const table: Record<ForgeKind, Open> = {
  github: githubForge,
  gitlab: gitlabForge,
  gitea: giteaForge,
  bitbucket: bitbucketForge,
  'bitbucket-data-center': bitbucketDataCenterForge,
  bare: (_, settings) => bareForge(settings),
};

interface Probe {
  kind: ForgeKind;
  path: string;
  matches(answer: OutboundAnswer, text: string): boolean;
}

/** Tried in this order, without a credential. A private installation answers 401, which also identifies it. */
const probes: Probe[] = [
  {
    kind: 'gitea',
    path: '/api/v1/version',
    matches: ({ status }, text) =>
      (status === 200 && /^\s*\{"version":"/.test(text)) || isGiteaRefusal(status, text),
  },
  {
    kind: 'gitlab',
    path: '/api/v4/version',
    matches: ({ status, headers }, text) =>
      headers.has('x-gitlab-meta') || (status === 401 && /"401 Unauthorized"/.test(text)),
  },
  {
    kind: 'github',
    path: '/api/v3/meta',
    matches: ({ headers }) => headers.has('x-github-request-id') || headers.has('x-github-media-type'),
  },
  {
    kind: 'bitbucket-data-center',
    path: '/rest/api/1.0/application-properties',
    matches: ({ status }, text) => status === 200 && /"displayName"\s*:\s*"Bitbucket"/.test(text),
  },
];

/** Sent by proxies when the forge is down, so they identify nothing. */
const outageStatuses = new Set([429, 502, 503, 504]);

export class HttpForges implements Forges {
  readonly #policyFor: PolicyFor;
  readonly #connection: Omit<Connection, 'policy'>;
  readonly #tokens: AppTokens = new Map();

  constructor(policyFor: PolicyFor, clock: Clock, more: Partial<Connection> = {}) {
    this.#policyFor = policyFor;
    this.#connection = { clock, pause, limits: defaultLimits, ...more };
  }

  open(settings: ForgeSettings): Forge {
    const policy = this.#policyFor('forge', settings.tenant);
    return table[settings.kind]({ ...this.#connection, policy }, settings, this.#tokens);
  }

  async detect(repository: string, signal: AbortSignal, tenant?: Tenant): Promise<ForgeKind> {
    const url = URL.canParse(repository) ? new URL(repository) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) return 'bare';
    const known = knownForge(url.host);
    if (known !== undefined) return known;
    let isInconclusive = false;
    for (const probe of probes) {
      const answer = await this.#ask(new URL(probe.path, url), signal, tenant);
      if (answer !== undefined && probe.matches(answer, new TextDecoder().decode(answer.body)))
        return probe.kind;
      isInconclusive ||= answer === undefined || outageStatuses.has(answer.status);
    }
    if (!isInconclusive) return 'bare';
    throw new ForgeError('unavailable', `Cannot detect the forge at ${url.host}.`, {
      hint: 'Try again, or set the kind of the forge in the settings of the project.',
    });
  }

  /** Uses the policy for sources, because the host is that of the repository. */
  async #ask(url: URL, signal: AbortSignal, tenant: Tenant | undefined): Promise<OutboundAnswer | undefined> {
    const request = { url, method: 'GET', headers: { accept: 'application/json' } };
    const limits = { bytes: 200_000, seconds: 5 };
    try {
      return await sendRequest(request, this.#policyFor('source', tenant), { signal, limits });
    } catch (error) {
      if (error instanceof EgressError) return undefined;
      throw error;
    }
  }
}

/** REQUIRE_SIGNIN_VIEW hides even the version. */
function isGiteaRefusal(status: number, text: string): boolean {
  return (status === 401 || status === 403) && text.includes('/api/swagger"');
}

async function pause(seconds: number, signal: AbortSignal): Promise<void> {
  await wait(seconds * 1000, undefined, { signal });
}
