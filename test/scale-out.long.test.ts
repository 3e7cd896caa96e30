/**
 * Several processes on one PostgreSQL: changes are visible to the others within a second, and a lost or stopped worker leaves
 * its job to another.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ExportJob, waitForExport } from '@docyard/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGitServer, type GitServer } from './fakes/git-server.ts';
import { postgresMissing, startPostgres, type PostgresServer } from './postgres.ts';
import { program, siteFiles, startService, temporaryFolder, type Service } from './service.ts';

describe.skipIf(postgresMissing !== undefined)(`several processes ${postgresMissing ?? ''}`, () => {
  const shared: Record<string, string> = {};
  let postgres: PostgresServer;
  let git: GitServer;
  let api: Service;
  let otherApi: Service;
  const running: Service[] = [];

  async function start(role: 'api' | 'worker'): Promise<Service> {
    const service = await startService({ role, environment: shared });
    running.push(service);
    return service;
  }

  beforeAll(async () => {
    postgres = await startPostgres();
    git = await startGitServer();
    Object.assign(shared, {
      DATABASE_URL: await postgres.createDatabase(),
      BLOBS_URL: `file://${temporaryFolder('blobs')}`,
      SECRET_KEY: 'the same for every process of this test',
      EGRESS_ALLOW: `source:${git.host}`,
    });
    [api, otherApi] = await Promise.all([start('api'), start('api')]);
    const repository = git.addRepository('docs', siteFiles(3));
    const source = { repository: repository.url };
    await api.client.call('createProject', { body: { name: 'Docs', domain, source } });
  });

  afterAll(async () => {
    await Promise.all(running.map((service) => service.kill()));
    await git?.close();
    await postgres?.remove();
  });

  const domain = 'docs.example.com';
  const startExport = () => api.client.call('startExport', { body: { domain } });
  const read = (jobId: string, from = api) => from.client.call('readExport', { params: { jobId } });

  /** Keeps every new job in its first phase until it is released. */
  function holdJobs(): () => void {
    const held = Promise.withResolvers<void>();
    git.behaviour.beforeAnswer = () => held.promise;
    return () => {
      git.behaviour.beforeAnswer = undefined;
      held.resolve();
    };
  }

  async function untilJob(
    jobId: string,
    isSo: (job: ExportJob) => boolean,
    seconds: number,
  ): Promise<ExportJob> {
    for (const deadline = Date.now() + seconds * 1000; ;) {
      const job = await read(jobId);
      if (isSo(job)) return job;
      if (Date.now() > deadline) throw new Error(`Not so after ${seconds} s: ${JSON.stringify(job)}`);
      await pause(50);
    }
  }

  test('processes that start at the same moment set the installation up once', async () => {
    const statement = 'select count(*) from organizations';
    expect(await postgres.query(shared['DATABASE_URL'] ?? '', statement)).toBe('1');
    expect(api.key).not.toBe(otherApi.key);
  });

  test('a process with another secret is refused with a sentence', async () => {
    const environment = { ...shared, SECRET_KEY: 'another than that of the other processes' };
    await expect(startService({ role: 'worker', environment })).rejects.toThrow(
      'This SECRET_KEY does not belong to this database',
    );
  });

  test('a process that cannot open its queue ends, and does not linger without serving', async () => {
    const database = await postgres.createDatabase();
    // Enough rights for the tables, not for the schema of the queue.
    await postgres.query(database, 'create role small login; grant all on schema public to small');
    const url = Object.assign(new URL(database), { username: 'small' }).href;
    const starting = startService({ role: 'worker', environment: { ...shared, DATABASE_URL: url } });
    await expect(starting).rejects.toThrow(/ended with 1: docyard: permission denied for database/);
  });

  describe('within a second every process knows of', () => {
    /** Polls like a client, so that caches are filled. */
    async function seenWithinASecond(isSo: () => Promise<boolean>): Promise<void> {
      const changedAt = Date.now();
      while (!(await isSo())) {
        if (Date.now() - changedAt > 1000) throw new Error('Not seen within a second.');
      }
    }

    test('a change of a job', async () => {
      const { jobId } = await startExport();
      for (const each of [api, otherApi]) expect((await read(jobId, each)).status).toBe('queued');
      await api.client.call('cancelExport', { params: { jobId } });
      expect((await read(jobId)).status).toBe('failed');
      await seenWithinASecond(async () => (await read(jobId, otherApi)).status === 'failed');
    });

    test('a key that was revoked, by another process or by the command line', async () => {
      for (const revoke of [revokeOverHttp, revokeByCommand]) {
        const { id, key } = await api.client.call('createKey', { body: { name: 'Short-lived' } });
        const use = (at: Service) =>
          fetch(`${at.origin}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
        for (const each of [api, otherApi]) expect((await use(each)).status).toBe(200);
        await revoke(id);
        for (const each of [api, otherApi]) {
          await seenWithinASecond(async () => (await use(each)).status === 401);
        }
      }
    });

    const revokeOverHttp = (id: string) => api.client.call('revokeKey', { params: { keyId: id } });
    const revokeByCommand = async (id: string) => {
      const folder = join(temporaryFolder('command'), 'data');
      const args = [program, 'keys', 'revoke', id, '--data', folder];
      const env = { ...process.env, ...shared };
      const command = spawn(process.execPath, args, { env, stdio: 'ignore' });
      expect(await new Promise((resolve) => command.once('exit', resolve))).toBe(0);
      expect(existsSync(folder)).toBe(false);
    };
  });

  describe('a job that waits', () => {
    let worker: Service;
    const release = { now: () => {} };

    test('is taken by the first worker, while others follow it by waiting and by events', async () => {
      release.now = holdJobs();
      const { jobId } = await startExport();
      const path = `/v1/static-export/jobs/${jobId}`;
      const etag = (await otherApi.request(path)).headers.get('etag') ?? '';
      const waiting = otherApi.request(path, { headers: { prefer: 'wait=30', 'if-none-match': etag } });
      const events = otherApi.request(`${path}/events`).then((answer) => answer.text());
      worker = await start('worker');
      expect(await (await waiting).json()).toMatchObject({ status: 'running' });
      release.now();
      const statuses = [...(await events).matchAll(/^data: (.*)$/gm)].map(
        ([, data]) => (JSON.parse(data ?? '') as ExportJob).status,
      );
      expect([...new Set(statuses)]).toEqual(['queued', 'running', 'completed']);
      const { sha256 } = (await read(jobId)).bundle ?? {};
      const { bundleUrl } = await api.client.call('createBundle', { params: { jobId } });
      const bytes = new Uint8Array(await (await fetch(bundleUrl)).arrayBuffer());
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    });

    test('is not shown by the worker, which answers for its health and for nothing else', async () => {
      expect((await worker.request('/healthz')).status).toBe(200);
      expect((await worker.request('/readyz')).status).toBe(200);
      for (const path of ['/', '/v1/me', '/docs/', '/openapi.json', '/b/x']) {
        expect((await fetch(worker.origin + path)).status).toBe(404);
      }
    });

    test('is taken up within 15 s by another worker when the first is killed, and completed', async () => {
      release.now = holdJobs();
      const { jobId } = await startExport();
      await untilJob(jobId, ({ status }) => status === 'running', 10);
      const other = await start('worker');
      await worker.kill();
      worker = other;
      const killedAt = Date.now();
      await untilJob(jobId, ({ status, attempt }) => status === 'running' && attempt === 2, 15);
      console.log(`The job of a killed worker was taken up after ${(Date.now() - killedAt) / 1000} s.`);
      release.now();
      expect((await waitForExport(api.client, jobId)).status).toBe('completed');
    });

    test('a job is requeued at once by a stopping worker, and completed', async () => {
      release.now = holdJobs();
      const { jobId } = await startExport();
      await untilJob(jobId, ({ status }) => status === 'running', 10);
      const other = await start('worker');
      expect(await worker.stop()).toBe(0);
      worker = other;
      await untilJob(jobId, ({ status, attempt }) => status === 'running' && attempt === 2, 5);
      release.now();
      expect((await waitForExport(api.client, jobId)).status).toBe('completed');
    });

    test('is completed by its worker although every connection to the database was cut', async () => {
      release.now = holdJobs();
      const { jobId } = await startExport();
      await untilJob(jobId, ({ status }) => status === 'running', 10);
      await postgres.cutConnections();
      release.now();
      for (const each of [api, otherApi]) {
        const status = async () => {
          const answer = await each.request(`/v1/static-export/jobs/${jobId}`);
          return ((await answer.json()) as { status?: string }).status;
        };
        await expect.poll(status, { timeout: 20_000 }).toBe('completed');
      }
      expect((await read(jobId)).attempt).toBe(1);
      expect(await worker.stop()).toBe(0);
    });
  });
});
