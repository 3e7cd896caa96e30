import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/temporary-resources.ts';
import { folderSource } from './folder.ts';

const { signal } = new AbortController();

function put(folder: string, name: string, secondsAgo: number): string {
  const file = join(folder, name);
  writeFileSync(file, name);
  const at = Date.now() / 1000 - secondsAgo;
  utimesSync(file, at, at);
  return file;
}

async function newest(folder: string): Promise<string> {
  const offer = await folderSource(folder).look(null, signal);
  return offer === 'unchanged' ? offer : offer.fetch(folder, signal);
}

test('the newest archive is offered; other files and hidden ones are not', async () => {
  const folder = temporaryFolder('incoming');
  put(folder, 'old.tar.gz', 100);
  const expected = put(folder, 'new.tgz', 50);
  put(folder, 'newer.txt', 10);
  put(folder, '.newest.tar.gz.x8Yz', 5);
  put(folder, '.hidden.tar.gz', 5);
  mkdirSync(join(folder, 'folder.tar.gz'));
  expect(await newest(folder)).toBe(expected);
});

test('a single file can be a source', async () => {
  const file = put(temporaryFolder('incoming'), 'site.tar.gz', 100);
  expect(await newest(file)).toBe(file);
});

test('an installed file is unchanged until it is written again', async () => {
  const file = put(temporaryFolder('incoming'), 'site.tar.gz', 100);
  const source = folderSource(file);
  const offer = await source.look(null, signal);
  const { fingerprint } = offer as Exclude<typeof offer, 'unchanged'>;
  expect(await source.look(fingerprint, signal)).toBe('unchanged');
  put(join(file, '..'), 'site.tar.gz', 90);
  expect(await source.look(fingerprint, signal)).toMatchObject({
    fingerprint: expect.not.stringMatching(fingerprint ?? ''),
  });
});

test('a file that is still being copied is waited for', async () => {
  const folder = temporaryFolder('incoming');
  const file = join(folder, 'site.tar.gz');
  writeFileSync(file, 'half');
  let isWhole = false;
  const looking = newest(folder).then((found) => ({ found, wasWhole: isWhole }));
  appendFileSync(file, ' and half');
  isWhole = true;
  expect(await looking).toEqual({ found: file, wasWhole: true });
});

test.each([
  ['an empty folder', () => temporaryFolder('incoming'), /contains no \.tar\.gz yet/],
  ['no folder', () => join(temporaryFolder('incoming'), 'none'), /ENOENT/],
])('%s is reported', async (_name, make, message) => {
  await expect(newest(make())).rejects.toMatchObject({
    failure: 'not_found',
    message: expect.stringMatching(message),
  });
});
