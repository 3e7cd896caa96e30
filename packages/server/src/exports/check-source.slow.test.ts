import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckSource, SourceCheck } from '@docyard/api';
import { beforeAll, describe, expect, test } from 'vitest';
import { startGitServer, type GitServer } from '../../../../test/fakes/git-server.ts';
import {
  commitAll,
  composeForTest,
  createTenant,
  createTestProject,
  jsonBody,
  serveForTest,
  temporaryFolder,
  writeFiles,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';
import { checkSource } from './check-source.ts';

const site = {
  'docs/docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Harbour guide',
    colors: { primary: '#0f766e' },
    navigation: { pages: ['index', 'second'] },
  }),
  'docs/index.mdx': '# Home\n',
  'docs/second.mdx': '# Second\n',
};

let context: TestContext;

beforeAll(async () => {
  context = await composeForTest();
});

const anonymous = { organizationId: 'anonymous', projectId: null };

const check = (source: CheckSource['source'], allowLocal = true) =>
  checkSource(context, { source, reach: anonymous, allowLocal, signal: new AbortController().signal });

test('the check of a repository returns commit, configuration, name and page count', async () => {
  const folder = temporaryFolder('source');
  const commit = commitAll(folder, site);
  expect(await check({ repository: `file://${folder}`, directory: 'docs' })).toEqual({
    ok: true,
    commit,
    configFile: 'docs.json',
    name: 'Harbour guide',
    pages: 2,
    problem: null,
  });
  expect(readdirSync(join(context.config.dataDir, 'work'))).toEqual([]);
});

test('a folder of pages without a configuration is a site too', async () => {
  const folder = temporaryFolder('pages');
  writeFiles(folder, { 'index.md': '# Home\n' });
  expect(await check({ repository: folder })).toMatchObject({
    ok: true,
    configFile: null,
    pages: 1,
    commit: null,
  });
});

describe('problems are reported as a failed export reports them', () => {
  const folder = temporaryFolder('wrong');
  commitAll(folder, { ...site, 'broken/docs.json': '{"name": ', 'empty/read.txt': 'nothing here' });
  const repository = `file://${folder}`;

  test.each([
    ['a branch that is not there', { repository, ref: 'missing' }, 'source_not_found'],
    ['a folder that is not there', { repository, directory: 'missing' }, 'source_not_found'],
    ['a configuration that cannot be read', { repository, directory: 'broken' }, 'config_invalid'],
    ['a folder without pages', { repository, directory: 'empty' }, 'no_pages'],
    ['a private address', { repository: 'https://127.0.0.1/docs.git' }, 'source_refused'],
    ['another private address', { repository: 'https://10.0.0.1/docs.git' }, 'source_refused'],
  ] as const)('%s', async (_what, source, code) => {
    const { ok, pages, problem } = await check(source);
    expect({ ok, pages, code: problem?.code }).toEqual({ ok: false, pages: 0, code });
    expect(problem?.message).toMatch(/\w/);
  });

  test('a folder of this machine, for an organization that may not read it', async () => {
    expect((await check({ repository: folder }, false)).problem?.code).toBe('source_refused');
  });
});

test('at most two checks run at the same time', async () => {
  const folder = temporaryFolder('busy');
  commitAll(folder, site);
  const source = { repository: `file://${folder}`, directory: 'docs' };
  const all = await Promise.allSettled([check(source), check(source), check(source)]);
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect((all[2] as PromiseRejectedResult).reason).toMatchObject({ code: 'overloaded' });
});

describe('a private repository', () => {
  const token = 'a-token-of-the-forge';
  let server: GitServer;
  let guarded: TestContext;
  let service: TestService;
  let tenant: Tenant;
  let projectId: string;
  let repository: string;

  beforeAll(async () => {
    server = await startGitServer({ token });
    repository = server.addRepository('private', site).url;
    guarded = await composeForTest({ EGRESS_ALLOW: '127.0.0.1' });
    service = await serveForTest(guarded);
    tenant = await createTenant(guarded);
    ({ id: projectId } = await createTestProject(guarded, tenant, { repository }));
    const agent = { forge: { kind: 'bare', credential: { type: 'token', token } } };
    const change = { ...jsonBody({ agent }), method: 'PATCH', key: tenant.key.key };
    expect((await service.request(`/v1/projects/${projectId}`, change)).status).toBe(200);
    return async () => server.close();
  });

  async function ask(body: Omit<CheckSource, 'source'> & { repository?: string }, key = tenant.key.key) {
    const { repository: address = repository, ...rest } = body;
    const source = { repository: address, directory: 'docs' };
    server.requests.length = 0;
    const answer = await service.request('/v1/projects/check', { ...jsonBody({ source, ...rest }), key });
    const text = await answer.text();
    expect(text).not.toContain(token);
    return { status: answer.status, body: JSON.parse(text) as SourceCheck & { code?: string } };
  }

  test('is opened with the credential of its project', async () => {
    expect((await ask({ projectId })).body).toMatchObject({ ok: true, pages: 2, problem: null });
  });

  test('is opened with a given credential, which has precedence and is not stored', async () => {
    const credential = { type: 'token', token } as const;
    expect((await ask({ credential })).body).toMatchObject({ ok: true, pages: 2 });
    const wrong = { ...credential, token: 'another-token' };
    expect((await ask({ projectId, credential: wrong })).body.problem?.code).toBe('source_not_found');
    expect((await ask({ projectId })).body.ok).toBe(true);
  });

  test('is not accessible without a credential', async () => {
    expect((await ask({})).body.problem?.code).toBe('source_not_found');
  });

  test('does not send the credential of its project to another host', async () => {
    const other = await startGitServer({ token });
    const otherHost = other.addRepository('private', site).url;
    const { body } = await ask({ projectId, repository: otherHost });
    expect(body.ok).toBe(false);
    expect(other.requests.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    await other.close();
  });

  test('is not found for another organization', async () => {
    const stranger = await createTenant(guarded, { name: 'Other' });
    const { status, body } = await ask({ projectId }, stranger.key.key);
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'not_found' });
    expect(server.requests).toEqual([]);
  });
});
