import type { ExportJob, ForgeEvent, Project, ProjectPolling } from '@docyard/api';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pushWebhook } from '../../../../test/fakes/forges/push-webhooks.ts';
import { startGitServer, type GitServer, type ServedRepository } from '../../../../test/fakes/git-server.ts';
import {
  cleanUp,
  commitAll,
  composeForTest,
  createTenant,
  createTestProject,
  everythingKept,
  jsonBody,
  present,
  serveForTest,
  temporaryFolder,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';
import { eventHandlers } from '../event-handlers.ts';
import { SourcePoller } from './poller.ts';
import { ForgeEventProcessor } from './processor.ts';

let git: GitServer;
let context: TestContext;
let service: TestService;
let tenant: Tenant;
let poller: SourcePoller;
let processor: ForgeEventProcessor;
let repository: ServedRepository;
let project: Project;

beforeAll(async () => {
  git = await startGitServer();
  cleanUp(() => git.close());
  context = await composeForTest({ EGRESS_ALLOW: `source:${git.host}` });
  service = await serveForTest(context);
  poller = new SourcePoller(context);
  processor = new ForgeEventProcessor(context, eventHandlers);
});

let repositories = 0;

beforeEach(async () => {
  git.behaviour = { token: null };
  tenant = await createTenant(context);
  repositories += 1;
  repository = git.addRepository(`acme/docs-${repositories}`, { 'docs.json': '{}', 'index.mdx': '# Hello' });
  project = await createTestProject(context, tenant, { repository: repository.url });
  // Left by the test before.
  await context.database.deleteFrom('source_polls').execute();
});

async function call<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await service.request(path, { ...init, key: tenant.key.key });
  expect(response.status, path).toBeLessThan(300);
  return (await response.json()) as T;
}

const change = (body: unknown) =>
  call<Project>(`/v1/projects/${project.id}`, { ...jsonBody(body), method: 'PATCH' });
const usePolling = (polling: object) => change({ exports: { polling } });
const state = () => call<ProjectPolling>(`/v1/projects/${project.id}/polling`);
const events = async () =>
  (await call<{ data: ForgeEvent[] }>(`/v1/forge-events?projectId=${project.id}`)).data;
const exportsOf = async () =>
  (await call<{ data: ExportJob[] }>(`/v1/static-export/jobs?domain=${project.domain}`)).data;

/** The interval and its jitter pass. */
async function pollAgain(seconds = 331): Promise<void> {
  context.clock.advance(seconds);
  await poller.pollDue();
}

async function pollFirst(): Promise<void> {
  await usePolling({ enabled: true });
  await poller.pollDue();
}

/** The quiet period passes. */
async function process(): Promise<void> {
  await processor.processDue();
  context.clock.advance(10);
  await processor.processDue();
}

test('the first poll records the newest commit and starts nothing', async () => {
  await pollFirst();
  expect(await state()).toMatchObject({
    enabled: true,
    intervalSeconds: 300,
    branch: 'main',
    commit: repository.tip('main'),
    polledAt: context.clock.now().toISOString(),
    problem: null,
    failures: 0,
  });
  expect(await events()).toEqual([]);
});

test('a new commit becomes a push, which starts an export', async () => {
  await pollFirst();
  const before = repository.tip('main');
  const after = repository.commit('main', { 'index.mdx': '# Changed' });
  await pollAgain();
  const [event, ...more] = await events();
  expect(more).toEqual([]);
  expect(event).toMatchObject({
    kind: 'push',
    name: 'poll',
    forge: 'bare',
    ref: 'refs/heads/main',
    before,
    after,
    repository: repository.url,
    state: 'pending',
  });
  await process();
  const [job] = await exportsOf();
  expect(job).toMatchObject({ trigger: { kind: 'push', eventId: event?.id, commit: after } });
  await pollAgain();
  expect(await events()).toHaveLength(1);
});

test('several commits between two polls become one push', async () => {
  await pollFirst();
  repository.addEmptyCommits('main', 3);
  await pollAgain();
  expect((await events()).map(({ after }) => after)).toEqual([repository.tip('main')]);
});

test('a branch that returns to an earlier commit becomes a push each time', async () => {
  const first = present(repository.tip('main'));
  await pollFirst();
  const second = repository.commit('main', { 'index.mdx': '# Changed' });
  for (const tip of [second, first, second, first]) {
    repository.git('update-ref', 'refs/heads/main', tip);
    await pollAgain();
  }
  expect((await events()).map(({ after }) => after)).toEqual([first, second, first, second]);
});

test('a commit that a hook has reported is exported once', async () => {
  const { secret } = await call<{ secret: string }>(`/v1/projects/${project.id}/hook/secret`, jsonBody({}));
  await pollFirst();
  const before = present(repository.tip('main'));
  const after = repository.commit('main', { 'index.mdx': '# Changed' });
  const request = pushWebhook('github', { secret, repository: repository.url, before, after });
  const response = await service.request(`/hooks/${project.id}`, { method: 'POST', ...request });
  expect(response.status).toBe(202);
  await process();
  await pollAgain();
  await process();
  expect((await events()).map(({ name, state: current }) => [name, current])).toEqual([
    ['poll', 'ignored'],
    ['push', 'processed'],
  ]);
  expect(await exportsOf()).toHaveLength(1);
});

describe('the polled branch', () => {
  test('is the one in source.ref', async () => {
    repository.commit('next', { 'index.mdx': '# Next' });
    await change({ source: { repository: repository.url, ref: 'next' } });
    await pollFirst();
    expect(await state()).toMatchObject({ branch: 'next', commit: repository.tip('next') });
    repository.commit('main', { 'index.mdx': '# Main' });
    await pollAgain();
    expect(await events()).toEqual([]);
    const after = repository.commit('next', { 'index.mdx': '# Next again' });
    await pollAgain();
    expect(await events()).toMatchObject([{ ref: 'refs/heads/next', after }]);
  });

  test('starts from the beginning when the source changes', async () => {
    await pollFirst();
    const other = git.addRepository(`acme/other-${repositories}`, { 'docs.json': '{}' });
    await change({ source: { repository: other.url } });
    expect(await state()).toMatchObject({ branch: null, commit: null });
    await poller.pollDue();
    expect(await state()).toMatchObject({ branch: 'main', commit: other.tip('main') });
    expect(await events()).toEqual([]);
  });

  test('can be in a git repository of the server, whose push starts an export', async () => {
    const folder = temporaryFolder('local');
    commitAll(folder, { 'docs.json': '{}' });
    await change({ source: { repository: `file://${folder}` } });
    await pollFirst();
    const after = commitAll(folder, { 'index.mdx': '# Local' });
    await pollAgain();
    await process();
    expect(await events()).toMatchObject([{ after, state: 'processed' }]);
  });

  test('of a private repository is read with the credential of the project, which is nowhere stored in plain text', async () => {
    const token = 'ghp_polling_secret_0123456789';
    git.behaviour = { token };
    await change({ agent: { forge: { kind: 'gitea', credential: { type: 'token', token } } } });
    await pollFirst();
    expect(await state()).toMatchObject({ commit: repository.tip('main'), problem: null });
    expect(everythingKept(context)).not.toContain(token);
  });
});

describe('a poll that fails', () => {
  test.each<[string, () => Promise<unknown>, string]>([
    [
      'for a tag',
      async () => {
        repository.git('tag', 'v1');
        await change({ source: { repository: repository.url, ref: 'v1' } });
      },
      'The repository has no branch v1. Only branches are polled. Check `source.ref` of the project.',
    ],
    [
      'for a folder without git',
      () => change({ source: { repository: temporaryFolder('folder') } }),
      'A folder cannot be polled. Use the file:// URL of a git repository.',
    ],
    [
      'for a missing repository',
      () => change({ source: { repository: `${git.origin}/missing.git` } }),
      'The repository does not exist or needs credentials. Add a credential to the project.',
    ],
    [
      'for a host that is not allowed',
      () => change({ source: { repository: 'https://127.0.0.2/docs.git' } }),
      '127.0.0.2',
    ],
  ])('%s says why', async (_what, prepare, problem) => {
    await prepare();
    await pollFirst();
    expect(await state()).toMatchObject({
      problem: expect.stringContaining(problem),
      failures: 1,
      commit: null,
    });
  });

  test('is repeated less and less often, at least once an hour, until it succeeds', async () => {
    await pollFirst();
    git.behaviour = { token: null, statusFor: () => 503 };
    const delays: number[] = [];
    for (let failures = 1; failures <= 6; failures += 1) {
      await pollAgain(3961);
      const { nextPollAt, polledAt, problem, failures: counted } = await state();
      expect(problem).toContain('503');
      expect(counted).toBe(failures);
      delays.push(Math.floor((Date.parse(nextPollAt ?? '') - Date.parse(polledAt ?? '')) / 1000));
    }
    for (const [index, seconds] of [600, 1200, 2400, 3600, 3600, 3600].entries()) {
      expect(delays[index]).toBeGreaterThanOrEqual(seconds);
      expect(delays[index]).toBeLessThanOrEqual(seconds * 1.1);
    }
    git.behaviour = { token: null };
    const after = repository.commit('main', { 'index.mdx': '# After the outage' });
    await pollAgain(3961);
    expect(await state()).toMatchObject({ problem: null, failures: 0, commit: after });
    expect(await events()).toMatchObject([{ after }]);
  });

  test('is repeated at once after a change of the settings', async () => {
    git.behaviour = { token: null, statusFor: () => 503 };
    await pollFirst();
    git.behaviour = { token: null };
    await usePolling({ intervalSeconds: 60 });
    await poller.pollDue();
    expect(await state()).toMatchObject({ problem: null, intervalSeconds: 60 });
  });

  test('says that the credential is not accepted, without its value', async () => {
    const token = 'glpat-echoed-credential-42';
    git.behaviour = { token: 'another' };
    await change({ agent: { forge: { kind: 'gitlab', credential: { type: 'token', token } } } });
    await pollFirst();
    const { problem } = await state();
    expect(problem).toContain('credential of the project is not accepted');
    expect(problem).not.toContain(token);
  });
});

test('several processes poll a project once and store one event', async () => {
  await pollFirst();
  repository.commit('main', { 'index.mdx': '# Changed' });
  const requests = git.requests.length;
  context.clock.advance(331);
  await Promise.all([1, 2, 3].map(() => new SourcePoller(context).pollDue()));
  expect(await events()).toHaveLength(1);
  const asked = git.requests.slice(requests).filter(({ path }) => path.includes('info/refs'));
  expect(asked).toHaveLength(1);
});

test('a process that ends during a poll leaves it to another one, which stores the push once', async () => {
  await pollFirst();
  repository.commit('main', { 'index.mdx': '# Changed' });
  context.clock.advance(331);
  const killed: TestContext = {
    ...context,
    sources: { ...context.sources, readHead: () => new Promise(() => undefined) },
  };
  void new SourcePoller(killed).pollDue();
  await expect
    .poll(async () => (await state()).nextPollAt)
    .toBe(new Date(context.clock.now().getTime() + 60_000).toISOString());
  await poller.pollDue();
  expect(await events()).toEqual([]);
  await pollAgain(60);
  expect(await events()).toHaveLength(1);
});

test('a poll that is overtaken by a change of the settings is discarded', async () => {
  await pollFirst();
  repository.commit('main', { 'index.mdx': '# Changed' });
  context.clock.advance(331);
  let answer = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    git.behaviour = {
      token: null,
      beforeAnswer: () =>
        new Promise((wait) => {
          answer = wait;
          resolve();
        }),
    };
  });
  const late = poller.pollDue();
  await asked;
  await usePolling({ enabled: false });
  git.behaviour = { token: null };
  answer();
  await late;
  expect(await events()).toEqual([]);
  expect(await state()).toMatchObject({ enabled: false, nextPollAt: null });
});

test('polling is off until it is enabled', async () => {
  expect(await state()).toEqual({
    enabled: false,
    intervalSeconds: 300,
    branch: null,
    commit: null,
    polledAt: null,
    nextPollAt: null,
    problem: null,
    failures: 0,
  });
  expect(await poller.pollDue()).toBe(0);
});

test('the state of another organization is not found', async () => {
  const { key } = await createTenant(context, { name: 'Other' });
  const path = `/v1/projects/${project.id}/polling`;
  expect((await service.request(path, { key: key.key })).status).toBe(404);
});

test.each([29, 86_401, 60.5])('an interval of %s seconds is refused', async (intervalSeconds) => {
  const body = jsonBody({ exports: { polling: { intervalSeconds } } });
  const path = `/v1/projects/${project.id}`;
  const response = await service.request(path, { ...body, method: 'PATCH', key: tenant.key.key });
  expect(response.status).toBe(400);
});
