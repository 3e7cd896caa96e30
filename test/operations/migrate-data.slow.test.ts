/**
 * Migrates a data folder of an earlier version with an interrupted job from SQLite to PostgreSQL: keys work, all records exist,
 * and the job finishes.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DocyardClient } from '@docyard/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresMissing, startPostgres, type PostgresServer } from '../postgres.ts';
import { gitRepository, program, siteFiles, startService, temporaryFolder } from '../service.ts';
import { keepEverything, unpackEarlierData, type EarlierIds } from '../upgrade/fixture.ts';

function docyard(...args: string[]) {
  const ended = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  return { status: ended.status, stdout: ended.stdout, stderr: ended.stderr };
}

describe.skipIf(postgresMissing !== undefined)(`docyard migrate-data ${postgresMissing ?? ''}`, () => {
  const dataDir = join(temporaryFolder('move'), 'data');
  const blobsUrl = `file://${temporaryFolder('blobs')}`;
  let postgres: PostgresServer;
  let earlier: EarlierIds;
  let cutOffId: string;

  beforeAll(async () => {
    postgres = await startPostgres();
    earlier = unpackEarlierData('0.1.0', dataDir);
    cutOffId = cutOffOneJob();
  });
  afterAll(() => postgres?.remove());

  /** As after a power failure: the row says running, and no process runs it. */
  function cutOffOneJob(): string {
    const database = new DatabaseSync(join(dataDir, 'docyard.db'));
    const repository = gitRepository(siteFiles(2));
    const cutOff = database
      .prepare("SELECT id FROM jobs WHERE kind = 'export' AND id <> ?")
      .get(earlier.exportJobId) as { id: string };
    const source = { repository, ref: null, directory: null, allowLocal: true };
    const input = JSON.stringify({ request: { domain: 'docs.example.com' }, source });
    database.exec('UPDATE organizations SET local_sources = 1');
    // They name a forge, which cannot serve local folders.
    database.exec('DELETE FROM project_settings');
    database
      .prepare(
        "UPDATE jobs SET status = 'running', phase = 'rendering', result = NULL, finished_at = NULL, source_commit = NULL, input = ? WHERE id = ?",
      )
      .run(input, cutOff.id);
    database.close();
    return cutOff.id;
  }

  function createKeyOf(projectId: string): string {
    const limits = ['--name', 'Limited', '--project', projectId];
    const { stdout } = docyard('keys', 'create', ...limits, '--data', dataDir, '--json');
    return (JSON.parse(stdout) as { key: string }).key;
  }

  it('refuses a database that is not empty, and leaves it as it was', async () => {
    const url = await postgres.createDatabase();
    expect(docyard('migrate-data', '--to', url, '--data', dataDir).status).toBe(0);
    const again = docyard('migrate-data', '--to', url, '--data', dataDir);
    expect(again).toMatchObject({
      status: 1,
      stderr:
        'docyard: The PostgreSQL database is not empty: the table organizations has rows. Nothing was copied.\n',
    });
  });

  it('every row and bundle is copied, and the service continues with them', async () => {
    const url = await postgres.createDatabase();
    const limitedKey = createKeyOf(earlier.projectId);
    const moved = docyard('migrate-data', '--to', url, '--blobs-to', blobsUrl, '--data', dataDir, '--json');
    expect(moved).toMatchObject({ status: 0, stderr: '' });
    const output = JSON.parse(moved.stdout) as {
      tables: { table: string; rows: number; sum: string }[];
      blobs: { objects: number };
    };
    expect(Object.fromEntries(output.tables.map(({ table, rows }) => [table, rows]))).toMatchObject({
      organizations: 1,
      projects: 1,
      jobs: 3,
      agent_runs: 1,
      installation: 2,
    });
    expect(output.blobs).toMatchObject({ objects: 6, kept: 0 });

    const others = { DATABASE_URL: url, SECRET_KEY: 'others than those of before, long enough' };
    const withOthers = startService({ environment: others, sample: false });
    await expect(withOthers).rejects.toThrow(/does not belong to this database/);

    const home = temporaryFolder('home');
    writeFileSync(join(home, 'admin-key'), earlier.key);
    const environment = {
      ...keepEverything,
      DATABASE_URL: url,
      BLOBS_URL: blobsUrl,
      SECRET_KEY_FILE: join(dataDir, 'secrets.json'),
    };
    const service = await startService({ dataDir: home, environment, sample: false });
    const client = new DocyardClient({ baseUrl: service.origin, apiKey: earlier.key });
    const read = (jobId: string) => client.call('readExport', { params: { jobId } });
    const job = await read(earlier.exportJobId);
    const { bundleUrl } = await client.call('createBundle', { params: { jobId: job.jobId } });
    const bytes = new Uint8Array(await (await fetch(bundleUrl)).arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(job.bundle?.sha256);
    const { projectId, agentJobId: id } = earlier;
    expect(await client.call('readAgentJob', { params: { projectId, id } })).toMatchObject({ id });
    await expect
      .poll(async () => (await read(cutOffId)).status, { timeout: 60_000 })
      .toMatch(/completed|failed/);
    expect(await read(cutOffId)).toMatchObject({ status: 'completed', failure: null });
    const limited = new DocyardClient({ baseUrl: service.origin, apiKey: limitedKey });
    expect(await limited.call('readMe')).toMatchObject({ key: { projectId } });
    // New ids continue after the migrated rows.
    const started = await client.call('startExport', { body: { domain: 'docs.example.com' } });
    const { data } = await client.call('listExports', { query: {} });
    expect(data[0]?.jobId).toBe(started.jobId);
    await service.kill();
  }, 120_000);

  it('takes everything back when a row did not arrive as it was', async () => {
    const url = await postgres.createDatabase();
    const prepared = spawnSync(process.execPath, [program, 'migrate'], {
      env: { ...process.env, DATABASE_URL: url },
    });
    expect(prepared.status).toBe(0);
    await postgres.query(
      url,
      `create function spoil() returns trigger language plpgsql as $$ begin new.phase = 'spoilt'; return new; end $$`,
    );
    await postgres.query(
      url,
      'create trigger spoil before insert on jobs for each row execute function spoil()',
    );
    const { status, stderr } = docyard('migrate-data', '--to', url, '--data', dataDir);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'docyard: jobs differs: 3 rows in PostgreSQL, 3 in SQLite. Nothing was copied.\n',
    });
    expect(await postgres.query(url, 'select count(*) from organizations')).toMatch(/\b0\b/);
  });

  it('an interrupted copy of bundles resumes', async () => {
    const url = await postgres.createDatabase();
    const moved = docyard('migrate-data', '--to', url, '--blobs-to', blobsUrl, '--data', dataDir, '--json');
    const { blobs } = JSON.parse(moved.stdout) as { blobs: { objects: number; kept: number } };
    expect(blobs.objects).toBe(6);
    expect(blobs.kept).toBeGreaterThanOrEqual(3);
  });

  it('does not copy from under a running service', async () => {
    const service = await startService({ dataDir: temporaryFolder('running'), sample: false });
    const { status, stderr } = docyard('migrate-data', '--to', postgres.url, '--data', service.dataDir);
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Stop it first') as string,
    });
    await service.kill();
  });
});
