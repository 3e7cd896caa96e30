/** Creates the gate of a site from its settings. */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { fileErrorReason } from '../disk/file-error.ts';
import { ConfigError } from '../errors.ts';
import type { AccessSettings } from './access-settings.ts';
import { AccessGate } from './access-gate.ts';
import { JwtSignIn } from './jwt-sign-in.ts';
import { OidcSignIn } from './oidc-sign-in.ts';
import { PasswordSignIn } from './password-sign-in.ts';
import { ProxySignIn } from './proxy-sign-in.ts';
import type { SignIn } from './sign-in.ts';
import { CookieSigner } from './signed-cookies.ts';

interface GateParts {
  /** Null for the only site. */
  siteName: string | null;
  dataDir: string;
  offline: boolean;
  log: Logger;
}

const minKeyCharacters = 32;

export function openGate(settings: AccessSettings, parts: GateParts): AccessGate {
  const { url, sessionHours, sessionKeyFile, trustedProxies, isSignInOptional } = settings;
  const key = sessionKeyFile === null ? keyIn(parts.dataDir) : keyOf(sessionKeyFile);
  return new AccessGate({
    signIn: signInOf(settings, parts),
    cookies: new CookieSigner(key, parts.siteName ?? ''),
    sessionHours,
    url,
    trustedProxies,
    isSignInOptional,
    siteName: parts.siteName ?? 'Documentation',
  });
}

function signInOf({ how, trustedProxies }: AccessSettings, { offline, log }: GateParts): SignIn {
  switch (how.mode) {
    case 'password':
      return new PasswordSignIn(how.passwords);
    case 'oidc':
      return new OidcSignIn({ ...how, offline }, (reason) => log.warn(reason));
    case 'jwt':
      return new JwtSignIn(how);
    case 'header':
      return new ProxySignIn({ ...how, trustedProxies });
  }
}

function keyOf(file: string): Buffer {
  try {
    const text = readFileSync(file, 'utf8').trim();
    if (text.length >= minKeyCharacters) return Buffer.from(text);
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${fileErrorReason(error)}.`, { cause: error });
  }
  throw new ConfigError(
    `${file} must contain at least ${minKeyCharacters} characters that cannot be guessed.`,
  );
}

/** Two servers that start together agree on the file of the first. */
function keyIn(dataDir: string): Buffer {
  const file = join(dataDir, 'session-key');
  try {
    writeFileSync(file, `${randomBytes(48).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return keyOf(file);
}
