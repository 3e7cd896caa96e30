/** A private site on a real server, and a client that keeps cookies as a browser does. */
import { AccessGate, type AccessGateOptions } from '../../src/access/access-gate.ts';
import type { SignIn } from '../../src/access/sign-in.ts';
import { CookieSigner } from '../../src/access/signed-cookies.ts';
import { makeSite, startServer } from './served-releases.ts';

export const privatePage = '<h1>The secret harbour</h1>';
export const sessionKey = Buffer.from('a key for tests with thirty-two bytes');

export async function startPrivateSite(
  signIn: SignIn,
  options: Partial<AccessGateOptions & { basePath: string }> = {},
): Promise<{ origin: string; visitor(): Visitor }> {
  const { basePath = '', ...gateOptions } = options;
  const gate = new AccessGate({
    signIn,
    cookies: new CookieSigner(sessionKey, 'docs'),
    sessionHours: 12,
    url: null,
    trustedProxies: [],
    isSignInOptional: false,
    siteName: 'Harbour',
    ...gateOptions,
  });
  const site = await makeSite({ 'index.html': privatePage, 'guide.html': 'guide', '404.html': 'not found' });
  const { port } = await startServer(site, { gate, basePath });
  const origin = `http://127.0.0.1:${port}`;
  return { origin, visitor: () => new Visitor(origin) };
}

export interface Visit {
  status: number;
  headers: Headers;
  text: string;
  /** Where a redirect leads, relative to the site. */
  location: string | null;
}

export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Visit> {
    return this.#send(path, { headers: { accept: 'text/html', ...headers } });
  }

  async post(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Visit> {
    return this.#send(path, { method: 'POST', body: new URLSearchParams(fields), headers });
  }

  async #send(path: string, init: RequestInit): Promise<Visit> {
    const address = new URL(path, this.#origin);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string>), ...(cookie === '' ? {} : { cookie }) };
    const answer = await fetch(address, { ...init, headers, redirect: 'manual' });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (/Max-Age=0(?:;|$)/.test(set)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const location = answer.headers.get('location')?.replace(this.#origin, '') ?? null;
    return { status: answer.status, headers: answer.headers, text: await answer.text(), location };
  }
}
