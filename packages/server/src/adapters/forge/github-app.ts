/**
 * Exchanges the key of a GitHub App for installation tokens of one repository. Tokens are kept only in memory.
 */
import { createHash, createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { ForgeError, type ForgeCredential, type GitCredential } from '../../ports/forge.ts';
import { connectApi, type Api, type ApiOptions, type Authority, type Connection } from './api.ts';
import { encodedPath } from './repository.ts';

export type AppCredential = Extract<ForgeCredential, { type: 'app' }>;
export interface AppToken {
  token: string;
  expiresAt: number;
}
/** Shared by all forges, so that a job requests one token. */
export type AppTokens = Map<string, AppToken>;

/** A clone or push must not outlive its token. */
const renewBeforeMinutes = 5;
/** GitHub accepts at most ten minutes; clocks differ. */
const jwtMinutes = 9;
const clockSkewSeconds = 60;

export interface AppAccess {
  connection: Connection;
  options: Omit<ApiOptions, 'authority'>;
  repository: { owner: string; name: string };
  app: AppCredential;
  tokens: AppTokens;
}

type Permissions = Readonly<Record<string, 'read' | 'write'>>;

/** The installation may lack permissions for anything else, and then GitHub refuses the whole token. */
const pullRequestPermissions: Permissions = { contents: 'write', pull_requests: 'write' };

/** Calls as the App itself, which can read only the App and its installations. */
export function appApi({ connection, options, app }: Omit<AppAccess, 'repository' | 'tokens'>): Api {
  const key = readKey(app.privateKey);
  const current = () => Promise.resolve(createJwt(key, app.appId, connection.clock.now()));
  return connectApi(connection, { ...options, authority: { current } });
}

export function appAuthority(access: AppAccess, permissions = pullRequestPermissions): Authority {
  const { connection, options, repository, app, tokens } = access;
  const id = cacheId(options.base, { ...repository, app, permissions });
  const asApp = appApi(access);
  const token = async (signal: AbortSignal): Promise<string> => {
    const known = tokens.get(id);
    const minExpiresAt = connection.clock.now().getTime() + renewBeforeMinutes * 60_000;
    if (known !== undefined && known.expiresAt > minExpiresAt) return known.token;
    const fresh = await requestToken(asApp, { ...repository, app, permissions }, signal);
    removeExpired(tokens, connection.clock.now().getTime());
    tokens.set(id, fresh);
    return fresh.token;
  };
  return {
    current: async (signal) => {
      const secret = await token(signal);
      return { authorization: `Bearer ${secret}`, secret };
    },
    renew: () => tokens.delete(id),
  };
}

function removeExpired(tokens: AppTokens, now: number): void {
  for (const [id, { expiresAt }] of tokens) if (expiresAt <= now) tokens.delete(id);
}

interface TokenRequest {
  owner: string;
  name: string;
  app: AppCredential;
  permissions: Permissions;
}

/** Includes the private key, so that a caller with another key never gets the cached token. */
function cacheId(base: URL, { owner, name, app, permissions }: TokenRequest): string {
  const parts = [base.href, owner, name, app.appId, app.installationId ?? '', app.privateKey, permissions];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function readKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // The parser's message may contain parts of the key.
  }
  throw new ForgeError('auth', 'The private key of the GitHub App cannot be read.', {
    hint: 'Paste the whole PEM file from GitHub.',
  });
}

function createJwt(key: KeyObject, appId: string, now: Date): GitCredential {
  const seconds = Math.floor(now.getTime() / 1000);
  const claims = { iat: seconds - clockSkewSeconds, exp: seconds + jwtMinutes * 60, iss: appId };
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  const secret = `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`;
  return { authorization: `Bearer ${secret}`, secret };
}

async function requestToken(
  api: Api,
  { owner, name, app, permissions }: TokenRequest,
  signal: AbortSignal,
): Promise<AppToken> {
  const installationId = app.installationId ?? (await findInstallation(api, owner, name, signal));
  const { token, expires_at: expiresAt } = await api.post({
    path: `/app/installations${encodedPath(installationId)}/access_tokens`,
    body: { repositories: [name], permissions },
    answer: z.object({ token: z.string().min(1), expires_at: z.string() }),
    isRepeatable: true,
    signal,
  });
  const time = Date.parse(expiresAt);
  return { token, expiresAt: Number.isNaN(time) ? 0 : time };
}

async function findInstallation(api: Api, owner: string, name: string, signal: AbortSignal): Promise<string> {
  const path = `/repos${encodedPath(owner, name)}/installation`;
  const { id } = await api.get({ path, answer: z.object({ id: z.int() }), signal });
  return String(id);
}
