/**
 * Egress rules of the operator beyond public hosts over https: hosts by purpose, optionally limited to one
 * organization or project.
 */
import type { EgressPolicy } from './addresses.ts';

export const egressPurposes = [
  'source',
  'forge',
  'model',
  'webhook',
  'spec',
  'picture',
  'font',
  'oidc',
] as const;
export type EgressPurpose = (typeof egressPurposes)[number];

/** The organization or project on whose behalf a host is reached. */
export interface Tenant {
  organizationId: string;
  projectId: string | null;
}

export interface EgressRule {
  /** A name, or `name:port`, as in a URL. */
  host: string;
  /** Null allows every purpose. */
  purposes: readonly EgressPurpose[] | null;
  /** The id of an organization or project; null for all. */
  owner: string | null;
}

export interface EgressRules {
  rules: readonly EgressRule[];
  offline: boolean;
}

export type PolicyFor = (purpose: EgressPurpose, tenant?: Tenant) => EgressPolicy;

export function policyFor(
  { rules, offline }: EgressRules,
  purpose: EgressPurpose,
  tenant?: Tenant,
): EgressPolicy {
  const owners = new Set([null, tenant?.organizationId ?? null, tenant?.projectId ?? null]);
  const allowed = rules.filter(
    (rule) => owners.has(rule.owner) && (rule.purposes === null || rule.purposes.includes(purpose)),
  );
  return { allowedHosts: allowed.map(({ host }) => host), offline, purpose };
}

/** For a host of another setting, such as `MODEL_URL`. */
export function alsoAllowing(policy: EgressPolicy, address: string): EgressPolicy {
  return { ...policy, allowedHosts: [...policy.allowedHosts, new URL(address).host] };
}

/** Throws an Error with a message for the operator. */
export function parseEgressRules(text: string): EgressRule[] {
  return text.split(',').flatMap((entry) => {
    const trimmed = entry.trim();
    return trimmed === '' ? [] : [parseRule(trimmed)];
  });
}

function parseRule(entry: string): EgressRule {
  const at = entry.lastIndexOf('@');
  const owner = at < 0 ? null : entry.slice(at + 1);
  if (owner !== null && !/^(?:org|pr)_\w+$/.test(owner))
    throw new Error(`${entry}: the part behind @ must be the id of an organization or a project`);
  const address = (at < 0 ? entry : entry.slice(0, at)).toLowerCase();
  const colon = address.indexOf(':');
  const [first, rest] = [address.slice(0, colon), address.slice(colon + 1)];
  // A number after the colon is a port; a leading colon or bracket is an IPv6 address.
  const hasPurpose = colon > 0 && !/^\d*$/.test(rest) && /^[a-z+]+$/.test(first);
  if (!hasPurpose) return { host: hostIn(entry, address), purposes: null, owner };
  const purposes = first.split('+').map((name) => {
    const known = egressPurposes.find((purpose) => purpose === name);
    if (known === undefined)
      throw new Error(`${entry}: ${name} is not a purpose; use ${egressPurposes.join(', ')}`);
    return known;
  });
  return { host: hostIn(entry, rest), purposes, owner };
}

function hostIn(entry: string, host: string): string {
  const isUsable = !/[\s/@?#*]/.test(host) && URL.canParse(`http://${isBareIpv6(host) ? `[${host}]` : host}`);
  if (!isUsable) throw new Error(`${entry}: ${host} is not a host name, an address or host:port`);
  return host;
}

function isBareIpv6(host: string): boolean {
  return !host.startsWith('[') && host.split(':').length > 2;
}

/** A recommendation about entries without a purpose, if any. */
export function adviceAbout({ rules }: EgressRules): string | undefined {
  const hosts = rules.filter(({ purposes }) => purposes === null).map(({ host }) => host);
  if (hosts.length === 0) return undefined;
  const [host = ''] = hosts;
  return `EGRESS_ALLOW: ${hosts.join(', ')} without a purpose may be reached for every purpose. Write for example source+forge:${host}. The next release refuses entries without a purpose.`;
}
