/** The data folder: its file modes, its lock and its atomic writes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { writeDurably } from '@docyard/site/disk';
import { emptyWorkFolder, lockDataFolder, prepareDataFolder } from './data-folder.ts';
import { startService } from './serve.ts';
import { cleanUp, temporaryFolder } from '../test/support/test-context.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('preparing the folder', () => {
  test('creates the folder and its parts for the owner only and can be repeated', async () => {
    const folder = join(temporaryFolder(), 'deep', 'data');
    await prepareDataFolder(folder);
    await prepareDataFolder(folder);
    expect(readdirSync(folder).toSorted()).toEqual(['blobs', 'cache', 'work']);
    for (const path of ['', 'blobs', 'cache', 'work']) expect(modeOf(join(folder, path))).toBe(0o700);
  });

  test('explains what to do when the path is a file', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    await expect(prepareDataFolder(file)).rejects.toMatchObject({
      name: 'DataFolderError',
      message: `Cannot use the data folder ${file}: a part of the path is not a folder (ENOTDIR). Choose another with --data.`,
    });
  });

  test('removes only unfinished work', async () => {
    const folder = temporaryFolder();
    await prepareDataFolder(folder);
    mkdirSync(join(folder, 'work', 'se_1-1'));
    writeFileSync(join(folder, 'blobs', 'kept'), '');
    await emptyWorkFolder(folder);
    expect(readdirSync(join(folder, 'work'))).toEqual([]);
    expect(existsSync(join(folder, 'blobs', 'kept'))).toBe(true);
  });
});

test('the database and the blobs are accessible to the owner only, including those of an earlier version', async () => {
  const dataDir = temporaryFolder();
  const umask = process.umask(0);
  cleanUp(() => void process.umask(umask));
  const blob = join(dataDir, 'blobs', 'se_1', '1', 'bundle.tar.gz');
  mkdirSync(dirname(blob), { recursive: true });
  for (const file of [join(dataDir, 'docyard.db'), blob]) writeFileSync(file, '', { mode: 0o644 });
  const config = readConfig({
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'silent',
  });
  const service = await startService(config);
  try {
    const { blobs } = service.context;
    await blobs.putBytes('se_2/1/report.json', Buffer.from('{}'));
    await blobs.putFile?.('se_2/1/bundle.tar.gz', async (path) => writeFileSync(path, 'x', { mode: 0o644 }));
    const kept = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && !entry.parentPath.includes('/cache'),
    );
    const modes = kept.map((entry) => [entry.name, modeOf(join(entry.parentPath, entry.name)).toString(8)]);
    expect(modes.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'docyard.db',
        'docyard.db-wal',
        'docyard.db-shm',
        'bundle.tar.gz',
        'report.json',
      ]),
    );
    expect(modes.filter(([, mode]) => mode !== '600')).toEqual([]);
  } finally {
    await service.stop();
  }
});

describe('the lock', () => {
  async function lockElsewhere(folder: string): Promise<ChildProcess> {
    const program = `
      import { lockDataFolder } from ${JSON.stringify(new URL('data-folder.ts', import.meta.url).href)};
      await lockDataFolder(process.argv[1]);
      console.log('locked');
      setInterval(() => {}, 1000);
    `;
    const args = ['--no-warnings', '--input-type=module', '--eval', program, folder];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    cleanUp(() => void child.kill('SIGKILL'));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    return child;
  }

  test('is refused with the pid of its holder, and free after the holder was killed', async () => {
    const folder = temporaryFolder();
    const child = await lockElsewhere(folder);
    await expect(lockDataFolder(folder)).rejects.toMatchObject({
      name: 'DataFolderError',
      message: `Another docyard process (pid ${child.pid}) is using ${folder}. Stop it first, or choose another folder with --data.`,
    });
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    const unlock = await lockDataFolder(folder);
    expect(readFileSync(join(folder, 'lock.pid'), 'utf8').trim()).toBe(String(process.pid));
    unlock();
  });

  test('can be acquired again after its release', async () => {
    const folder = temporaryFolder();
    (await lockDataFolder(folder))();
    (await lockDataFolder(folder))();
  });

  test('of one folder does not affect another folder', async () => {
    const unlocks = [await lockDataFolder(temporaryFolder()), await lockDataFolder(temporaryFolder())];
    for (const unlock of unlocks) unlock();
  });
});

describe('a durable write', () => {
  test('replaces the file for the owner only and leaves no temporary file', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'file');
    writeFileSync(file, 'a much longer text than the new one', { mode: 0o644 });
    await writeDurably(file, 'new\n');
    expect(readFileSync(file, 'utf8')).toBe('new\n');
    expect(modeOf(file)).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test('fails when the folder does not exist', async () => {
    await expect(writeDurably(join(temporaryFolder(), 'none', 'file'), 'x')).rejects.toThrow('ENOENT');
  });
});
