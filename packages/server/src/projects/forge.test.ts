/** Settings that can never work are refused without contacting the forge. */
import { generateKeyPairSync } from 'node:crypto';
import type { SetProjectAgent } from '@docyard/api';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  composeForTest,
  createTenant,
  createTestProject,
  jsonBody,
  serveForTest,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';

type Forge = NonNullable<SetProjectAgent['forge']>;

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const token = { type: 'token', token: 'a-token' } as const;
const app = { type: 'app', appId: '1', privateKey: pem } as const;

let context: TestContext;
let service: TestService;
let tenant: Tenant;

beforeAll(async () => {
  // Offline, so that any connection would change the result.
  context = await composeForTest({ OFFLINE: 'on' });
  tenant = await createTenant(context);
  service = await serveForTest(context);
});

async function projectAt(repository: string) {
  const { id } = await createTestProject(context, tenant, { repository });
  return async (body: object) => {
    const init = { ...jsonBody(body), method: 'PATCH', key: tenant.key.key };
    const answer = await service.request(`/v1/projects/${id}`, init);
    return { status: answer.status, body: (await answer.json()) as Answer };
  };
}

interface Answer {
  code?: string;
  details?: { path: string; message: string }[];
  source?: { repository: string };
  agent?: { forge: unknown };
}

describe('settings of a forge', () => {
  test.each<[string, Forge]>([
    ['https://github.com/harbour/docs.git', { kind: 'github', credential: token }],
    ['https://github.com/harbour/docs.git', { kind: 'github', credential: app }],
    ['https://git.example.com/a/b/docs', { kind: 'gitlab', apiBase: 'https://git.example.com/api/v4' }],
    ['https://github.com/harbour/docs.git', { kind: 'github', fork: 'auto', credential: token }],
    ['https://github.com/harbour/docs.git', { kind: 'github', fork: 'https://github.com/ada/docs-fork' }],
    [
      'https://git.example.com/a/b/docs',
      { kind: 'gitlab', apiBase: 'https://git.example.com/api/v4', fork: 'group/team' },
    ],
    ['https://git.example.com/scm/DOC/manual.git', { kind: 'bitbucket-data-center', fork: '~ada' }],
    ['https://git.example.com/docs.git', { kind: 'bare', credential: { ...token, username: 'ada' } }],
  ])('for %s are accepted', async (repository, forge) => {
    const patch = await projectAt(repository);
    expect((await patch({ agent: { forge } })).status).toBe(200);
  });

  const usual = 'https://git.example.com/harbour/docs.git';
  test.each<[string, string, string, object]>([
    ['an unknown kind', 'agent.forge.kind', usual, { kind: 'sourcehut' }],
    ['a kind with other addresses', 'agent.forge.kind', 'https://git.example.com/a/b/c', { kind: 'github' }],
    ['a kind that is reached by https', 'agent.forge.kind', '/srv/docs', { kind: 'gitea' }],
    ['no address', 'agent.forge.apiBase', usual, { kind: 'gitea', apiBase: 'git.example.com' }],
    ['a query', 'agent.forge.apiBase', usual, { kind: 'gitea', apiBase: 'https://git.example.com/api?a=1' }],
    ['a password', 'agent.forge.apiBase', usual, { kind: 'gitea', apiBase: 'https://a:b@git.example.com/' }],
    [
      'a token with a line break',
      'agent.forge.credential',
      usual,
      { kind: 'gitea', credential: { ...token, token: 'a\nb' } },
    ],
    ['no token', 'agent.forge.credential.token', usual, { kind: 'gitea', credential: { type: 'token' } }],
    [
      'a user name with a colon',
      'agent.forge.credential.username',
      usual,
      { kind: 'bare', credential: { ...token, username: 'a:b' } },
    ],
    ['a GitHub App for another forge', 'agent.forge.credential', usual, { kind: 'gitlab', credential: app }],
    [
      'a key that cannot be read',
      'agent.forge.credential',
      usual,
      { kind: 'github', credential: { ...app, privateKey: 'PEM' } },
    ],
    ['a fork on another host', 'agent.forge.fork', usual, { kind: 'gitea', fork: 'https://example.org/a/b' }],
    ['the repository as its fork', 'agent.forge.fork', usual, { kind: 'gitea', fork: 'harbour' }],
    ['a fork in a parent folder', 'agent.forge.fork', usual, { kind: 'gitea', fork: '../docs' }],
    ['a fork without pull requests', 'agent.forge.fork', usual, { kind: 'bare', fork: 'ada' }],
    [
      'a fork and a GitHub App',
      'agent.forge.fork',
      'https://github.com/harbour/docs.git',
      { kind: 'github', fork: 'ada', credential: app },
    ],
    [
      'an automatic fork on Data Center',
      'agent.forge.fork',
      'https://git.example.com/scm/DOC/manual.git',
      { kind: 'bitbucket-data-center', fork: 'auto' },
    ],
    [
      'an App without a name',
      'agent.forge.credential.appId',
      usual,
      { kind: 'github', credential: { type: 'app', privateKey: pem } },
    ],
  ])('with %s are refused at %s', async (_what, path, repository, forge) => {
    const patch = await projectAt(repository);
    const { status, body } = await patch({ agent: { forge } });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' });
    expect(body.details?.map((detail) => detail.path)).toEqual([path]);
    expect(body.details?.[0]?.message).not.toContain(pem);
    const after = await patch({ name: 'Still there' });
    expect(after.body.agent?.forge).toBeNull();
  });

  test.each<[Forge['kind'], object, string | undefined]>([
    ['github', { labels: ['docs'], reviewers: ['ada'], teams: ['docs'], assignees: ['ada'] }, undefined],
    ['gitea', { labels: ['docs'], teams: ['docs'], assignees: ['ada'] }, undefined],
    ['gitlab', { labels: ['docs'], reviewers: ['ada'], assignees: ['ada'] }, undefined],
    ['gitlab', { teams: ['docs'] }, 'agent.pullRequest.teams'],
    ['bitbucket', { reviewers: ['{ada}'] }, undefined],
    ['bitbucket', { labels: ['docs'] }, 'agent.pullRequest.labels'],
    ['bare', { reviewers: ['ada'] }, 'agent.pullRequest.reviewers'],
  ])('%s with the pull requests %j are refused at %s', async (kind, pullRequest, path) => {
    const patch = await projectAt(usual);
    const forge = { kind, credential: token };
    const together = await patch({ agent: { forge, pullRequest } });
    expect(together.body.details?.map((detail) => detail.path)).toEqual(path && [path]);
    await patch({ agent: { pullRequest } });
    const after = await patch({ agent: { forge } });
    expect(after.body.details?.map((detail) => detail.path)).toEqual(path && [path]);
  });

  test('are checked against a new source, which is then reported as wrong', async () => {
    const patch = await projectAt(usual);
    await patch({ agent: { forge: { kind: 'gitea', credential: token } } });
    const { status, body } = await patch({ source: { repository: '/srv/docs' } });
    expect(status).toBe(400);
    expect(body.details?.[0]).toMatchObject({ path: 'source.repository' });
    expect((await patch({ name: 'Still there' })).body.source?.repository).toBe(usual);
  });
});
