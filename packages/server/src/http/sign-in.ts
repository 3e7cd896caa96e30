/**
 * Signing in with OpenID Connect: the browser is sent to the issuer and comes back with a code. What must be the same on
 * both ways travels in a sealed cookie for ten minutes, so that any process can finish what another began.
 */
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { Configuration, CustomFetch } from 'openid-client';
import { z } from 'zod';
import { placeInDashboard } from '@docyard/api';
import { alsoAllowing, policyFor } from '../egress/rules.ts';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { guardedFetch } from '../egress/guarded-fetch.ts';
import { signInWithIdentity, type Identity } from '../people/identity.ts';
import { seal, unseal } from '../seal.ts';
import { callerAddress, originOf, rawTarget, type App, type Web } from './request.ts';
import { giveSession, probeForSecureCookies } from './session-cookie.ts';

export const oidcStart = '/sign-in/oidc';
const oidcReturn = '/sign-in/oidc/return';
const cookieName = 'docyard-sign-in';
const journeySeconds = 600;
const answerBytes = 1_000_000;
const idleSeconds = 10;

type Oidc = NonNullable<Config['oidc']>;

const Journey = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  to: z.string(),
  endsAtMs: z.number(),
});
type Journey = z.infer<typeof Journey>;

export function addSignIn(app: App, context: Context): void {
  const { oidc } = context.config;
  if (oidc === null) return;
  const issuer = new Issuer(context, oidc);

  app.get(oidcStart, async (web) => {
    try {
      return web.redirect(await leave(context, issuer, web), 303);
    } catch (error) {
      context.log.warn(reasonOf(error), 'the OpenID Connect issuer cannot be used');
      return backToLogin(web, 'issuer_unavailable');
    }
  });

  app.get(oidcReturn, async (web) => {
    const journey = journeyOf(context, web);
    deleteCookie(web, cookieName, { path: '/sign-in' });
    if (journey === undefined) return backToLogin(web, 'sign_in_expired');
    let identity: Identity;
    try {
      identity = await identify(issuer, journey, new URL(rawTarget(web), originOf(context, web)));
    } catch (error) {
      // Also when the person has said no at the issuer.
      context.log.warn(
        reasonOf(error),
        'somebody came back from the OpenID Connect issuer without an identity',
      );
      context.measures.signInFailed('oidc');
      return backToLogin(web, 'sign_in_refused');
    }
    const from = { address: callerAddress(context, web), requestId: web.get('requestId') };
    const ended = await signInWithIdentity(context, { identity, admission: oidc, from });
    if ('refused' in ended) {
      context.measures.signInFailed('oidc');
      return backToLogin(web, ended.refused);
    }
    giveSession(context, web, ended.token);
    return web.redirect(`/dashboard${journey.to}`, 303);
  });
}

/** The sign-in page has a sentence for each of these words. */
function backToLogin(web: Web, refusal: string): Response {
  return web.redirect(`/dashboard/login?refused=${refusal}`, 303);
}

async function leave(context: Context, issuer: Issuer, web: Web): Promise<string> {
  const client = await import('openid-client');
  const journey: Journey = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
    to: placeInDashboard(web.req.query('to')),
    endsAtMs: context.clock.now().getTime() + journeySeconds * 1000,
  };
  probeForSecureCookies(context, web);
  const origin = originOf(context, web);
  const address = client.buildAuthorizationUrl(await issuer.configuration(), {
    redirect_uri: `${origin}${oidcReturn}`,
    scope: 'openid email profile',
    state: journey.state,
    nonce: journey.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(journey.verifier),
    code_challenge_method: 'S256',
  });
  setCookie(web, cookieName, seal(context.secrets, [cookieName], JSON.stringify(journey)), {
    path: '/sign-in',
    httpOnly: true,
    sameSite: 'Lax',
    secure: origin.startsWith('https:'),
    maxAge: journeySeconds,
  });
  return address.href;
}

function journeyOf(context: Context, web: Web): Journey | undefined {
  try {
    const text = unseal(context.secrets, [cookieName], getCookie(web, cookieName) ?? '');
    const journey = Journey.parse(JSON.parse(text));
    return journey.endsAtMs > context.clock.now().getTime() ? journey : undefined;
  } catch {
    return undefined;
  }
}

async function identify(issuer: Issuer, journey: Journey, returned: URL): Promise<Identity> {
  const client = await import('openid-client');
  const configuration = await issuer.configuration();
  const tokens = await client.authorizationCodeGrant(configuration, returned, {
    pkceCodeVerifier: journey.verifier,
    expectedState: journey.state,
    expectedNonce: journey.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('The issuer gave no identity.');
  // Many issuers tell the email only when they are asked.
  const told =
    typeof claims['email'] === 'string'
      ? claims
      : { ...claims, ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)) };
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: textOf(told['email']),
    isEmailVerified: told['email_verified'] === true,
    name: textOf(told['name']),
  };
}

/** Not the error itself: what the issuer sent hangs on some of them. */
function reasonOf(error: unknown): { reason: string } {
  return { reason: error instanceof Error ? error.message : String(error) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** What the issuer says about itself, asked for when it is first needed. */
class Issuer {
  readonly #context: Context;
  readonly #oidc: Oidc;
  #found: Promise<Configuration> | undefined;

  constructor(context: Context, oidc: Oidc) {
    this.#context = context;
    this.#oidc = oidc;
  }

  configuration(): Promise<Configuration> {
    this.#found ??= this.#discover().catch((error: unknown) => {
      this.#found = undefined;
      throw error;
    });
    return this.#found;
  }

  async #discover(): Promise<Configuration> {
    const client = await import('openid-client');
    const { issuer, clientId, clientSecret } = this.#oidc;
    const address = new URL(issuer);
    const authentication = clientSecret === null ? client.None() : client.ClientSecretPost(clientSecret);
    return client.discovery(address, clientId, undefined, authentication, {
      [client.customFetch]: this.#fetch(address),
      // The operator has named the address; over plain http at most inside their own network.
      ...(address.protocol === 'http:' ? { execute: [client.allowInsecureRequests] } : {}),
    });
  }

  /** Named by the operator, the host of the issuer may be at a private address. */
  #fetch(issuer: URL): CustomFetch {
    const { egress } = this.#context.config;
    const policy = alsoAllowing(policyFor(egress, 'oidc'), issuer.href);
    const send = guardedFetch(policy, { bytes: answerBytes, idleSeconds });
    return (url, { body, method, headers, signal }) =>
      send(url, {
        method,
        headers,
        body: body instanceof URLSearchParams ? body.toString() : (textOf(body) ?? null),
        ...(signal === undefined ? {} : { signal }),
      });
  }
}
