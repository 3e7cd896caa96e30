import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { readConfig, type Environment } from '../config.ts';
import {
  composeForTest,
  createTenant,
  createTestProject,
  temporaryFolder,
} from '../../test/support/test-context.ts';
import { examine, type Finding } from './doctor.ts';

async function findingsOf(environment: Environment): Promise<Record<string, Finding>> {
  const findings = await examine(readConfig(environment));
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]));
}

/** These tests need SQLite, also when TEST_DATABASE selects PostgreSQL. */
async function madeFolder(): Promise<string> {
  const context = await composeForTest({ DATABASE_URL: '' });
  await context.close();
  return context.config.dataDir;
}

describe('the doctor', () => {
  it('reports no failure for the folder of a working service', async () => {
    const dataDir = await madeFolder();
    const before = readdirSync(dataDir, { recursive: true }).toSorted();
    const found = await findingsOf({ DATA_DIR: dataDir });
    const bad = Object.values(found).filter(({ outcome }) => outcome === 'failed');
    expect(bad).toEqual([]);
    expect(found['database']?.message).toBe('SQLite, intact');
    expect(found['tables']?.message).toBe('up to date');
    expect(found['secrets']?.outcome).toBe('ok');
    expect(found['bundles']).toMatchObject({ outcome: 'ok', message: 'in the data folder' });
    const left = readdirSync(dataDir, { recursive: true }).toSorted();
    expect(left.filter((name) => !/-(wal|shm)$/.test(String(name)))).toEqual(before);
  });

  it('does not create a missing folder', async () => {
    const dataDir = join(temporaryFolder('doctor'), 'data');
    const found = await findingsOf({ DATA_DIR: dataDir });
    expect(found['data folder']?.outcome).toBe('note');
    expect(found['secrets']?.message).toBe('None yet.');
    expect(existsSync(dataDir)).toBe(false);
  });

  it('explains with every failure what to do', async () => {
    const dataDir = await madeFolder();
    writeFileSync(
      join(dataDir, 'secrets.json'),
      JSON.stringify({ keyPepper: 'b3RoZXI=', linkKeys: [{ id: 'a', key: 'b3RoZXI=' }] }),
    );
    const database = new DatabaseSync(join(dataDir, 'docyard.db'));
    database.exec("INSERT INTO kysely_migration VALUES ('9999-from-the-future', '')");
    database.close();
    chmodSync(dataDir, 0o755);
    const found = await findingsOf({
      DATA_DIR: dataDir,
      BLOBS_URL: 's3://bundles?endpoint=http://127.0.0.1:9',
      MODEL_URL: 'https://127.0.0.1:9/v1',
      MODEL_NAME: 'm',
      PUBLIC_URL: 'http://127.0.0.1:9',
    });
    const outcomes = ['secrets', 'tables', 'bundles', 'model'].map((check) => found[check]?.outcome);
    expect(outcomes).toEqual(['failed', 'failed', 'failed', 'failed']);
    for (const { outcome, remedy } of Object.values(found)) {
      if (outcome === 'failed') expect(remedy).toMatch(/^[A-Z].*\.$/);
    }
    expect(found['data folder']?.remedy).toBe(`chmod 700 ${dataDir}`);
    expect(found['address']?.message).toBe('http://127.0.0.1:9 does not answer.');
  });

  it('reports a damaged database', async () => {
    const dataDir = await madeFolder();
    writeFileSync(join(dataDir, 'docyard.db'), 'not a database '.repeat(1000));
    const found = await findingsOf({ DATA_DIR: dataDir });
    expect(found['database']?.outcome).toBe('failed');
  });

  it('reports an unreachable database without its password', async () => {
    const found = await findingsOf({
      DATA_DIR: temporaryFolder('doctor'),
      DATABASE_URL: 'postgres://docyard:hunter2@127.0.0.1:9/docyard',
    });
    expect(found['database']).toMatchObject({ outcome: 'failed' });
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });

  it('names the repository hosts that the settings do not allow', async () => {
    const context = await composeForTest({ DATABASE_URL: '' });
    const tenant = await createTenant(context);
    await createTestProject(context, tenant, { repository: 'https://git.internal.invalid/docs.git' });
    await context.close();
    const { egress } = await findingsOf({ DATA_DIR: context.config.dataDir });
    expect(egress).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('git.internal.invalid') as string,
    });
  });
});
