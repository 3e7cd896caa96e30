/** A remote repository: its URL, protocol, checked IP addresses and credential. */
import { hostName, type EgressPolicy } from '../egress/addresses.ts';
import type { GitCredential } from '../ports/forge.ts';
import { SourceError } from '../ports/sources.ts';
import { resolveHost, type Address } from './address.ts';

export interface Remote {
  url: string;
  protocol: 'file' | 'http' | 'https';
  /** `host:port:addresses`: git connects to the checked addresses without another DNS lookup. */
  resolve: string[];
  /** Sent only to this URL, never to a redirect target. */
  credential: GitCredential | null;
}

export async function openRemote(
  address: Exclude<Address, { kind: 'folder' }>,
  policy: EgressPolicy,
  credential: GitCredential | null,
): Promise<Remote> {
  if (address.kind === 'local-git') {
    return { url: `file://${encodeURI(address.path)}`, protocol: 'file', resolve: [], credential: null };
  }
  const { url } = address;
  const protocol = url.protocol === 'https:' ? 'https' : 'http';
  const port = url.port || (protocol === 'https' ? '443' : '80');
  const addresses = await resolveHost(url, policy);
  const host = hostName(url);
  const resolve = addresses.includes(host) ? [] : [`${host}:${port}:${addresses.join(',')}`];
  return {
    url: url.href,
    protocol,
    resolve,
    credential: credential === null ? null : checkCredential(credential),
  };
}

/** A line break would inject headers. */
function checkCredential(credential: GitCredential): GitCredential {
  if (/^[\u0020-\u007e]+$/.test(credential.authorization)) return credential;
  throw new SourceError(
    'source_refused',
    'The credential of the repository contains a character that cannot be sent.',
    'Set the credential again, without line breaks.',
  );
}
