import type { ForgeEvent, Project, ProjectGithubApp, ProjectHook, StartedGithubApp } from '@docyard/api';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pushWebhook } from '../../../../../test/fakes/forges/push-webhooks.ts';
import { startFakeGithubApp, type FakeGithubApp } from '../../../../../test/fakes/github-app/github-app.ts';
import {
  cleanUp,
  composeForTest,
  createTenant,
  createTestProject,
  everythingKept,
  jsonBody,
  serveForTest,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../../test/support/test-context.ts';
import { createKey } from '../../keys/keys.ts';
import { borrowGitCredential } from '../../projects/forge.ts';

let github: FakeGithubApp;
let context: TestContext;
let service: TestService;
let tenant: Tenant;
let project: Project;

beforeAll(async () => {
  github = await startFakeGithubApp();
  cleanUp(() => github.close());
  context = await composeForTest({ EGRESS_ALLOW: `source+forge:${github.host}` });
  // The App proves its identity with the time.
  context.clock.advance((Date.now() - context.clock.now().getTime()) / 1000);
  service = await serveForTest(context);
});

beforeEach(async () => {
  github.failConversion = undefined;
  github.isInstalled = false;
  github.complaints.length = 0;
  tenant = await createTenant(context);
  project = await createTestProject(context, tenant, { repository: github.repository });
});

const pathOf = (id = project.id) => `/v1/projects/${id}/github-app`;
const request = (path: string, init: RequestInit = {}, key = tenant.key.key) =>
  service.request(path, { ...init, key });

async function start(body: object = {}): Promise<StartedGithubApp> {
  const response = await request(pathOf(), jsonBody(body));
  expect(response.status).toBe(201);
  return (await response.json()) as StartedGithubApp;
}

async function confirm({ url }: StartedGithubApp): Promise<{ returned: URL; code: string; state: string }> {
  const returned = await github.confirm(url);
  return {
    returned,
    code: returned.searchParams.get('code') ?? '',
    state: returned.searchParams.get('state') ?? '',
  };
}

const finish = (body: { code: string; state: string }, key?: string) =>
  request(`${pathOf()}/finish`, jsonBody(body), key);

test('a confirmed App becomes the credential of the project, and its webhook secret that of the hook', async () => {
  const { code, state } = await confirm(await start());
  const response = await finish({ code, state });
  expect(response.status).toBe(200);
  const { app } = (await response.json()) as ProjectGithubApp;
  expect(app).toMatchObject({
    appId: github.appId,
    name: 'Docyard Docs',
    url: `${github.origin}/github-apps/docyard-harbour`,
    installUrl: `${github.origin}/github-apps/docyard-harbour/installations/new`,
  });
  expect(await (await request(pathOf())).json()).toEqual({ app });
  const read = (await (await request(`/v1/projects/${project.id}`)).json()) as Project;
  expect(read.agent.forge).toEqual({ kind: 'github', apiBase: null, fork: null, credential: { set: true } });
  const hook = (await (await request(`/v1/projects/${project.id}/hook`)).json()) as ProjectHook;
  expect(hook.enabled).toBe(true);

  const repository = {
    organizationId: tenant.organizationId,
    projectId: project.id,
    repository: github.repository,
  };
  const { signal } = new AbortController();
  await expect(borrowGitCredential(context, repository, signal)).rejects.toThrow(
    'cannot find the repository',
  );
  github.isInstalled = true;
  expect(await borrowGitCredential(context, repository, signal)).toMatchObject({
    secret: github.installationToken,
  });

  const push = pushWebhook('github', {
    secret: github.webhookSecret,
    repository: github.repository,
    after: 'a'.repeat(40),
  });
  const delivered = await service.request(`/hooks/${project.id}`, { method: 'POST', ...push });
  expect(delivered.status).toBe(202);
  const { events } = (await delivered.json()) as { events: ForgeEvent[] };
  expect(events).toMatchObject([{ state: 'pending' }]);
  expect(github.complaints).toEqual([]);
});

test('the manifest has the hook of the project, the events and the permissions that they need', async () => {
  await confirm(await start({ organization: 'harbour', name: 'Harbour docs' }));
  const { manifest, owner } = github.registrations.at(-1) ?? {};
  expect(owner).toBe('harbour');
  expect(manifest).toMatchObject({
    name: 'Harbour docs',
    url: service.origin,
    public: false,
    redirect_url: `${service.origin}/dashboard/projects/${project.id}/github-app`,
    setup_url: `${service.origin}/dashboard/projects/${project.id}?tab=automatic`,
    hook_attributes: { url: `${service.origin}/hooks/${project.id}`, active: true },
    default_permissions: {
      contents: 'write',
      pull_requests: 'write',
      checks: 'write',
      statuses: 'write',
      issues: 'read',
      metadata: 'read',
    },
  });
  expect(github.complaints).toEqual([]);
});

test('a program gets the code at a port of its machine', async () => {
  const { returned } = await confirm(await start({ returnTo: 'http://127.0.0.1:4711/' }));
  expect(`${returned.origin}${returned.pathname}`).toBe('http://127.0.0.1:4711/');
});

describe('a return is refused', () => {
  test.each<[string, () => Promise<Response>]>([
    [
      'with another state',
      async () => {
        const { code } = await confirm(await start());
        return finish({ code, state: 'x'.repeat(43) });
      },
    ],
    [
      'a second time',
      async () => {
        const given = await confirm(await start());
        expect((await finish({ code: given.code, state: given.state })).status).toBe(200);
        return finish({ code: given.code, state: given.state });
      },
    ],
    [
      'after another start',
      async () => {
        const { code, state } = await confirm(await start());
        await start();
        return finish({ code, state });
      },
    ],
    [
      'from another caller of the organization',
      async () => {
        const { code, state } = await confirm(await start());
        const { actor } = tenant;
        const { key } = await createKey(context, { name: 'Other', expiresInDays: null, actor });
        return finish({ code, state }, key);
      },
    ],
    [
      'after an hour',
      async () => {
        const { code, state } = await confirm(await start());
        context.clock.advance(3601);
        return finish({ code, state });
      },
    ],
  ])('%s', async (_what, attempt) => {
    const response = await attempt();
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ details: [{ path: 'state' }] });
  });

  test('from another organization, as if the project did not exist', async () => {
    const { code, state } = await confirm(await start());
    const other = await createTenant(context, { name: 'Other' });
    expect((await finish({ code, state }, other.key.key)).status).toBe(404);
    expect((await finish({ code, state })).status).toBe(200);
  });

  test('with a code that GitHub does not know', async () => {
    const { state } = await confirm(await start());
    const response = await finish({ code: 'unknown', state });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ details: [{ path: 'code' }] });
  });
});

test('several requests with one state convert one code', async () => {
  const { code, state } = await confirm(await start());
  const answers = await Promise.all([1, 2, 3].map(() => finish({ code, state })));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
});

describe('nothing is stored', () => {
  const secretMarker = 'a-secret-in-a-broken-answer';
  test.each<[string, { status: number; body?: unknown }]>([
    ['when GitHub fails', { status: 503 }],
    ['when the answer has no key', { status: 201, body: { id: 7, webhook_secret: secretMarker } }],
    [
      'when the page of the App is no web page',
      {
        status: 201,
        body: {
          id: 7,
          name: 'X',
          html_url: 'javascript:alert(1)',
          pem: secretMarker,
          webhook_secret: secretMarker,
        },
      },
    ],
  ])('%s', async (_what, fault) => {
    const { code, state } = await confirm(await start());
    github.failConversion = fault;
    const response = await finish({ code, state });
    expect(response.status).toBe(424);
    const text = await response.text();
    expect(text).toContain('forge_failed');
    expect(text).not.toContain(secretMarker);
    expect(await (await request(pathOf())).json()).toEqual({ app: null });
  });

  test('when the key is no RSA key', async () => {
    const { code, state } = await confirm(await start());
    const body = {
      id: 7,
      name: 'X',
      html_url: `${github.origin}/github-apps/x`,
      pem: 'no key',
      webhook_secret: 's'.repeat(40),
    };
    github.failConversion = { status: 201, body };
    expect((await finish({ code, state })).status).toBe(400);
    const hook = (await (await request(`/v1/projects/${project.id}/hook`)).json()) as ProjectHook;
    expect(hook.enabled).toBe(false);
  });
});

test('the database contains neither the key, the webhook secret nor the state in plain text', async () => {
  const { code, state } = await confirm(await start());
  const { url } = await start();
  const openState = new URL(url).searchParams.get('state') ?? '';
  expect((await finish({ code, state })).status).toBe(400);
  const again = await confirm(await start());
  expect((await finish({ code: again.code, state: again.state })).status).toBe(200);
  const kept = everythingKept(context);
  const keyLines = github.privateKey.split('\n').filter((line) => line.length === 64);
  for (const secret of [github.webhookSecret, openState, again.code, ...keyLines])
    expect(kept).not.toContain(secret);
});

test('the App is no longer shown after its credential was replaced', async () => {
  const { code, state } = await confirm(await start());
  await finish({ code, state });
  const forge = { kind: 'github', credential: { type: 'token', token: 'ghp_other' } };
  await request(`/v1/projects/${project.id}`, { ...jsonBody({ agent: { forge } }), method: 'PATCH' });
  expect(await (await request(pathOf())).json()).toEqual({ app: null });
});

describe('a start is refused', () => {
  test.each<[string, object, string]>([
    ['for another forge', { source: { repository: 'https://gitlab.com/acme/docs.git' } }, 'is not on GitHub'],
    ['for a folder', { source: { repository: '/srv/docs' } }, 'is not on GitHub'],
    [
      'for a project with a fork',
      { agent: { forge: { kind: 'github', fork: 'ada' } } },
      'which a GitHub App cannot do',
    ],
  ])('%s', async (_what, change, message) => {
    await request(`/v1/projects/${project.id}`, { ...jsonBody(change), method: 'PATCH' });
    const response = await request(pathOf(), jsonBody({}));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(message);
  });

  test.each(['https://evil.example.com/', 'http://127.0.0.1.evil.example.com/', 'http://10.0.0.7/'])(
    'with a return to %s',
    async (returnTo) => {
      expect((await request(pathOf(), jsonBody({ returnTo }))).status).toBe(400);
    },
  );
});

describe('the page that sends the manifest', () => {
  test('allows a form only to the GitHub of the project, and no script', async () => {
    const { url } = await start();
    const response = await fetch(url);
    expect(response.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'self'; img-src 'self'; form-action ${github.origin}; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('writes the name of a project as text', async () => {
    await request(`/v1/projects/${project.id}`, {
      ...jsonBody({ name: '"><script>alert(1)</script>' }),
      method: 'PATCH',
    });
    const html = await (await fetch((await start()).url)).text();
    expect(html).not.toContain('<script>');
  });

  test.each(['?state=unknown', '', `?state=${'x'.repeat(43)}`])('is not found with %s', async (query) => {
    const { url } = await start();
    const response = await fetch(`${url.split('?')[0]}${query}`);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('manifest');
  });
});
