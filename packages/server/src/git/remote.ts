/**
 * A repository that git may talk to: its address, the one protocol, the IP addresses that were checked, and what proves
 * who we are.
 */
import { hostName, type EgressPolicy } from '../egress/addresses.ts';
import type { GitCredential } from '../ports/forge.ts';
import { SourceError } from '../ports/sources.ts';
import { resolveHost, type Address } from './address.ts';

export interface Remote {
  url: string;
  protocol: 'file' | 'http' | 'https';
  /** `host:port:addresses`, so that git dials what was checked and no name is looked up twice. */
  resolve: string[];
  /** Sent to this address only, never to a host it redirects to. */
  credential: GitCredential | null;
}

/** Throws a SourceError when the address may not be reached. */
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
  return { url: url.href, protocol, resolve, credential: credential === null ? null : checked(credential) };
}

/** A line break would add headers of its own. */
function checked(credential: GitCredential): GitCredential {
  if (/^[\u0020-\u007e]+$/.test(credential.authorization)) return credential;
  throw new SourceError(
    'source_refused',
    'The credential of the repository holds a character that cannot be sent.',
    'Set the credential again, without line breaks.',
  );
}
