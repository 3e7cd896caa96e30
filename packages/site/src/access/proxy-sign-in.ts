/** Readers that a proxy in front of this server has signed in. */
import type { IncomingMessage } from 'node:http';
import { addressAllowed } from '../network/address-ranges.ts';
import type { Reader } from '../serving/gate.ts';
import { groupsIn } from './reader.ts';
import type { Outcome, SignIn } from './sign-in.ts';

export interface ProxySettings {
  /** Never empty: anyone could send the headers. */
  trustedProxies: readonly string[];
  userHeader: string;
  groupsHeader: string;
}

export class ProxySignIn implements SignIn {
  readonly #settings: ProxySettings;

  constructor(settings: ProxySettings) {
    this.#settings = settings;
  }

  async begin(): Promise<Outcome> {
    const message = 'This site is private. Open it at its usual address, where you can sign in.';
    return { page: { title: 'Sign in', message }, status: 401 };
  }

  async recognize({ headers, socket }: IncomingMessage): Promise<Reader | undefined> {
    const { trustedProxies, userHeader, groupsHeader } = this.#settings;
    if (trustedProxies.length === 0 || !addressAllowed(trustedProxies, socket.remoteAddress ?? ''))
      return undefined;
    const name = headers[userHeader.toLowerCase()]?.toString().trim();
    if (name === undefined || name === '') return undefined;
    return { name, groups: groupsIn(headers[groupsHeader.toLowerCase()]) };
  }
}
