/**
 * Data of earlier versions, left by a process that was killed: today's version migrates it, serves every record, finishes
 * the jobs and verifies the bundles and deltas.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DocyardClient, operationIds, operations, waitForExport, type Operation } from '@docyard/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresMissing, runStatements, startPostgres, type PostgresServer } from '../postgres.ts';
import {
  git,
  gitRepository,
  program,
  siteFiles,
  startService,
  temporaryFolder,
  type Service,
} from '../service.ts';
import { fixtureFolder, keepEverything, loadEarlierDatabase, unpackEarlierData } from './fixture.ts';

const fixtures = readdirSync(fixtureFolder('.')).filter((name) => name.startsWith('schema-'));

describe.each(fixtures)('data of %s', (fixture) => {
  const isPostgres = fixture.endsWith('-postgres');
  /** The first bundles had none, so they cannot be verified, previewed or compared page by page. */
  const hasManifests = !fixture.startsWith('schema-0006');
  describe.skipIf(isPostgres && postgresMissing !== undefined)(
    isPostgres ? 'in PostgreSQL' : 'in SQLite',
    () => {
      const dataDir = join(temporaryFolder('earlier'), 'data');
      const earlier = unpackEarlierData(fixture, dataDir);
      const repository = gitRepository(siteFiles(3));
      const files = temporaryFolder('earlier-bundles');
      let postgres: PostgresServer | undefined;
      let service: Service;
      let client: DocyardClient;
      let log = '';

      beforeAll(async () => {
        const database = isPostgres ? await openPostgres() : openSqlite();
        // The first start of this folder was before this file existed.
        writeFileSync(join(dataDir, 'admin-key'), earlier.key);
        service = await startService({
          dataDir,
          environment: { ...keepEverything, ...database },
          logLevel: 'info',
          onLog: (text) => (log += text),
        });
        client = new DocyardClient({ baseUrl: service.origin, apiKey: earlier.key });
      });
      afterAll(async () => {
        await service?.kill();
        await postgres?.remove();
      });

      /** The repository of the unfinished exports has another place now. */
      const moveRepository = `update jobs set input = replace(input, '${earlier.repository}', '${repository}');
      update projects set repository = replace(repository, '${earlier.repository}', '${repository}')`;

      async function openPostgres() {
        postgres = await startPostgres();
        const url = await postgres.createDatabase();
        loadEarlierDatabase(fixture, url, files);
        runStatements(url, moveRepository);
        return { DATABASE_URL: url };
      }

      function openSqlite() {
        const raw = new DatabaseSync(join(dataDir, 'docyard.db'));
        raw.exec(moveRepository);
        raw.close();
        return {};
      }

      test('is copied first in SQLite, and the log says what happened', () => {
        expect(log).toContain('migrated the database');
        if (isPostgres) {
          expect(log).toContain('migrating the database, which only pg_dump backs up');
          expect(existsSync(join(dataDir, 'backups'))).toBe(false);
        } else {
          const [backup = ''] = readdirSync(join(dataDir, 'backups'));
          expect(log).toContain(join(dataDir, 'backups', backup));
        }
      });

      test('has its keys with their scopes', async () => {
        const asReader = new DocyardClient({ baseUrl: service.origin, apiKey: earlier.readKey });
        expect((await client.call('readMe')).key?.scopes).toEqual(['read', 'write']);
        expect((await asReader.call('readMe')).key?.scopes).toEqual(['read']);
        await expect(asReader.call('createKey', { body: { name: 'No' } })).rejects.toMatchObject({
          status: 403,
        });
        const revoked = new DocyardClient({ baseUrl: service.origin, apiKey: earlier.revokedKey });
        await expect(revoked.call('readMe')).rejects.toMatchObject({ status: 401 });
      });

      test('finishes the exports that were running and waiting', async () => {
        for (const jobId of earlier.unfinishedJobIds) {
          expect(await waitForExport(client, jobId)).toMatchObject({ status: 'completed', failure: null });
        }
      });

      test('answers every operation that reads', async () => {
        const [key] = (await client.call('listKeys')).data;
        const { data } = await client.call('listWebhookDeliveries', {
          params: { webhookId: earlier.webhookId },
        });
        const params: Record<string, string | undefined> = {
          jobId: earlier.exportJobId,
          keyId: key?.id,
          webhookId: earlier.webhookId,
          deliveryId: data[0]?.id,
          id: earlier.agentJobId,
        };
        const queries: Record<string, string> = {
          compareExports: `?with=${earlier.olderExportJobId}`,
          compareFindings: `?with=${earlier.olderExportJobId}`,
          readPageChange: `?with=${earlier.olderExportJobId}&path=%2F`,
          openLatestBundle: '?domain=docs.example.com',
        };
        const answers: Record<string, number> = {};
        for (const id of operationIds) {
          const { method, path, success }: Operation = operations[id];
          if (method !== 'get' || success.kind === 'events') continue;
          const projectId = path.startsWith('/v2/agent') ? earlier.projectId : earlier.docsProjectId;
          const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
            name === 'projectId' ? projectId : (params[name] ?? 'none'),
          );
          // No deployment had reported to the service.
          if (filled.includes('none')) continue;
          const answer = await fetch(service.origin + filled + (queries[id] ?? ''), {
            redirect: 'manual',
            headers: { authorization: `Bearer ${earlier.key}` },
          });
          answers[id] = answer.status;
          await answer.arrayBuffer();
        }
        const others = Object.entries(answers).filter(([, status]) => ![200, 302].includes(status));
        expect(others).toEqual(hasManifests ? [] : [['readPageChange', 410]]);
        expect(Object.keys(answers).length).toBeGreaterThan(25);
      });

      test('has the records of jobs as they ended', async () => {
        const read = (jobId: string) => client.call('readExport', { params: { jobId } });
        expect(await read(earlier.exportJobId)).toMatchObject({
          status: 'completed',
          projectId: earlier.docsProjectId,
          metadata: { team: 'harbor' },
        });
        expect(await read(earlier.failedExportJobId)).toMatchObject({ status: 'failed', bundle: null });
        const { agentJobId: id, projectId } = earlier;
        const agentJob = await client.call('readAgentJob', { params: { projectId, id } });
        expect(agentJob).toMatchObject({ status: 'completed', pullRequest: { state: 'open' } });
      });

      const docyard = (...args: string[]) => {
        const { status, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
        expect(status, stderr).toBe(0);
      };

      async function download(jobId: string, since?: string): Promise<string> {
        const body = since === undefined ? {} : { since };
        const { bundleUrl } = await client.call('createBundle', { params: { jobId }, body });
        const file = join(files, `${jobId}${since === undefined ? '' : '-delta'}.tar.gz`);
        const answer = await fetch(bundleUrl);
        expect(answer.status).toBe(200);
        writeFileSync(file, new Uint8Array(await answer.arrayBuffer()));
        return file;
      }

      test('has bundles as they were stored', async () => {
        for (const jobId of [earlier.exportJobId, earlier.olderExportJobId]) {
          const { bundle } = await client.call('readExport', { params: { jobId } });
          const bytes = readFileSync(await download(jobId));
          expect(createHash('sha256').update(bytes).digest('hex')).toBe(bundle?.sha256);
        }
      });

      test.runIf(hasManifests)(
        'has signed bundles, and a delta that leads from one to the other',
        async () => {
          const { exportJobId, olderExportJobId } = earlier;
          const [older, newer] = [await download(olderExportJobId), await download(exportJobId)];
          const { publicKey } = await client.call('readSigningKey');
          docyard('verify', older, '--public-key', publicKey);
          docyard('verify', newer, '--public-key', publicKey);
          const applied = join(files, 'applied.tar.gz');
          const delta = await download(exportJobId, olderExportJobId);
          docyard('bundle', 'apply', older, delta, '-o', applied, '--public-key', publicKey);
          docyard('verify', applied, '--public-key', publicKey);
          const unpack = (file: string, name: string) => {
            const folder = join(files, name);
            mkdirSync(folder);
            expect(spawnSync('tar', ['-xzf', file, '-C', folder]).status).toBe(0);
            return folder;
          };
          const [one, other] = [unpack(newer, 'newer'), unpack(applied, 'applied')];
          expect(git(files, 'diff', '--no-index', '--stat', one, other)).toBe('');
        },
      );

      test.skipIf(hasManifests)('has bundles without a manifest, for which a delta is refused', async () => {
        const { exportJobId: jobId, olderExportJobId: since } = earlier;
        const asked = client.call('createBundle', { params: { jobId }, body: { since } });
        await expect(asked).rejects.toMatchObject({
          status: 400,
          message: expect.stringContaining('older version'),
        });
      });

      test('can be changed: projects, keys, webhooks, exports and agent jobs', async () => {
        const { docsProjectId: projectId, webhookId, agentJobId: id } = earlier;
        const name = 'Renamed';
        expect(await client.call('updateProject', { params: { projectId }, body: { name } })).toMatchObject({
          name,
        });
        const { key } = await client.call('createKey', { body: { name: 'New' } });
        expect(
          (await new DocyardClient({ baseUrl: service.origin, apiKey: key }).call('readMe')).key?.name,
        ).toBe('New');
        await client.call('updateWebhook', { params: { webhookId }, body: { enabled: false } });
        const again = await client.call('retryExport', { params: { jobId: earlier.failedExportJobId } });
        expect((await waitForExport(client, again.jobId)).status).toBe('failed');
        const { jobId } = await client.call('startExport', { body: { domain: 'docs.example.com' } });
        const job = await waitForExport(client, jobId);
        const bytes = createHash('sha256');
        const { bundleUrl } = await client.call('createBundle', { params: { jobId } });
        bytes.update(new Uint8Array(await (await fetch(bundleUrl)).arrayBuffer()));
        expect(bytes.digest('hex')).toBe(job.bundle?.sha256);
        const params = { projectId: earlier.projectId, id };
        expect((await client.call('archiveAgentJob', { params })).archivedAt).not.toBeNull();
        await client.call('deleteExport', { params: { jobId } });
      });

      test('is left by a process that stops without an error', async () => {
        expect(await service.stop()).toBe(0);
        expect(log).not.toMatch(/"level":(50|60)/);
      });
    },
  );
});
