/**
 * Decides which IP addresses may be dialed for a host. Private and special ranges are refused unless the
 * operator lists the host, which prevents SSRF into the internal network.
 */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { addressesOfThisMachine, OfflineError } from '@docyard/site/network';
import type { EgressPurpose } from './rules.ts';

export interface EgressPolicy {
  /** Names, or `name:port`, that may resolve to private addresses and use plain http. */
  allowedHosts: readonly string[];
  /** Only this machine may be reached, and of it only listed hosts. */
  offline?: boolean;
  /** Named in the hint for the operator. */
  purpose?: EgressPurpose;
  /** Defaults to the system resolver. */
  lookup?: (name: string) => Promise<string[]>;
}

export type EgressProblem = 'refused' | 'offline' | 'unavailable' | 'too_large';

export class EgressError extends Error {
  readonly problem: EgressProblem;
  readonly hint: string | undefined;
  /** Whether another request to the same host may succeed. */
  readonly hasAnswered: boolean = true;

  constructor(problem: EgressProblem, message: string, hint?: string) {
    super(message);
    this.name = 'EgressError';
    this.problem = problem;
    this.hint = hint;
  }
}

/** The host does not respond. */
export class UnreachableError extends EgressError {
  override readonly hasAnswered = false;

  constructor(message: string) {
    super('unavailable', message);
    this.name = 'UnreachableError';
  }
}

/** Every address of the name must be public, otherwise none is used. */
export async function addressesFor(url: URL, policy: EgressPolicy): Promise<string[]> {
  const name = hostName(url);
  const listed = policy.allowedHosts.includes(url.host) || policy.allowedHosts.includes(name);
  const local = addressesOfThisMachine(name);
  if (policy.offline && !(local && listed)) throw offlineError(name);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && listed)) {
    throw new EgressError(
      'refused',
      url.protocol === 'http:' ? 'Plain http is not allowed.' : `The scheme ${url.protocol} is not allowed.`,
      `Use https://, or ask the operator to add ${entryFor(url, policy)} to EGRESS_ALLOW.`,
    );
  }
  const known = policy.offline ? local : isIP(name) > 0 ? [name] : undefined;
  const addresses = known ?? (await resolved(name, policy));
  if (!listed && addresses.some(isSpecial)) {
    throw new EgressError(
      'refused',
      `The host ${name} is at a private address.`,
      `If this is intended, the operator can add ${entryFor(url, policy)} to EGRESS_ALLOW.`,
    );
  }
  return addresses;
}

function entryFor(url: URL, { purpose }: EgressPolicy): string {
  return purpose === undefined ? url.host : `${purpose}:${url.host}`;
}

function offlineError(name: string): EgressError {
  const { message, hint } = new OfflineError(name);
  return new EgressError('offline', message, hint);
}

/** Without the brackets of an IPv6 address. */
export function hostName(url: URL): string {
  return url.hostname.replaceAll(/^\[|\]$/g, '');
}

async function resolved(name: string, policy: EgressPolicy): Promise<string[]> {
  const ask = policy.lookup ?? systemLookup;
  const found = await ask(name).catch(() => []);
  if (found.length === 0) throw new UnreachableError(`The host ${name} cannot be found.`);
  return found;
}

async function systemLookup(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

const special = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  special.addSubnet(network, bits, 'ipv4');
}
for (const [network, bits] of [
  ['::', 96],
  // IPv4-translated addresses (RFC 2765).
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  special.addSubnet(network, bits, 'ipv6');
}

export function isSpecial(address: string): boolean {
  return special.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
