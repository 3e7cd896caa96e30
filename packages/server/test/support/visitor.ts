/** Fixtures for tests of users: an installation before its setup, and a browser session. */
import type { Me } from '@docyard/api';
import type { TestService } from './test-context.ts';

export const goodPassword = 'a lighthouse keeper counts ships';

/** A browser: stores cookies and sends an Origin header. */
export class Visitor {
  readonly #service: Pick<TestService, 'origin' | 'request'>;
  cookie: string | undefined;

  constructor(service: Pick<TestService, 'origin' | 'request'>) {
    this.#service = service;
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await this.#service.request(path, {
      method,
      headers: {
        origin: this.#service.origin,
        ...(this.cookie === undefined ? {} : { cookie: this.cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) this.cookie = set.split(';')[0];
    return response;
  }

  async me(): Promise<Me> {
    return (await (await this.send('GET', '/v1/me')).json()) as Me;
  }
}
