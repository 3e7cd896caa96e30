/** Readers that another application of the operator has signed in: it links to this site with a signed token, or sets a cookie. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createLocalJWKSet, type JWTVerifyOptions, jwtVerify, type JSONWebKeySet } from 'jose';
import { ConfigError } from '../errors.ts';
import type { Reader } from '../serving/gate.ts';
import { claimIn, groupsIn } from './reader.ts';
import { type Outcome, problemPage, type SignIn, type SignInStep } from './sign-in.ts';
import { cookieValues } from './signed-cookies.ts';

export interface JwtSettings {
  key: TokenKey;
  issuer: string | null;
  /** Compared with `aud`, so that a token for another site is not valid here. */
  audience: string;
  groupsClaim: string;
  /** Null without a cookie. */
  cookie: string | null;
  /** Where readers sign in; `to` is added. */
  signInUrl: string | null;
}

type Key = KeyObject | Uint8Array | ReturnType<typeof createLocalJWKSet>;

/** A key with the algorithms that it may be used with. */
export interface TokenKey {
  key: Key;
  algorithms: readonly string[];
}

const clockToleranceSeconds = 30;
const minSecretBytes = 32;
const maxTokenCharacters = 8192;
const maxRecognized = 10_000;
const ofPublicKeys: Readonly<Record<string, readonly string[]>> = {
  rsa: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ec: ['ES256', 'ES384', 'ES512'],
  ed25519: ['EdDSA', 'Ed25519'],
};

/** A public key in PEM, a set of JSON Web Keys, or a shared secret. The kind of key decides on the algorithms. */
export function parseTokenKey(text: string, place: string): TokenKey {
  const content = text.trim();
  if (content.startsWith('{'))
    return { key: keySetOf(content, place), algorithms: Object.values(ofPublicKeys).flat() };
  if (content.startsWith('-----BEGIN')) return publicKeyOf(content, place);
  const secret = Buffer.from(content);
  if (secret.length < minSecretBytes)
    throw new ConfigError(
      `${place} holds a secret of ${secret.length} bytes. Use at least ${minSecretBytes}, for example: openssl rand -base64 48`,
    );
  return { key: secret, algorithms: ['HS256', 'HS384', 'HS512'] };
}

function keySetOf(content: string, place: string): ReturnType<typeof createLocalJWKSet> {
  try {
    const keys = JSON.parse(content) as JSONWebKeySet;
    if (keys.keys.some(({ kty }) => kty === 'oct')) throw new Error('it contains a secret key');
    return createLocalJWKSet(keys);
  } catch (error) {
    throw new ConfigError(`${place} is not a set of public JSON Web Keys: ${(error as Error).message}.`);
  }
}

function publicKeyOf(content: string, place: string): TokenKey {
  if (content.includes('PRIVATE KEY'))
    throw new ConfigError(`${place} holds a private key. Put the public key there.`);
  try {
    const key = createPublicKey(content);
    const algorithms = ofPublicKeys[key.asymmetricKeyType ?? ''];
    if (algorithms !== undefined) return { key, algorithms };
  } catch {
    throw new ConfigError(`${place} is not a public key in PEM.`);
  }
  throw new ConfigError(`${place} has an unsupported kind of key. Use RSA, EC or Ed25519.`);
}

export class JwtSignIn implements SignIn {
  readonly #settings: JwtSettings;
  /** Readers of valid cookies, because each page and its files need the same check. */
  readonly #recognized = new Map<string, { reader: Reader; endsAtMs: number }>();

  constructor(settings: JwtSettings) {
    this.#settings = settings;
  }

  async begin({ to, addressOf }: SignInStep): Promise<Outcome> {
    const { signInUrl } = this.#settings;
    if (signInUrl === null) {
      const message = 'This site is private. Open it with a link from the application that you use it with.';
      return { page: { title: 'Sign in', message }, status: 401 };
    }
    const address = new URL(signInUrl);
    address.searchParams.set('to', new URL(to, addressOf('sign-in')).href);
    return { redirect: address.href };
  }

  /** A link: `callback?token=…&to=/path`. */
  async complete({ query, to, addressOf }: SignInStep): Promise<Outcome> {
    const verified = await this.#verify(query.get('token') ?? '');
    if (verified !== undefined) return { reader: verified.reader, to };
    return { page: problemPage('This link is not valid or has ended.', addressOf('sign-in')), status: 403 };
  }

  /** A cookie of the application, or a token of a client without cookies. */
  async recognize({ headers }: IncomingMessage): Promise<Reader | undefined> {
    const { cookie } = this.#settings;
    const [, bearer = ''] = /^Bearer +([\w.~+/=-]+)$/i.exec(headers.authorization ?? '') ?? [];
    for (const token of [bearer, ...(cookie === null ? [] : cookieValues(headers.cookie, cookie))]) {
      const known = this.#recognized.get(token);
      if (known !== undefined && known.endsAtMs > Date.now()) return known.reader;
      const verified = await this.#verify(token);
      if (verified === undefined) continue;
      if (this.#recognized.size >= maxRecognized) this.#recognized.clear();
      this.#recognized.set(token, verified);
      return verified.reader;
    }
    return undefined;
  }

  async #verify(token: string): Promise<{ reader: Reader; endsAtMs: number } | undefined> {
    if (token === '' || token.length > maxTokenCharacters) return undefined;
    const { key, issuer, audience, groupsClaim } = this.#settings;
    const options: JWTVerifyOptions = {
      algorithms: [...key.algorithms],
      audience,
      ...(issuer === null ? {} : { issuer }),
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['exp'],
    };
    try {
      const { payload } =
        typeof key.key === 'function'
          ? await jwtVerify(token, key.key, options)
          : await jwtVerify(token, key.key, options);
      const name = [payload['name'], payload['email'], payload.sub].find((each) => typeof each === 'string');
      return {
        reader: {
          name: name ?? null,
          groups: groupsIn(claimIn(payload, groupsClaim)),
        },
        endsAtMs: (payload.exp ?? 0) * 1000,
      };
    } catch {
      return undefined;
    }
  }
}
