/** Pushes to a real git server, reported to a real service as each forge reports them, become exports of the pushed commit. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { ForgeEvent } from '@docyard/api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as stage from './contract/harness.ts';
import { pushWebhook, webhookForges, type WebhookForge } from './fakes/forges/push-webhooks.ts';
import { startGitServer, type GitServer, type ServedRepository } from './fakes/git-server.ts';
import { program, siteFiles, startService, type Service } from './service.ts';

const timeout = 60_000;
let git: GitServer;
let service: Service;

beforeAll(async () => {
  git = await startGitServer();
  service = await start();
});

afterAll(async () => {
  await service.stop();
  await git.close();
});

const start = (dataDir?: string) =>
  startService({
    environment: { EGRESS_ALLOW: `source:${git.host}` },
    sample: false,
    ...(dataDir === undefined ? {} : { dataDir }),
  });

interface Hooked {
  projectId: string;
  secret: string;
  repository: ServedRepository;
}

let repositories = 0;

async function addHooked(quietSeconds: number): Promise<Hooked> {
  repositories += 1;
  const repository = git.addRepository(`acme/docs-${repositories}`, siteFiles(1));
  const { id: projectId } = await stage.addProject(service, repository.url);
  const params = { projectId };
  await service.client.call('updateProject', { params, body: { exports: { onPush: { quietSeconds } } } });
  const { secret } = await service.client.call('createHookSecret', { params });
  return { projectId, secret, repository };
}

function report({ projectId, secret, repository }: Hooked, after: string, forge: WebhookForge = 'github') {
  const request = pushWebhook(forge, { secret, repository: repository.url, after, before: 'b'.repeat(40) });
  return fetch(`${service.origin}/hooks/${projectId}`, { method: 'POST', ...request });
}

async function eventIdOf(response: Response): Promise<string> {
  expect(response.status).toBe(202);
  return ((await response.json()) as { events: { id: string }[] }).events[0]?.id ?? '';
}

async function untilSettled(eventId: string): Promise<ForgeEvent> {
  const read = () => service.client.call('readForgeEvent', { params: { eventId } });
  await expect.poll(async () => (await read()).state, { timeout }).not.toBe('pending');
  return read();
}

test.each(webhookForges)('a push that %s reports is exported', { timeout }, async (forge) => {
  const hooked = await addHooked(0);
  const commit = hooked.repository.commit('main', { 'index.mdx': `# Pushed to ${forge}` });
  const eventId = await eventIdOf(await report(hooked, commit, forge));
  const { jobId } = await untilSettled(eventId);
  const job = await stage.waitFor(service, jobId ?? '', ({ status }) => status === 'completed');
  expect(job).toMatchObject({ trigger: { kind: 'push', eventId, commit }, source: { commit } });
});

async function docyard(...args: string[]): Promise<string> {
  const environment = { ...process.env, DOCYARD_API_KEY: service.key };
  const command = [program, 'events', ...args, '--server', service.origin];
  const { stdout } = await promisify(execFile)(process.execPath, command, { env: environment });
  return stdout;
}

test('docyard events sets up a hook, shows an event and replays it', { timeout }, async () => {
  const { projectId, repository } = await addHooked(0);
  const secret = (await docyard('create-secret', '--project', projectId, '--output', '-')).trim();
  expect(await docyard('hook', '--project', projectId)).toContain(`${service.origin}/hooks/${projectId}`);
  const commit = repository.tip('main') ?? '';
  const eventId = await eventIdOf(await report({ projectId, secret, repository }, commit));
  const { jobId } = await untilSettled(eventId);
  expect(await docyard('list', '--project', projectId)).toContain(jobId);
  expect(await docyard('show', eventId)).toContain('processed');
  await stage.waitFor(service, jobId ?? '', ({ status }) => status === 'completed');
  expect(JSON.parse(await docyard('replay', eventId, '--json'))).toMatchObject({
    id: eventId,
    state: 'pending',
  });
  expect((await untilSettled(eventId)).jobId).not.toBe(jobId);
});

/** A change of the settings polls at once. */
async function poll(projectId: string): Promise<void> {
  const body = { exports: { polling: { enabled: true } } };
  await service.client.call('updateProject', { params: { projectId }, body });
}

async function eventsOf(projectId: string): Promise<ForgeEvent[]> {
  return (await service.client.call('listForgeEvents', { query: { projectId, limit: 100 } })).data;
}

test('docyard events polling polls a branch, whose new commit is exported', { timeout }, async () => {
  const { projectId, repository } = await addHooked(0);
  const polling = (...options: string[]) => docyard('polling', '--project', projectId, ...options);
  expect(await polling()).toContain('off');
  expect(await polling('--enable', '--interval', '30')).toContain('every 30 seconds');
  await expect.poll(() => polling(), { timeout }).toContain(repository.tip('main'));
  const commit = repository.commit('main', { 'index.mdx': '# Polled' });
  await poll(projectId);
  await expect.poll(() => eventsOf(projectId), { timeout }).toHaveLength(1);
  const [event] = await eventsOf(projectId);
  const { jobId } = await untilSettled(event?.id ?? '');
  const job = await stage.waitFor(service, jobId ?? '', ({ status }) => status === 'completed');
  expect(job).toMatchObject({ trigger: { commit }, source: { commit } });
});

/** Around the poll, and between the poll and the export. */
const killedAfterPollMs = [0, 300, 800, 1500];

test(
  'a service that is killed during a poll exports each new commit once',
  { timeout: 5 * timeout },
  async () => {
    const { projectId, repository } = await addHooked(0);
    await poll(projectId);
    const params = { projectId };
    const polled = () => service.client.call('readProjectPolling', { params });
    await expect.poll(async () => (await polled()).commit, { timeout }).toBe(repository.tip('main'));
    for (const [round, milliseconds] of killedAfterPollMs.entries()) {
      const commit = repository.commit('main', { 'index.mdx': `# Polled ${round}` });
      await poll(projectId);
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      await service.kill();
      service = await start(service.dataDir);
      await poll(projectId);
      await expect.poll(async () => (await polled()).commit, { timeout }).toBe(commit);
      const [event, ...older] = await eventsOf(projectId);
      expect(older).toHaveLength(round);
      expect(event?.after).toBe(commit);
      const { jobId } = await untilSettled(event?.id ?? '');
      const job = await stage.waitFor(service, jobId ?? '', ({ status }) => status === 'completed');
      expect(job.source.commit).toBe(commit);
    }
    const { domain } = await service.client.call('readProject', { params });
    const { data } = await service.client.call('listExports', { query: { domain, limit: 100 } });
    expect(data).toHaveLength(killedAfterPollMs.length);
  },
);

/** Before the event is processed, around the start of the export, and while it runs. */
const killedAfterMs = [0, 500, 1000, 1500, 2500];

test(
  'a service that is killed loses no event and starts no second export',
  { timeout: 5 * timeout },
  async () => {
    const hooked = await addHooked(1);
    for (const [round, milliseconds] of killedAfterMs.entries()) {
      const commit = hooked.repository.commit('main', { 'index.mdx': `# Round ${round}` });
      const eventId = await eventIdOf(await report(hooked, commit));
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      await service.kill();
      service = await start(service.dataDir);
      const { state, jobId } = await untilSettled(eventId);
      expect(state).toBe('processed');
      const job = await stage.waitFor(service, jobId ?? '', ({ status }) => status === 'completed');
      expect(job.source.commit).toBe(commit);
      const { data } = await service.client.call('listExports', {
        query: { domain: job.domain, limit: 100 },
      });
      expect(data).toHaveLength(round + 1);
    }
  },
);

test(
  'a burst of 10,000 events is stored completely and starts few exports',
  { timeout: 15 * timeout },
  async () => {
    const hooked = await addHooked(0);
    const commits = Array.from({ length: 10_000 }, (_, index) => index.toString(16).padStart(40, 'a'));
    const acknowledged = new Set<string>();
    const senders = Array.from({ length: 32 }, async () => {
      for (let commit = commits.pop(); commit !== undefined; commit = commits.pop()) {
        const response = await report(hooked, commit);
        if (response.status === 202) acknowledged.add(await eventIdOf(response));
        else expect([429, 503]).toContain(response.status);
      }
    });
    await Promise.all(senders);
    expect(acknowledged.size).toBeGreaterThan(0);
    const query = { projectId: hooked.projectId, limit: 100 };
    await expect
      .poll(() => service.client.call('listForgeEvents', { query: { ...query, state: 'pending' } }), {
        timeout,
      })
      .toMatchObject({ data: [] });
    for (let cursor: string | undefined; ;) {
      const page = await service.client.call('listForgeEvents', {
        query: { ...query, ...(cursor === undefined ? {} : { cursor }) },
      });
      for (const { id } of page.data) acknowledged.delete(id);
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(acknowledged).toEqual(new Set());
    const { domain } = await service.client.call('readProject', { params: { projectId: hooked.projectId } });
    const exports = await service.client.call('listExports', { query: { domain, limit: 100 } });
    expect(exports.nextCursor).toBeNull();
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8')) ?? [];
    expect(Number(kilobytes)).toBeLessThan(600_000);
  },
);
