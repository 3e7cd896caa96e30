import { ForgeError, type ForgeCredential, type GitCredential } from '../../ports/forge.ts';
import type { Authority } from './api.ts';

export function bearer(secret: string, scheme = 'Bearer'): GitCredential {
  return { authorization: `${scheme} ${secret}`, secret };
}

export function basic(username: string, secret: string): GitCredential {
  return { authorization: `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`, secret };
}

export function tokenAuthority(
  credential: ForgeCredential | null,
  asHeader: (token: string, username: string | undefined) => GitCredential = (token) => bearer(token),
): Authority {
  const header = credential === null ? null : asHeader(tokenOf(credential), usernameOf(credential));
  return { current: () => Promise.resolve(header) };
}

export function tokenOf(credential: ForgeCredential): string {
  if (credential.type === 'app') {
    throw new ForgeError('auth', 'Only GitHub supports App credentials.', { hint: 'Use an access token.' });
  }
  // A line break would inject headers.
  if (!/^[\x21-\x7e]+$/.test(credential.token)) {
    throw new ForgeError('auth', 'The token contains invalid characters.', { hint: 'Paste it again.' });
  }
  return credential.token;
}

export function usernameOf(credential: ForgeCredential): string | undefined {
  return credential.type === 'token' ? credential.username : undefined;
}
