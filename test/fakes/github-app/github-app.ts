/**
 * A fake of GitHub Enterprise Server for the manifest flow of a GitHub App: the pages that a user confirms, the conversion of
 * the code, which is validated against GitHub's OpenAPI description, and tokens of the installation.
 */
import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';

export interface Manifest {
  name: string;
  url: string;
  redirect_url: string;
  setup_url?: string;
  hook_attributes: { url: string; active?: boolean };
  default_permissions: Record<string, string>;
  default_events: string[];
  public?: boolean;
}

export interface FakeGithubApp {
  origin: string;
  host: string;
  /** The clone address of a repository, without a git server behind it. */
  repository: string;
  /** The manifests that were posted, with the account that owns the App. */
  registrations: { manifest: Manifest; owner: string }[];
  /** Of the last App. */
  appId: string;
  webhookSecret: string;
  privateKey: string;
  installationToken: string;
  isInstalled: boolean;
  /** Requests and responses that GitHub would not accept or send. */
  complaints: string[];
  /** A status with which the next conversion fails, or a body to send instead. */
  failConversion: { status: number; body?: unknown } | undefined;
  /** Opens the page of Docyard, posts its form and confirms the App, as a user does. Returns the address of the browser. */
  confirm(pageUrl: string): Promise<URL>;
  close(): Promise<void>;
}

/** Each event needs a permission of the App. */
const permissionOf: Record<string, string> = {
  push: 'contents',
  pull_request: 'pull_requests',
  pull_request_review: 'pull_requests',
  pull_request_review_comment: 'pull_requests',
  issue_comment: 'issues',
  check_suite: 'checks',
};

const file = new URL('github-app-openapi.json', import.meta.url);
const description = JSON.parse(readFileSync(file, 'utf8')) as object;
const conversionSchema =
  'github-app#/paths/~1app-manifests~1{code}~1conversions/post/responses/201/content/application~1json/schema';

export async function startFakeGithubApp(): Promise<FakeGithubApp> {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(description, 'github-app');
  const isConversion = ajv.compile({ $ref: encodeURI(conversionSchema) });
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const publicKey = createPublicKey(keys.privateKey);
  const codes = new Map<string, { manifest: Manifest; owner: string }>();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const origin = `http://${host}`;
  const fake: FakeGithubApp = {
    origin,
    host,
    repository: `${origin}/harbour/docs.git`,
    registrations: [],
    appId: '20417',
    webhookSecret: randomBytes(20).toString('hex'),
    privateKey: keys.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    installationToken: `ghs_${randomBytes(18).toString('hex')}`,
    isInstalled: false,
    complaints: [],
    failConversion: undefined,
    async confirm(pageUrl) {
      const posted = await postForm(await (await fetch(pageUrl)).text(), pageUrl);
      const done = await postForm(await posted.text(), posted.url);
      return new URL(done.headers.get('location') ?? '');
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', origin);
    const body = await readText(request);
    const route = `${request.method} ${url.pathname}`;
    const [, owner] = /^POST (?:\/organizations\/([\w-]+))?\/settings\/apps\/new$/.exec(route) ?? [undefined];
    if (/^POST .*\/settings\/apps\/new$/.test(route)) {
      return register(response, url, { body, owner: owner ?? 'ada' });
    }
    if (route === 'POST /settings/apps') return create(response, body);
    const [, code] = /^POST \/api\/v3\/app-manifests\/([\w-]+)\/conversions$/.exec(route) ?? [];
    if (code !== undefined) return convert(response, code);
    if (/^GET \/github-apps\/[\w-]+\/installations\/new$/.test(route)) {
      return html(response, '<form method="post" action="/install"><button>Install</button></form>');
    }
    if (route === 'POST /install') {
      fake.isInstalled = true;
      return redirect(response, fake.registrations.at(-1)?.manifest.setup_url ?? origin);
    }
    if (route === 'GET /api/v3/repos/harbour/docs/installation') {
      if (!isProof(request.headers.authorization) || !fake.isInstalled) return json(response, 404, {});
      return json(response, 200, { id: 815 });
    }
    if (route === 'POST /api/v3/app/installations/815/access_tokens') {
      if (!isProof(request.headers.authorization)) return json(response, 401, {});
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      return json(response, 201, { token: fake.installationToken, expires_at: expiresAt });
    }
    json(response, 404, { message: 'Not Found' });
  }

  function register(response: ServerResponse, url: URL, posted: { body: string; owner: string }): void {
    const manifest = JSON.parse(new URLSearchParams(posted.body).get('manifest') ?? 'null') as Manifest;
    const problems = problemsOf(manifest);
    if (problems.length > 0) {
      fake.complaints.push(...problems);
      return html(response, `<h1>Invalid GitHub App configuration</h1><p>${problems.join(', ')}</p>`);
    }
    fake.registrations.push({ manifest, owner: posted.owner });
    const state = url.searchParams.get('state') ?? '';
    const ticket = Buffer.from(JSON.stringify({ state, index: fake.registrations.length - 1 }));
    html(
      response,
      `<h1>Create GitHub App for ${posted.owner}</h1><form method="post" action="/settings/apps">
<input type="hidden" name="ticket" value="${ticket.toString('base64url')}"><button>Create GitHub App</button></form>`,
    );
  }

  function create(response: ServerResponse, body: string): void {
    const ticket = new URLSearchParams(body).get('ticket') ?? '';
    const { state, index } = JSON.parse(Buffer.from(ticket, 'base64url').toString()) as {
      state: string;
      index: number;
    };
    const registration = fake.registrations[index];
    if (registration === undefined) return json(response, 404, {});
    const code = randomBytes(20).toString('hex');
    codes.set(code, registration);
    const target = new URL(registration.manifest.redirect_url);
    target.searchParams.set('code', code);
    target.searchParams.set('state', state);
    redirect(response, target.href);
  }

  /** A code is accepted once. */
  function convert(response: ServerResponse, code: string): void {
    const registration = codes.get(code);
    codes.delete(code);
    const fault = fake.failConversion;
    fake.failConversion = undefined;
    if (fault !== undefined) return json(response, fault.status, fault.body ?? {});
    if (registration === undefined) return json(response, 404, { message: 'Not Found' });
    const app = conversionOf(registration);
    if (!isConversion(app)) fake.complaints.push(ajv.errorsText(isConversion.errors));
    json(response, 201, app);
  }

  function conversionOf({ manifest, owner }: { manifest: Manifest; owner: string }) {
    const at = new Date().toISOString();
    const user = `${origin}/${owner}`;
    return {
      id: Number(fake.appId),
      slug: 'docyard-harbour',
      node_id: 'A_kwHOAAvu',
      owner: userOf(owner, user),
      name: manifest.name,
      description: '',
      external_url: manifest.url,
      html_url: `${origin}/github-apps/docyard-harbour`,
      created_at: at,
      updated_at: at,
      permissions: manifest.default_permissions,
      events: manifest.default_events,
      client_id: 'Iv23liabcdefghijklmn',
      client_secret: randomBytes(20).toString('hex'),
      webhook_secret: fake.webhookSecret,
      pem: fake.privateKey,
    };
  }

  function isProof(authorization = ''): boolean {
    const [head = '', claims = '', signature = ''] = authorization.replace(/^Bearer /, '').split('.');
    const { iss } = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}') as { iss?: string };
    const signed = Buffer.from(`${head}.${claims}`);
    return iss === fake.appId && verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'));
  }
}

/** The only form of a page, with its hidden field. */
function postForm(page: string, address: string): Promise<Response> {
  const [, action = ''] = / action="([^"]+)"/.exec(page) ?? [];
  const [, name = '', value = ''] = /type="hidden" name="(\w+)" value="([^"]+)"/.exec(page) ?? [];
  const body = new URLSearchParams({ [name]: textOf(value) });
  return fetch(new URL(textOf(action), address), { method: 'POST', body, redirect: 'manual' });
}

function textOf(attribute: string): string {
  return attribute
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function problemsOf(manifest: Manifest | null): string[] {
  if (manifest === null) return ['The manifest is missing'];
  const unsupported = manifest.default_events.filter(
    (event) => !Object.hasOwn(manifest.default_permissions, permissionOf[event] ?? event),
  );
  const urls = [manifest.url, manifest.redirect_url, manifest.hook_attributes.url, manifest.setup_url ?? ''];
  return [
    ...unsupported.map((event) => `Default events are not supported by permissions: ${event}`),
    ...(manifest.name.length > 34 ? ['Name is too long (maximum is 34 characters)'] : []),
    ...urls.filter((url) => !URL.canParse(url)).map((url) => `${url} is not a URL`),
  ];
}

function userOf(login: string, url: string) {
  const links = [
    'followers_url',
    'following_url',
    'gists_url',
    'starred_url',
    'subscriptions_url',
    'organizations_url',
    'repos_url',
    'events_url',
    'received_events_url',
  ];
  return {
    login,
    id: 1,
    node_id: 'MDQ6VXNlcjE=',
    avatar_url: `${url}.png`,
    gravatar_id: '',
    url,
    html_url: url,
    ...Object.fromEntries(links.map((name) => [name, `${url}/${name}`])),
    type: 'User',
    site_admin: false,
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function html(response: ServerResponse, content: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(`<!doctype html><title>GitHub</title>${content}`);
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location });
  response.end();
}
