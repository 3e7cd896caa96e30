import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { composeForTest, temporaryFolder } from '../../test/support/test-context.ts';
import { verifyArchive } from './archive.ts';
import { backUp } from './backup.ts';
import { restore } from './restore.ts';

it('holds what lies in the folder, and names what lies elsewhere', async () => {
  const dataDir = temporaryFolder('data');
  const file = join(temporaryFolder('backup'), 'backup.tar.gz');
  const elsewhere = {
    dataDir,
    databaseUrl: 'postgres://db/docyard',
    blobsUrl: 's3://bundles',
    secretKey: 'kept somewhere else, and long enough',
  };
  expect(await backUp(elsewhere, file, { blobs: true })).toMatchObject({
    database: 'postgres',
    secrets: 'SECRET_KEY',
    blobs: 'elsewhere',
  });
  const target = join(temporaryFolder('target'), 'data');
  expect((await restore(file, target, [])).files).toEqual([]);
  expect(readdirSync(target)).toEqual([]);
});

it('leaves unfinished objects and, when told to, bundles out', async () => {
  const context = await composeForTest({ DATABASE_URL: '' });
  await context.blobs.putBytes('se_1/1/report.json', Buffer.from('{}'));
  await context.blobs.putBytes('se_1/1/half.1234.tmp', Buffer.from('{'));
  const folder = temporaryFolder('backup');
  const names = async (blobs: boolean) => {
    const file = join(folder, `${blobs}.tar.gz`);
    await backUp(context.config, file, { blobs });
    const target = join(temporaryFolder('target'), 'data');
    const { files } = await restore(file, target, (await verifyArchive(file)).migrations);
    return files.map(({ name }) => name);
  };
  expect(await names(true)).toEqual(['docyard.db', 'secrets.json', 'blobs/se_1/1/report.json']);
  expect(await names(false)).toEqual(['docyard.db', 'secrets.json']);
  expect(readdirSync(folder).toSorted()).toEqual(['false.tar.gz', 'true.tar.gz']);
});

it('leaves nothing behind when it cannot be written', async () => {
  const context = await composeForTest({ DATABASE_URL: '' });
  const missing = { ...context.config, dataDir: join(context.config.dataDir, 'nowhere') };
  const folder = temporaryFolder('backup');
  await expect(backUp(missing, join(folder, 'backup.tar.gz'), { blobs: true })).rejects.toThrow();
  expect(readdirSync(folder)).toEqual([]);
});
