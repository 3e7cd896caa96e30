/**
 * `node test/upgrade/make-fixture.ts NAME`: lets an earlier program fill a data folder and a PostgreSQL database, and keeps
 * both beside this file. Never renew the fixture of a released version.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { waitForExport } from '@docyard/api';
import { createProject, mendLink, runJob, setStage, type Stage } from '../agent/harness.ts';
import { dumpWholeDatabase, startPostgres } from '../postgres.ts';
import { commitAll, gitRepository, siteFiles, writeFiles, type Service } from '../service.ts';
import { earlierNames, earlierProgram, type EarlierName } from './earlier-program.ts';
import { fixtureFolder, type EarlierData } from './fixture.ts';

const [name] = process.argv.slice(2);
const found = earlierNames.find((each) => each === name);
if (found === undefined) {
  console.error(`Pass one of ${earlierNames.join(', ')}.`);
  process.exit(2);
}
await make(found, 'sqlite');
await make(found, 'postgres');
process.exit(0);

async function make(version: EarlierName, dialect: 'sqlite' | 'postgres'): Promise<void> {
  console.log(`${version}, ${dialect}: filling`);
  const postgres = dialect === 'postgres' ? await startPostgres() : undefined;
  const databaseUrl = await postgres?.createDatabase();
  const receiver = createServer((_request, response) => response.writeHead(204).end());
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const webhookHost = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const stage = await setStage({ script: mendLink });
  const hosts = [stage.git.host, stage.model.host, new URL(stage.forge.origin).host, webhookHost];
  const service = await stage.start({
    program: earlierProgram(version),
    environment: {
      // Earlier versions know no purposes of hosts.
      EGRESS_ALLOW: hosts.join(),
      EXPORT_CONCURRENCY: '1',
      LIMIT_RUNNING_PER_ORGANIZATION: '1',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    },
  });
  const data = await fill(service, stage, webhookHost);
  await service.kill();
  keep(version, dialect, { dataDir: stage.dataDir, databaseUrl, data });
  await stage.close();
  receiver.close();
  await postgres?.remove();
}

async function fill(service: Service, stage: Stage, webhookHost: string): Promise<EarlierData> {
  const { client } = service;
  const reader = await client.call('createKey', { body: { name: 'Reader', scopes: ['read'] } });
  const revoked = await client.call('createKey', { body: { name: 'Lost' } });
  await client.call('revokeKey', { params: { keyId: revoked.id } });
  const webhook = await client.call('createWebhook', { body: { url: `http://${webhookHost}/hook` } });

  const projectId = await createProject(service, stage, 'agent.example.com');
  const agentJob = await runJob(service, projectId, 'Mend the link of the first page.');

  const repository = gitRepository(siteFiles(3));
  const domain = 'docs.example.com';
  const source = { repository, ref: 'main' };
  const { id: docsProjectId } = await client.call('createProject', {
    body: { name: 'Docs', domain, source },
  });
  const start = (body: object = {}) =>
    client.call('startExport', { body: { domain, metadata: { team: 'harbor' }, ...body } });
  const older = await waitForExport(client, (await start()).jobId);
  writeFiles(repository, { 'index.mdx': '---\ntitle: Page 0\n---\n\n## First part\n\nAnother text.\n' });
  commitAll(repository, 'Second');
  const newer = await waitForExport(client, (await start()).jobId);
  const failed = await waitForExport(client, (await start({ ref: 'missing' })).jobId);
  // Kept beside the bundle by versions that know deltas.
  await service.request(`/v1/static-export/jobs/${newer.jobId}/bundle`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ since: older.jobId }),
  });
  await settle(service, webhook.id);
  const running = await start();
  const queued = await start();
  const statuses = [agentJob, older, newer, failed].map(({ status }) => status).join();
  if (statuses !== 'completed,completed,completed,failed') throw new Error(`The jobs ended as ${statuses}.`);
  return {
    key: service.key,
    readKey: reader.key,
    revokedKey: revoked.key,
    projectId,
    agentJobId: agentJob.id,
    docsProjectId,
    webhookId: webhook.id,
    repository,
    exportJobId: newer.jobId,
    olderExportJobId: older.jobId,
    failedExportJobId: failed.jobId,
    unfinishedJobIds: [running.jobId, queued.jobId],
  };
}

/** Waits until every webhook message is delivered. */
async function settle({ client }: Service, webhookId: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const { data } = await client.call('listWebhookDeliveries', { params: { webhookId } });
    if (data.length > 0 && data.every(({ status }) => status === 'delivered')) return;
    await pause(100);
  }
  throw new Error('The webhook messages were not delivered.');
}

function keep(
  version: EarlierName,
  dialect: 'sqlite' | 'postgres',
  { dataDir, databaseUrl, data }: { dataDir: string; databaseUrl: string | undefined; data: EarlierData },
): void {
  const folder = fixtureFolder(`${version}-${dialect}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const left = ['work', 'cache', 'lock', 'lock.pid', 'admin-key'].map((each) => `--exclude=./${each}`);
  const packed = spawnSync('tar', ['-czf', join(folder, 'data.tar.gz'), ...left, '-C', dataDir, '.']);
  if (packed.status !== 0) throw new Error(`tar: ${packed.stderr.toString()}`);
  if (databaseUrl !== undefined)
    writeFileSync(join(folder, 'database.sql.gz'), gzipSync(dumpWholeDatabase(databaseUrl), { level: 9 }));
  writeFileSync(join(folder, 'ids.json'), `${JSON.stringify(data, null, 2)}\n`);
  console.log(`wrote ${fileURLToPath(new URL(`file://${folder}`))}`);
}
