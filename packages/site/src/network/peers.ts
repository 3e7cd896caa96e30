/**
 * Hosts that whoever runs the program has named themselves: a database, a bucket, a collector, a Docyard server. They may be
 * at any address, over http too. Offline they must be this machine. What strangers name never comes here.
 */
import { BlockList, isIP } from 'node:net';

interface Offline {
  /** Only this machine may be reached. */
  offline?: boolean;
}

export class OfflineError extends Error {
  override name = 'OfflineError';
  readonly hint = 'Turn it off, or use what is on this machine.';

  constructor(host: string) {
    super(`OFFLINE is on: ${host} is not reached.`);
  }
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Undefined for every other name and address. A DNS query would leave the machine, so none is sent. */
export function addressesOfThisMachine(name: string): string[] | undefined {
  if (name === 'localhost') return ['127.0.0.1', '::1'];
  return isIP(name) > 0 && loopback.check(name, isIP(name) === 4 ? 'ipv4' : 'ipv6') ? [name] : undefined;
}

export function isThisMachine(name: string): boolean {
  return addressesOfThisMachine(name.toLowerCase().replaceAll(/^\[|\]$/g, '')) !== undefined;
}

/** The `fetch` that everybody knows, which offline goes no further than this machine: no redirect leads it away. */
export function peerFetch({ offline }: Offline): typeof fetch {
  if (!offline) return fetch;
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!isThisMachine(url.hostname)) throw new OfflineError(url.hostname.replaceAll(/^\[|\]$/g, ''));
    return fetch(input, { ...init, redirect: init.redirect === 'manual' ? 'manual' : 'error' });
  };
}

/**
 * Throws when the address of a database, bucket, collector or the like is on another machine. Libraries of their own connect
 * to these, so it is the address that is judged, before they are loaded.
 */
export function refuseDistantPeer(address: string, { offline }: Offline, defaultHost = 'localhost'): void {
  const host = peerHost(address, defaultHost);
  if (!offline || host === undefined || isThisMachine(host)) return;
  throw new OfflineError(host);
}

/** Undefined for a file and for a socket in the file system. */
function peerHost(address: string, defaultHost: string): string | undefined {
  const url = new URL(address);
  if (url.protocol === 'file:') return undefined;
  if (url.protocol === 's3:') {
    const endpoint = url.searchParams.get('endpoint');
    return endpoint === null ? 's3.amazonaws.com' : new URL(endpoint).hostname;
  }
  // Where PostgreSQL's own libraries look for it, in this order.
  const host = url.searchParams.get('host') ?? (url.hostname || defaultHost);
  return host.startsWith('/') ? undefined : host;
}

/** One that looks for credentials by itself would ask the metadata service of a cloud. */
export function keepLibrariesHome({ offline }: Offline): void {
  if (offline) process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
}
