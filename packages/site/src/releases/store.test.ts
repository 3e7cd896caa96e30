import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DataFolderError } from '../errors.ts';
import { cleanUp } from '../../../../test/cleanups.ts';
import { temporaryFolder } from '../../../../test/temporary-resources.ts';
import { tryLock } from './lock.ts';
import type { ReleaseRecord } from './release.ts';
import { switched } from './state.ts';
import { nextId, ReleaseStore } from './store.ts';

async function openStore(folder = temporaryFolder('site')): Promise<ReleaseStore> {
  const store = await ReleaseStore.openIn(folder);
  cleanUp(() => store.close());
  return store;
}

/** A release without content. */
async function add(store: ReleaseStore, name: string): Promise<string> {
  const staged = store.newWork('release');
  mkdirSync(join(staged, 'site'), { recursive: true });
  let id = '';
  await store.change(async (state) => {
    id = nextId(state, name.padEnd(8, '0'));
    await store.add(staged, recordOf(id));
    return switched({ ...state, sequence: state.sequence + 1 }, id);
  });
  return id;
}

function recordOf(id: string): ReleaseRecord {
  const texts = {
    manifestSha256: id,
    archiveSha256: id,
    installedAt: '2026-11-15T12:00:00.000Z',
    origin: 'test',
  };
  const none = {
    version: null,
    commit: null,
    committedAt: null,
    signedBy: null,
    fingerprint: null,
    jobId: null,
  };
  return { format: 1, id, pages: 1, files: 1, contentBytes: 1, ...texts, ...none };
}

const idsOf = async (store: ReleaseStore) => (await store.releases()).map(({ id }) => id);

test('releases are numbered, newest first, and the last one added is current', async () => {
  const store = await openStore();
  const ids = [await add(store, 'a'), await add(store, 'b'), await add(store, 'c')];
  expect(ids).toEqual(['r1-a0000000', 'r2-b0000000', 'r3-c0000000']);
  expect(await idsOf(store)).toEqual(ids.toReversed());
  expect((await store.state()).current).toBe('r3-c0000000');
});

test('a sweep keeps the releases that were served last and those in use', async () => {
  const store = await openStore();
  const [a, b, c, d] = [
    await add(store, 'a'),
    await add(store, 'b'),
    await add(store, 'c'),
    await add(store, 'd'),
  ];
  const inUse = store.use(a);
  expect(await store.sweep(2)).toEqual([b]);
  expect(await idsOf(store)).toEqual([d, c, a]);
  inUse?.release();
  expect(await store.sweep(2)).toEqual([a]);
  expect(store.use(a)).toBeUndefined();
});

test('the current release is kept even if newer ones exist', async () => {
  const store = await openStore();
  const [a] = [await add(store, 'a'), await add(store, 'b'), await add(store, 'c')];
  await store.change((state) => ({ ...state, current: a, history: [] }));
  await store.sweep(1);
  expect(await idsOf(store)).toEqual([a]);
});

test('an incomplete release is not listed and is swept', async () => {
  const store = await openStore();
  const whole = await add(store, 'a');
  mkdirSync(join(store.folder, 'releases', 'r9-half', 'site'), { recursive: true });
  expect(await idsOf(store)).toEqual([whole]);
  await store.sweep(5);
  expect(readdirSync(join(store.folder, 'releases'))).toEqual([whole]);
});

test('leftovers of a killed process are swept, and work of a running one is not', async () => {
  const store = await openStore();
  const file = JSON.stringify(new URL('store.ts', import.meta.url).href);
  const script = `import { ReleaseStore } from ${file};
    const store = await ReleaseStore.openIn(process.argv[1]);
    console.log(store.workFolder);
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, [
    '--no-warnings',
    '--input-type=module',
    '--eval',
    script,
    store.folder,
  ]);
  cleanUp(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const workFolder = line.toString().trim();
  writeFileSync(join(workFolder, 'half-a-download'), 'x');
  await store.sweep(5);
  expect(existsSync(join(workFolder, 'half-a-download'))).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await expect
    .poll(async () => {
      await store.sweep(5);
      return existsSync(workFolder);
    })
    .toBe(false);
  expect(existsSync(store.workFolder)).toBe(true);
});

test('changes are serialized, also between two stores', async () => {
  const one = await openStore();
  const other = await openStore(one.folder);
  const count = (store: ReleaseStore) =>
    store.change((state) => ({ ...state, sequence: state.sequence + 1 }));
  await Promise.all(Array.from({ length: 20 }, (_, n) => count(n % 2 === 0 ? one : other)));
  expect((await one.state()).sequence).toBe(20);
});

test('a lock works between and within processes and ends with its holder', () => {
  const file = join(temporaryFolder('lock'), 'lock');
  const [first, second] = [tryLock(file, 'shared'), tryLock(file, 'shared')];
  expect(tryLock(file, 'alone')).toBeUndefined();
  first?.release();
  second?.release();
  const alone = tryLock(file, 'alone');
  expect(alone).toBeDefined();
  expect(tryLock(file, 'shared')).toBeUndefined();
  alone?.release();
});

test('the data folder of the service and an unwritable folder are refused', async () => {
  const folder = temporaryFolder('site');
  writeFileSync(join(folder, 'docyard.db'), '');
  await expect(ReleaseStore.openIn(folder)).rejects.toThrow('is the data folder of the service');
  await expect(ReleaseStore.openIn(join(folder, 'docyard.db', 'below'))).rejects.toThrow(DataFolderError);
});

test('an invalid state file is reported', async () => {
  const store = await openStore();
  writeFileSync(join(store.folder, 'current.json'), '{"format": 7}');
  await expect(store.state()).rejects.toThrow('current.json is invalid');
});
