/**
 * A backup while exports run, and a restore on another machine: everything acknowledged before the backup exists and finishes.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DocyardClient, ExportJob } from '@docyard/api';
import { describe, expect, it } from 'vitest';
import { gitRepository, program, siteFiles, startService, temporaryFolder } from '../service.ts';
import { unpackEarlierData } from '../upgrade/fixture.ts';

function docyard(...args: string[]) {
  const ended = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  return { status: ended.status, stdout: ended.stdout, stderr: ended.stderr };
}

async function finished(client: DocyardClient, jobId: string): Promise<ExportJob> {
  const read = () => client.call('readExport', { params: { jobId } });
  await expect.poll(async () => (await read()).status, { timeout: 60_000 }).toMatch(/completed|failed/);
  return read();
}

describe('a backup while the service runs', () => {
  it('a backup contains everything that was acknowledged, and a restore continues it', async () => {
    const first = await startService({ sample: false, environment: { LIMIT_RUNNING_PER_ORGANIZATION: '1' } });
    const repository = gitRepository(siteFiles(8));
    const domain = 'docs.example.com';
    await first.client.call('createProject', { body: { name: 'Docs', domain, source: { repository } } });
    const start = async () => (await first.client.call('startExport', { body: { domain } })).jobId;
    const done = await finished(first.client, await start());
    const acknowledged = [await start(), await start(), await start()];

    const file = join(temporaryFolder('backup'), 'backup.tar.gz');
    const backup = docyard('backup', file, '--data', first.dataDir);
    expect(backup).toMatchObject({ status: 0, stderr: '' });
    expect(backup.stdout).toContain('The backup includes the secrets of the installation.');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await first.kill();

    const dataDir = join(temporaryFolder('restored'), 'data');
    expect(docyard('restore', file, '--data', dataDir)).toMatchObject({ status: 0, stderr: '' });
    writeFileSync(join(dataDir, 'admin-key'), first.key);
    const second = await startService({ dataDir });
    for (const jobId of [done.jobId, ...acknowledged]) {
      const job = await finished(second.client, jobId);
      expect(job.status).toBe('completed');
      const { bundleUrl } = await second.client.call('createBundle', { params: { jobId } });
      const bytes = new Uint8Array(await (await fetch(bundleUrl)).arrayBuffer());
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(job.bundle?.sha256);
    }
    expect(await second.stop()).toBe(0);
  }, 180_000);

  it('a failed backup or restore explains the reason in one sentence and leaves no files behind', () => {
    const folder = temporaryFolder('backup');
    const nothing = docyard('backup', join(folder, 'a.tar.gz'), '--data', folder);
    expect(nothing).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/contains no Docyard data/) as string,
    });
    writeFileSync(join(folder, 'not-a-backup'), 'text');
    const wrong = docyard('restore', join(folder, 'not-a-backup'), '--data', join(folder, 'data'));
    expect(wrong.status).toBe(1);
    expect(wrong.stderr).toMatch(/Cannot restore .*Nothing was written/s);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });
});

describe('docyard migrate', () => {
  it('--plan prints the steps and changes nothing', () => {
    const dataDir = join(temporaryFolder('migrate'), 'data');
    mkdirSync(dataDir);
    unpackEarlierData('0.1.0', dataDir);
    const plan = () => docyard('migrate', '--plan', '--json', '--data', dataDir);
    const first = JSON.parse(plan().stdout) as { pending: string[] };
    expect(first.pending).toContain('0003-agent-changes');
    expect(JSON.parse(plan().stdout)).toEqual(first);
    const done = docyard('migrate', '--json', '--data', dataDir);
    const { applied, backup } = JSON.parse(done.stdout) as { applied: string[]; backup: string };
    expect(applied).toEqual(first.pending);
    expect(existsSync(backup)).toBe(true);
    expect(docyard('migrate', '--plan', '--data', dataDir).stdout).toMatch(/up to date/);
  });
});
