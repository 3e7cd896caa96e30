/**
 * Sign-in with OpenID Connect. State, nonce and PKCE verifier travel in a sealed cookie, so that any process can
 * finish the sign-in.
 */
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { Configuration, CustomFetch } from 'openid-client';
import { z } from 'zod';
import { dashboardPath } from '@docyard/api';
import { alsoAllowing, policyFor } from '../egress/rules.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { guardedFetch } from '../egress/guarded-fetch.ts';
import { signInWithIdentity, type Identity } from '../users/identity.ts';
import { seal, unseal } from '../seal.ts';
import { callerAddress, originOf, rawTarget, type App, type Web } from './request.ts';
import { setSessionCookie, probeForSecureCookies } from './session-cookie.ts';

export const oidcStartPath = '/sign-in/oidc';
const oidcReturnPath = '/sign-in/oidc/return';
const cookieName = 'docyard-sign-in';
const maxSignInSeconds = 600;
const maxResponseBytes = 1_000_000;
const idleSeconds = 10;

type Oidc = NonNullable<Config['oidc']>;

const PendingSignIn = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  to: z.string(),
  endsAtMs: z.number(),
});
type PendingSignIn = z.infer<typeof PendingSignIn>;

export function addSignIn(app: App, context: Context): void {
  const { oidc } = context.config;
  if (oidc === null) return;
  const issuer = new Issuer(context, oidc);

  app.get(oidcStartPath, async (web) => {
    try {
      return web.redirect(await startSignIn(context, issuer, web), 303);
    } catch (error) {
      context.log.warn(reasonOf(error), 'the OpenID Connect issuer is unavailable');
      return backToLogin(web, 'issuer_unavailable');
    }
  });

  app.get(oidcReturnPath, async (web) => {
    const pending = pendingSignIn(context, web);
    deleteCookie(web, cookieName, { path: '/sign-in' });
    if (pending === undefined) return backToLogin(web, 'sign_in_expired');
    let identity: Identity;
    try {
      identity = await identify(issuer, pending, new URL(rawTarget(web), originOf(context, web)));
    } catch (error) {
      // Also when the user denies access at the issuer.
      context.log.warn(reasonOf(error), 'sign-in failed at the OpenID Connect issuer');
      context.measures.signInFailed('oidc');
      return backToLogin(web, 'sign_in_refused');
    }
    const from = { address: callerAddress(context, web), requestId: web.get('requestId') };
    const outcome = await signInWithIdentity(context, { identity, admission: oidc, from });
    if ('refused' in outcome) {
      context.measures.signInFailed('oidc');
      return backToLogin(web, outcome.refused);
    }
    setSessionCookie(context, web, outcome.token);
    return web.redirect(`/dashboard${pending.to}`, 303);
  });
}

/** The sign-in page has a message for each refusal. */
function backToLogin(web: Web, refusal: string): Response {
  return web.redirect(`/dashboard/login?refused=${refusal}`, 303);
}

async function startSignIn(context: Context, issuer: Issuer, web: Web): Promise<string> {
  const client = await import('openid-client');
  const pending: PendingSignIn = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
    to: dashboardPath(web.req.query('to')),
    endsAtMs: context.clock.now().getTime() + maxSignInSeconds * 1000,
  };
  probeForSecureCookies(context, web);
  const origin = originOf(context, web);
  const address = client.buildAuthorizationUrl(await issuer.configuration(), {
    redirect_uri: `${origin}${oidcReturnPath}`,
    scope: 'openid email profile',
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
  });
  setCookie(web, cookieName, seal(context.secrets, [cookieName], JSON.stringify(pending)), {
    path: '/sign-in',
    httpOnly: true,
    sameSite: 'Lax',
    secure: origin.startsWith('https:'),
    maxAge: maxSignInSeconds,
  });
  return address.href;
}

function pendingSignIn(context: Context, web: Web): PendingSignIn | undefined {
  try {
    const text = unseal(context.secrets, [cookieName], getCookie(web, cookieName) ?? '');
    const pending = PendingSignIn.parse(JSON.parse(text));
    return pending.endsAtMs > context.clock.now().getTime() ? pending : undefined;
  } catch {
    return undefined;
  }
}

async function identify(issuer: Issuer, pending: PendingSignIn, returned: URL): Promise<Identity> {
  const client = await import('openid-client');
  const configuration = await issuer.configuration();
  const tokens = await client.authorizationCodeGrant(configuration, returned, {
    pkceCodeVerifier: pending.verifier,
    expectedState: pending.state,
    expectedNonce: pending.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('The issuer returned no identity.');
  // Many issuers return the email only from the userinfo endpoint.
  const profile =
    typeof claims['email'] === 'string'
      ? claims
      : { ...claims, ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)) };
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: textOf(profile['email']),
    isEmailVerified: profile['email_verified'] === true,
    name: textOf(profile['name']),
  };
}

/** Not the error itself, which may contain the issuer's response. */
function reasonOf(error: unknown): { reason: string } {
  return { reason: error instanceof Error ? error.message : String(error) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The issuer's metadata, discovered on first use. */
class Issuer {
  readonly #context: Context;
  readonly #oidc: Oidc;
  #configuration: Promise<Configuration> | undefined;

  constructor(context: Context, oidc: Oidc) {
    this.#context = context;
    this.#oidc = oidc;
  }

  configuration(): Promise<Configuration> {
    this.#configuration ??= this.#discover().catch((error: unknown) => {
      this.#configuration = undefined;
      throw error;
    });
    return this.#configuration;
  }

  async #discover(): Promise<Configuration> {
    const client = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.#oidc;
    const address = new URL(issuer);
    const authentication = clientSecret === null ? client.None() : client.ClientSecretPost(clientSecret);
    return client.discovery(address, clientId, undefined, authentication, {
      [client.customFetch]: this.#fetch(address),
      // The operator configured the address.
      ...(address.protocol === 'http:' ? { execute: [client.allowInsecureRequests] } : {}),
    });
  }

  /** The operator configured the issuer, so its host may have a private address. */
  #fetch(issuer: URL): CustomFetch {
    const { egress } = this.#context.config;
    const policy = alsoAllowing(policyFor(egress, 'oidc'), issuer.href);
    const send = guardedFetch(policy, { bytes: maxResponseBytes, idleSeconds });
    return (url, { body, method, headers, signal }) =>
      send(url, {
        method,
        headers,
        body: body instanceof URLSearchParams ? body.toString() : (textOf(body) ?? null),
        ...(signal === undefined ? {} : { signal }),
      });
  }
}
