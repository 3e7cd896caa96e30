/** Sign-in at an OpenID provider: authorization code with PKCE. State, nonce and verifier travel in a signed cookie. */
import type { Configuration, CustomFetch } from 'openid-client';
import { z } from 'zod';
import type { Reader } from '../serving/gate.ts';
import { claimIn, groupsIn } from './reader.ts';
import { type Outcome, problemPage, type SignIn, type SignInStep } from './sign-in.ts';
import { peerFetch } from '../network/peers.ts';

export interface OidcSettings {
  issuer: string;
  clientId: string;
  /** Null for a public client. */
  clientSecret: string | null;
  scopes: string;
  groupsClaim: string;
  /** Only members of one of these may sign in; empty for everyone with an account. */
  allowedGroups: readonly string[];
  offline: boolean;
}

const Pending = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string() });
type Pending = z.infer<typeof Pending>;

export class OidcSignIn implements SignIn {
  readonly #settings: OidcSettings;
  readonly #onProblem: (reason: string) => void;
  #configuration: Promise<Configuration> | undefined;

  constructor(settings: OidcSettings, onProblem: (reason: string) => void) {
    this.#settings = settings;
    this.#onProblem = onProblem;
  }

  async begin({ to, addressOf }: SignInStep): Promise<Outcome> {
    const client = await import('openid-client');
    const pending: Pending = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      to,
    };
    try {
      const address = client.buildAuthorizationUrl(await this.#configure(), {
        redirect_uri: addressOf('callback').href,
        scope: this.#settings.scopes,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
      });
      return { redirect: address.href, pending };
    } catch (error) {
      this.#onProblem(`the OpenID provider is unavailable: ${(error as Error).message}`);
      const message = 'The identity provider cannot be reached. Try again in a moment.';
      return { page: problemPage(message, addressOf('sign-in')), status: 503, retryAfterSeconds: 5 };
    }
  }

  async complete({ query, addressOf }: SignInStep, given: unknown): Promise<Outcome> {
    const pending = Pending.safeParse(given);
    if (!pending.success) {
      const message = 'The sign-in took too long, or was started in another browser. Try again.';
      return { page: problemPage(message, addressOf('sign-in')), status: 400 };
    }
    const { to } = pending.data;
    let reader: Reader;
    try {
      const returned = addressOf('callback');
      returned.search = query.toString();
      reader = await this.#identify(pending.data, returned);
    } catch (error) {
      // Also when the reader denies access at the provider.
      this.#onProblem(`a sign-in failed at the OpenID provider: ${(error as Error).message}`);
      const message = 'The identity provider refused or canceled the sign-in.';
      return { page: problemPage(message, addressOf('sign-in')), status: 403 };
    }
    const { allowedGroups } = this.#settings;
    if (allowedGroups.length > 0 && !reader.groups.some((group) => allowedGroups.includes(group))) {
      const message = 'Your account is not allowed to read this site. Ask its owner for access.';
      return { page: problemPage(message, addressOf('sign-in')), status: 403 };
    }
    return { reader, to };
  }

  async signOutAddress({ addressOf }: SignInStep): Promise<string | undefined> {
    try {
      const client = await import('openid-client');
      const configuration = await this.#configure();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      const returnTo = addressOf('sign-out').href;
      return client.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href;
    } catch {
      return undefined;
    }
  }

  async #identify({ state, nonce, verifier }: Pending, returned: URL): Promise<Reader> {
    const client = await import('openid-client');
    const configuration = await this.#configure();
    const tokens = await client.authorizationCodeGrant(configuration, returned, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('The provider returned no identity.');
    const { groupsClaim } = this.#settings;
    const hasAll = claimIn(claims, groupsClaim) !== undefined && typeof claims['name'] === 'string';
    const hasEndpoint = configuration.serverMetadata().userinfo_endpoint !== undefined;
    // Many providers return groups and names only from this endpoint.
    const profile =
      hasAll || !hasEndpoint
        ? claims
        : { ...claims, ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)) };
    const name = [profile['name'], profile['email'], claims.sub].find((each) => typeof each === 'string');
    return { name: name ?? null, groups: groupsIn(claimIn(profile, groupsClaim)) };
  }

  /** The metadata of the provider, discovered on first use. */
  #configure(): Promise<Configuration> {
    this.#configuration ??= this.#discover().catch((error: unknown) => {
      this.#configuration = undefined;
      throw error;
    });
    return this.#configuration;
  }

  async #discover(): Promise<Configuration> {
    const client = await import('openid-client');
    const { issuer, clientId, clientSecret, offline } = this.#settings;
    const address = new URL(issuer);
    const authentication = clientSecret === null ? client.None() : client.ClientSecretPost(clientSecret);
    return client.discovery(address, clientId, undefined, authentication, {
      [client.customFetch]: peerFetch({ offline }) as CustomFetch,
      // The operator configured the address.
      ...(address.protocol === 'http:' ? { execute: [client.allowInsecureRequests] } : {}),
    });
  }
}
