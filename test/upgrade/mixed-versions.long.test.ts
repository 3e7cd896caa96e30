/** Processes of the previous version and of today's on one PostgreSQL, in the middle of a rolling upgrade. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { waitForExport, type ExportJob } from '@docyard/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGitServer, type GitServer } from '../fakes/git-server.ts';
import { postgresMissing, startPostgres, type PostgresServer } from '../postgres.ts';
import { siteFiles, startService, temporaryFolder, type Service } from '../service.ts';
import { earlierProgram, historyMissing, previousName } from './earlier-program.ts';

const obstacle = postgresMissing ?? historyMissing;
const domain = 'docs.example.com';

describe.skipIf(obstacle !== undefined)(`a rolling upgrade ${obstacle ?? ''}`, { timeout: 240_000 }, () => {
  let postgres: PostgresServer;
  let git: GitServer;
  const messages: string[] = [];
  const receiver = createServer((request, response) => {
    messages.push(String(request.headers['webhook-id']));
    response.writeHead(204).end();
  });

  beforeAll(async () => {
    [postgres, git] = await Promise.all([startPostgres(), startGitServer()]);
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
  });
  afterAll(async () => {
    receiver.close();
    await git?.close();
    await postgres?.remove();
  });

  interface Installation {
    environment: Record<string, string>;
    oldApi: Service;
    oldWorker: Service;
    start(role: 'api' | 'worker', version: 'old' | 'new'): Promise<Service>;
  }

  /** An API process and a worker of the previous version, with a project and a webhook. */
  async function install(): Promise<Installation> {
    const webhookHost = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    const environment = {
      DATABASE_URL: await postgres.createDatabase(),
      BLOBS_URL: `file://${temporaryFolder('blobs')}`,
      SECRET_KEY: randomBytes(32).toString('hex'),
      EGRESS_ALLOW: `source:${git.host},webhook:${webhookHost}`,
    };
    const start: Installation['start'] = (role, version) =>
      startService({
        role,
        environment,
        ...(version === 'old' ? { program: earlierProgram(previousName) } : {}),
      });
    const oldApi = await start('api', 'old');
    const oldWorker = await start('worker', 'old');
    const repository = git.addRepository(`docs-${randomBytes(4).toString('hex')}`, siteFiles(3));
    const source = { repository: repository.url };
    await oldApi.client.call('createProject', { body: { name: 'Docs', domain, source } });
    await oldApi.client.call('createWebhook', { body: { url: `http://${webhookHost}/` } });
    return { environment, oldApi, oldWorker, start };
  }

  /** Keeps every new job in its first phase until it is released. */
  function holdJobs(): () => void {
    const held = Promise.withResolvers<void>();
    git.behaviour.beforeAnswer = () => held.promise;
    return () => {
      git.behaviour.beforeAnswer = undefined;
      held.resolve();
    };
  }

  const startExport = async ({ client }: Service) =>
    (await client.call('startExport', { body: { domain } })).jobId;
  const read = ({ client }: Service, jobId: string) => client.call('readExport', { params: { jobId } });

  async function untilRunning(service: Service, jobId: string): Promise<ExportJob> {
    for (;;) {
      const job = await read(service, jobId);
      if (job.status !== 'queued') return job;
      await pause(50);
    }
  }

  /** A job started through one process is completed, with the same record and an intact bundle through the other. */
  async function expectExport(startedBy: Service, readBy: Service): Promise<void> {
    const jobId = await startExport(startedBy);
    const job = await waitForExport(readBy.client, jobId);
    expect(job).toMatchObject({ status: 'completed', attempt: 1 });
    const { bundle, finishedAt } = await read(startedBy, jobId);
    expect({ sha256: bundle?.sha256, finishedAt }).toEqual({
      sha256: job.bundle?.sha256,
      finishedAt: job.finishedAt,
    });
    const { bundleUrl } = await startedBy.client.call('createBundle', { params: { jobId } });
    const bytes = new Uint8Array(await (await fetch(bundleUrl)).arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(job.bundle?.sha256);
  }

  async function expectCanceled(startedBy: Service, canceledBy: Service): Promise<void> {
    const release = holdJobs();
    const jobId = await startExport(startedBy);
    await untilRunning(startedBy, jobId);
    await canceledBy.client.call('cancelExport', { params: { jobId } });
    release();
    expect(await waitForExport(startedBy.client, jobId)).toMatchObject({ status: 'failed' });
  }

  /** Each message once, and no delivery left. */
  async function expectMessages({ environment }: Installation): Promise<void> {
    const left = `select count(*) from webhook_deliveries where status <> 'delivered'`;
    await expect.poll(() => postgres.query(environment['DATABASE_URL'] ?? '', left)).toBe('0');
    expect(messages.length).toBeGreaterThan(0);
    expect(new Set(messages).size).toBe(messages.length);
  }

  test('a new API process works with an old worker, which finishes what it had begun', async () => {
    const installation = await install();
    const { oldApi, oldWorker, start } = installation;
    const release = holdJobs();
    const jobId = await startExport(oldApi);
    await untilRunning(oldApi, jobId);
    const newApi = await start('api', 'new');
    release();
    expect(await waitForExport(newApi.client, jobId)).toMatchObject({ status: 'completed', attempt: 1 });
    await expectExport(newApi, oldApi);
    await expectExport(oldApi, newApi);
    await expectCanceled(newApi, oldApi);
    await expectCanceled(oldApi, newApi);
    await expectMessages(installation);
    for (const service of [oldApi, oldWorker, newApi]) expect(await service.stop()).toBe(0);
  });

  test('a new worker works with an old API process, and takes over the job of a stopped old worker', async () => {
    const installation = await install();
    const { oldApi, oldWorker, start } = installation;
    const release = holdJobs();
    const jobId = await startExport(oldApi);
    await untilRunning(oldApi, jobId);
    const newWorker = await start('worker', 'new');
    expect(await oldWorker.stop()).toBe(0);
    release();
    expect(await waitForExport(oldApi.client, jobId)).toMatchObject({ status: 'completed', attempt: 2 });
    await expectExport(oldApi, oldApi);
    await expectCanceled(oldApi, oldApi);
    await expectMessages(installation);
    const newApi = await start('api', 'new');
    await expectExport(newApi, oldApi);
    for (const service of [oldApi, newApi, newWorker]) expect(await service.stop()).toBe(0);
  });

  test('an old process that starts after the migration is refused, and the others continue', async () => {
    const { oldApi, oldWorker, start } = await install();
    const newApi = await start('api', 'new');
    await expect(start('worker', 'old')).rejects.toThrow(/by a newer version of Docyard/);
    await expectExport(oldApi, newApi);
    for (const service of [oldApi, oldWorker, newApi]) expect(await service.stop()).toBe(0);
  });

  test('jobs that an old API process starts do not fill the queue of a new one', async () => {
    const { environment, oldApi, oldWorker, start } = await install();
    const newApi = await start('api', 'new');
    const newWorker = await start('worker', 'new');
    expect(await oldWorker.stop()).toBe(0);
    for (let count = 0; count < 2; count += 1) await expectExport(oldApi, newApi);
    expect(await newWorker.stop()).toBe(0);
    const lastWorker = await start('worker', 'new');
    const counted = 'select sum(queued) from queue_counts';
    await expect.poll(() => postgres.query(environment['DATABASE_URL'] ?? '', counted)).toMatch(/^0?$/);
    for (const service of [oldApi, newApi, lastWorker]) expect(await service.stop()).toBe(0);
  });
});
