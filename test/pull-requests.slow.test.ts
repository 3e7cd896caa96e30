/**
 * Pull requests at real git servers, reported to a real service as each forge reports them: the preview, the comment
 * and the status.
 */
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ForgePullRequest } from '@docyard/api';
import * as stage from './contract/harness.ts';
import { startFakeBitbucketDataCenter } from './fakes/forges/bitbucket-data-center.ts';
import { startFakeBitbucket } from './fakes/forges/bitbucket.ts';
import { startFakeGitea } from './fakes/forges/gitea.ts';
import { startFakeGithub } from './fakes/forges/github.ts';
import { startFakeGitlab } from './fakes/forges/gitlab.ts';
import { pullRequestWebhook } from './fakes/forges/pull-request-webhooks.ts';
import { webhookForges, type WebhookForge } from './fakes/forges/push-webhooks.ts';
import { openPull, type FakeForge, type FakeOptions, type FakePull } from './fakes/forges/server.ts';
import type { PullRequestAction } from './fakes/forges/webhooks/pull-request.ts';
import { startGitServer, type GitServer, type ServedRepository } from './fakes/git-server.ts';
import { freePort } from './free-port.ts';
import { siteFiles, startService, type Service } from './service.ts';

const timeout = 90_000;

const starts: Record<WebhookForge, (options: FakeOptions) => Promise<FakeForge>> = {
  github: startFakeGithub,
  gitlab: startFakeGitlab,
  gitea: startFakeGitea,
  bitbucket: startFakeBitbucket,
  'bitbucket-data-center': startFakeBitbucketDataCenter,
};

/** Where each forge keeps the head of a pull request in the repository that it is for. */
const headRefs: Record<WebhookForge, string | null> = {
  github: 'refs/pull/1/head',
  gitlab: 'refs/merge-requests/1/head',
  gitea: 'refs/pull/1/head',
  bitbucket: null,
  'bitbucket-data-center': 'refs/pull-requests/1/from',
};

let git: GitServer;
let service: Service;
const fakes = new Map<WebhookForge, FakeForge>();

const start = async (dataDir?: string, port?: number) => {
  const used = port ?? (await freePort());
  const hosts = [...fakes.values()].map(({ origin }) => `forge:${new URL(origin).host}`);
  return startService({
    port: used,
    environment: {
      EGRESS_ALLOW: [`source+picture:${git.host}`, ...hosts].join(','),
      PUBLIC_URL: `http://127.0.0.1:${used}`,
    },
    sample: false,
    ...(dataDir === undefined ? {} : { dataDir }),
  });
};

beforeAll(async () => {
  git = await startGitServer();
  for (const forge of webhookForges) fakes.set(forge, await starts[forge]({ path: `acme/docs-of-${forge}` }));
  service = await start();
}, timeout);

afterAll(async () => {
  await service.stop();
  await git.close();
  for (const fake of fakes.values()) {
    await fake.stop();
    expect(fake.complaints).toEqual([]);
  }
});

interface Scene {
  forge: WebhookForge;
  fake: FakeForge;
  projectId: string;
  secret: string;
  repository: ServedRepository;
  pull: FakePull;
}

const scenes = new Map<WebhookForge, Scene>();

async function sceneOf(forge: WebhookForge): Promise<Scene> {
  const known = scenes.get(forge);
  if (known !== undefined) return known;
  const fake = fakes.get(forge) as FakeForge;
  const name = new URL(fake.repository).pathname.slice(1).replace(/\.git$/, '');
  const repository = git.addRepository(name, siteFiles(3));
  const { id: projectId, domain } = await stage.addProject(service, repository.url);
  const credential = { type: 'token' as const, token: fake.token };
  await service.client.call('updateProject', {
    params: { projectId },
    body: { agent: { forge: { kind: forge, apiBase: fake.apiBase, credential } } },
  });
  const published = await stage.runExport(service, domain);
  expect(published.status).toBe('completed');
  const { secret } = await service.client.call('createHookSecret', { params: { projectId } });
  const pull = openPull(fake, {
    title: 'Describe @everyone | the flag',
    body: '',
    draft: false,
    head: 'topic',
    base: 'main',
  });
  const scene = { forge, fake, projectId, secret, repository, pull };
  scenes.set(forge, scene);
  return scene;
}

function push(scene: Scene, files: Record<string, string>): string {
  const commit = scene.repository.commit('topic', files);
  scene.pull.headCommit = commit;
  scene.pull.changes = Object.keys(files).map((path) => ({ path }));
  return commit;
}

async function report(scene: Scene, action: PullRequestAction, headCommit = scene.pull.headCommit) {
  const { forge, secret, repository, projectId, pull } = scene;
  const fork = pull.isFork ? repository.url.replace('/acme/', '/stranger/') : repository.url;
  const change = { action, secret, repository: repository.url, number: pull.number, headCommit, fork };
  const response = await fetch(`${service.origin}/hooks/${projectId}`, {
    method: 'POST',
    ...pullRequestWebhook(forge, change),
  });
  expect(response.status).toBe(202);
}

async function readPull({ projectId }: Scene): Promise<ForgePullRequest | undefined> {
  const { data } = await service.client.call('listPullRequests', { query: { projectId } });
  expect(data.length).toBeLessThan(2);
  return data[0];
}

/** Waits until the worker has nothing left to do. */
async function until(scene: Scene, state: string, commit?: string): Promise<ForgePullRequest> {
  const read = async () => {
    const found = await readPull(scene);
    const isCurrent = commit === undefined || found?.headCommit === commit;
    return found?.preview.state === state && isCurrent && found.nextAttemptAt === null ? found : undefined;
  };
  await expect.poll(read, { timeout: timeout / 2, interval: 200 }).toBeDefined();
  return (await read()) as ForgePullRequest;
}

const comments = ({ fake }: Scene) => fake.conversation.comments;
const newestStatus = ({ fake }: Scene, commit: string) =>
  fake.conversation.statuses.findLast((status) => status.commit === commit);

describe.each(webhookForges)('a pull request of %s', (forge) => {
  test('gets a preview at an address, a comment and a status', { timeout }, async () => {
    const scene = await sceneOf(forge);
    const commit = push(scene, {
      'guides/page-1.mdx': `# A heading of the pull request\n\n[Broken](/missing)\n\n![Own](${git.origin}/own.png)\n`,
    });
    await report(scene, 'opened');
    const { preview, commentUrl } = await until(scene, 'ready', commit);
    expect(preview).toMatchObject({ commit, url: expect.stringContaining('/preview/pull-requests/') });
    const page = await fetch(`${preview.url}guides/page-1`);
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('A heading of the pull request'),
    ]);
    const before = await fetch(`${(preview.url ?? '').replace(/\/$/, '')}.before/guides/page-1`);
    expect([before.status, await before.text()]).toEqual([
      200,
      expect.not.stringContaining('of the pull request'),
    ]);
    const [comment, ...more] = comments(scene);
    expect(more).toEqual([]);
    expect(comment?.body).toContain(`(${preview.url}guides/page-1)`);
    expect(comment?.body).toContain('guides/page-1.mdx:3');
    if (forge !== 'bitbucket-data-center') expect(commentUrl).not.toBeNull();
    expect(newestStatus(scene, commit)).toBeDefined();
  });

  test(
    'keeps one comment and one address for another push, also when events repeat and arrive late',
    { timeout },
    async () => {
      const scene = await sceneOf(forge);
      const older = scene.pull.headCommit;
      const address = (await readPull(scene))?.preview.url;
      const commit = push(scene, { 'guides/page-2.mdx': '# A second heading\n' });
      await report(scene, 'updated');
      await report(scene, 'updated');
      await report(scene, 'updated', older);
      const { preview } = await until(scene, 'ready', commit);
      expect(preview).toMatchObject({ commit, url: address });
      expect(comments(scene)).toHaveLength(1);
      const page = await fetch(`${address}guides/page-2`);
      expect(await page.text()).toContain('A second heading');
      const { data } = await service.client.call('listExports', { query: { projectId: scene.projectId } });
      expect(data.map(({ status }) => status)).toEqual(['completed', 'completed']);
    },
  );

  test(
    'loses its preview when it is merged or closed, and gets it back when it is reopened',
    { timeout },
    async () => {
      const scene = await sceneOf(forge);
      const address = (await readPull(scene))?.preview.url ?? '';
      scene.pull.state = 'closed';
      await report(scene, 'closed');
      await until(scene, 'removed');
      expect((await fetch(`${address}guides/page-2`)).status).toBe(410);
      expect(comments(scene)[0]?.body).toContain('removed');
      const { data } = await service.client.call('listExports', { query: { projectId: scene.projectId } });
      expect(data).toHaveLength(1);
      scene.pull.state = 'open';
      // Both kinds of Bitbucket report the next push, or nothing.
      await report(scene, forge.startsWith('bitbucket') ? 'updated' : 'reopened');
      expect((await until(scene, 'ready')).preview.url).toBe(address);
      expect((await fetch(`${address}guides/page-2`)).status).toBe(200);
      expect(comments(scene)).toHaveLength(1);
    },
  );

  test(
    'of a fork is built after a commit of it was approved, without the credential of the project',
    { timeout },
    async () => {
      const scene = await sceneOf(forge);
      const { repository, pull } = scene;
      pull.isFork = true;
      const commit = push(scene, {
        'guides/page-2.mdx': `# From a fork\n\n![Theirs](${git.origin}/theirs.png)\n`,
      });
      const ref = headRefs[forge];
      if (ref !== null) repository.git('update-ref', ref, commit);
      else git.addRepository('stranger/docs', siteFiles(3)).git('fetch', repository.folder, 'topic:topic');
      await report(scene, 'updated');
      const waiting = await until(scene, 'approval', commit);
      expect(waiting).toMatchObject({ isFork: true, approvedCommit: null });
      expect(comments(scene)[0]?.body).toContain(
        `docyard pull-requests approve ${waiting.id} --commit ${commit}`,
      );
      const params = { pullRequestId: waiting.id };
      const wrong = service.client.call('approvePullRequest', {
        params,
        body: { headCommit: 'b'.repeat(40) },
      });
      await expect(wrong).rejects.toMatchObject({ code: 'version_conflict' });
      await service.client.call('approvePullRequest', { params, body: { headCommit: commit } });
      const built = await until(scene, 'ready', commit);
      expect(await (await fetch(`${built.preview.url}guides/page-2`)).text()).toContain('From a fork');
      const asked = git.requests.map(({ path }) => path);
      expect([asked.includes('/own.png'), asked.includes('/theirs.png')]).toEqual([true, false]);
      const toFork = git.requests.filter(({ path }) => path.startsWith('/stranger/'));
      expect(toFork.map(({ authorization }) => authorization).filter(Boolean)).toEqual([]);
      const { bundleUrl } = await service.client.call('createBundle', {
        params: { jobId: built.preview.jobId ?? '' },
      });
      const bundle = gunzipSync(Buffer.from(await (await fetch(bundleUrl)).arrayBuffer())).toString('latin1');
      expect([bundle.includes('manifest.json'), bundle.includes('.minisig')]).toEqual([true, false]);
      const later = push(scene, { 'guides/page-2.mdx': '# From a fork again\n' });
      await report(scene, 'updated');
      expect((await until(scene, 'approval', later)).preview.commit).toBe(commit);
    },
  );

  test('with a forged signature is refused', async () => {
    const scene = await sceneOf(forge);
    const { repository, pull, projectId } = scene;
    const change = {
      action: 'opened' as const,
      repository: repository.url,
      number: 99,
      headCommit: pull.headCommit,
    };
    const response = await fetch(`${service.origin}/hooks/${projectId}`, {
      method: 'POST',
      ...pullRequestWebhook(forge, { ...change, secret: 'guessed' }),
    });
    expect(response.status).toBe(404);
    expect(await readPull(scene)).toMatchObject({ number: 1 });
  });
});

/** Before the event is processed, around the start of the export, while it runs, and around the comment. */
const killedAfterMs = [0, 700, 1500, 3000, 5000, 8000];

test(
  'a service that is killed has one preview, one comment and one status of each kind',
  { timeout: 4 * timeout },
  async () => {
    const scene = await sceneOf('github');
    scene.pull.isFork = false;
    scene.pull.state = 'open';
    for (const [round, milliseconds] of killedAfterMs.entries()) {
      const commit = push(scene, { 'guides/page-1.mdx': `# Round ${round}\n` });
      await report(scene, 'updated');
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      const { port } = new URL(service.origin);
      await service.kill();
      service = await start(service.dataDir, Number(port));
      const { preview } = await until(scene, 'ready', commit);
      expect(await (await fetch(`${preview.url}guides/page-1`)).text()).toContain(`Round ${round}`);
      expect(comments(scene)).toHaveLength(1);
      const states = scene.fake.conversation.statuses.filter((status) => status.commit === commit);
      expect(states.map(({ state }) => state)).toEqual(['pending', expect.stringMatching(/success|failure/)]);
      const { data } = await service.client.call('listExports', { query: { projectId: scene.projectId } });
      expect(data).toHaveLength(2);
    }
  },
);
