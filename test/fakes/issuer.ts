/**
 * An OpenID Connect issuer: `oidc-provider` on a free port with its login and consent pages. The user `ada` has the email
 * ada@example.com.
 */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeIssuer {
  url: string;
  clientId: string;
  clientSecret: string;
  /** Sets the redirect address. Until then the issuer answers 503. */
  open(redirectUri: string): Promise<void>;
  stop(): void;
}

export async function startIssuer(
  options: {
    isVerified?: (account: string) => boolean;
    groups?: (account: string) => string[];
  } = {},
): Promise<FakeIssuer> {
  let listener: RequestListener = (_request, response) => response.writeHead(503).end();
  const server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientId = 'docyard';
  const clientSecret = 'the secret of the client in tests';
  return {
    url,
    clientId,
    clientSecret,
    async open(redirectUri) {
      const { default: Provider } = await import('oidc-provider');
      const provider = new Provider(url, {
        clients: [
          {
            client_id: clientId,
            client_secret: clientSecret,
            redirect_uris: [redirectUri],
            token_endpoint_auth_method: 'client_secret_post',
          },
        ],
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
        pkce: { required: () => true },
        cookies: { keys: ['for tests'] },
        findAccount: (_context: unknown, account: string) => ({
          accountId: account,
          claims: () => ({
            sub: account,
            email: `${account}@example.com`,
            email_verified: options.isVerified?.(account) ?? true,
            name: account.toUpperCase(),
            groups: options.groups?.(account) ?? [],
          }),
        }),
      });
      listener = provider.callback();
    },
    stop: () => server.close(),
  };
}
