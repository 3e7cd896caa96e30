/**
 * Hosts that the operator configures, such as a database, a bucket or a Docyard server. They may have any
 * address and use http; offline they must be this machine. Addresses from other users never come here.
 */
import { BlockList, isIP } from 'node:net';

interface Offline {
  /** Only this machine may be reached. */
  offline?: boolean;
}

export class OfflineError extends Error {
  override name = 'OfflineError';
  readonly hint = 'Turn it off, or use a service on this machine.';

  constructor(host: string) {
    super(`OFFLINE is on: ${host} is not contacted.`);
  }
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Undefined for other names and addresses. Sends no DNS query, which would leave the machine. */
export function addressesOfThisMachine(name: string): string[] | undefined {
  if (name === 'localhost') return ['127.0.0.1', '::1'];
  return isIP(name) > 0 && loopback.check(name, isIP(name) === 4 ? 'ipv4' : 'ipv6') ? [name] : undefined;
}

export function isThisMachine(name: string): boolean {
  return addressesOfThisMachine(name.toLowerCase().replaceAll(/^\[|\]$/g, '')) !== undefined;
}

/** A `fetch` that offline reaches only this machine and follows no redirects. */
export function peerFetch({ offline }: Offline): typeof fetch {
  if (!offline) return fetch;
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!isThisMachine(url.hostname)) throw new OfflineError(url.hostname.replaceAll(/^\[|\]$/g, ''));
    return fetch(input, { ...init, redirect: init.redirect === 'manual' ? 'manual' : 'error' });
  };
}

/**
 * Throws for an address on another machine. Libraries open these connections themselves, so the address is
 * checked before they are loaded.
 */
export function refuseDistantPeer(address: string, { offline }: Offline, defaultHost = 'localhost'): void {
  const host = peerHost(address, defaultHost);
  if (!offline || host === undefined || isThisMachine(host)) return;
  throw new OfflineError(host);
}

/** Undefined for files and Unix sockets. */
function peerHost(address: string, defaultHost: string): string | undefined {
  const url = new URL(address);
  if (url.protocol === 'file:') return undefined;
  if (url.protocol === 's3:') {
    const endpoint = url.searchParams.get('endpoint');
    return endpoint === null ? 's3.amazonaws.com' : new URL(endpoint).hostname;
  }
  // The order in which libpq looks for the host.
  const host = url.searchParams.get('host') ?? (url.hostname || defaultHost);
  return host.startsWith('/') ? undefined : host;
}

/** The AWS SDK would query the metadata service of a cloud for credentials. */
export function disableMetadataService({ offline }: Offline): void {
  if (offline) process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
}
