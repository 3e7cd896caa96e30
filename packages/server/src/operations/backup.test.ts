import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { composeForTest, temporaryFolder } from '../../test/support/test-context.ts';
import { verifyArchive } from './archive.ts';
import { backUp } from './backup.ts';
import { restore } from './restore.ts';

it('a backup names an external database, external secrets and an external bucket', async () => {
  const dataDir = temporaryFolder('data');
  const file = join(temporaryFolder('backup'), 'backup.tar.gz');
  const external = {
    dataDir,
    databaseUrl: 'postgres://db/docyard',
    blobsUrl: 's3://bundles',
    secretKey: 'stored in an external secret manager',
  };
  expect(await backUp(external, file, { blobs: true })).toMatchObject({
    database: 'postgres',
    secrets: 'SECRET_KEY',
    blobs: 'elsewhere',
  });
  const target = join(temporaryFolder('target'), 'data');
  expect((await restore(file, target, [])).files).toEqual([]);
  expect(readdirSync(target)).toEqual([]);
});

it('a backup omits unfinished objects and, with blobs: false, bundles', async () => {
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

it('a backup that cannot be written leaves no file', async () => {
  const context = await composeForTest({ DATABASE_URL: '' });
  const missing = { ...context.config, dataDir: join(context.config.dataDir, 'nowhere') };
  const folder = temporaryFolder('backup');
  await expect(backUp(missing, join(folder, 'backup.tar.gz'), { blobs: true })).rejects.toThrow();
  expect(readdirSync(folder)).toEqual([]);
});
