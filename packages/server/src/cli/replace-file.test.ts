import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../testing.ts';
import { replaceFile } from './replace-file.ts';

const large = 20 * 1024 ** 2;

it.each([
  ['nothing', undefined],
  ['a small file', 10],
  ['a large file', large],
])('puts a file where there was %s', async (_, bytes) => {
  const folder = temporaryFolder('replace');
  const [draft, place] = [join(folder, 'draft'), join(folder, 'place')];
  if (bytes !== undefined) writeFileSync(place, Buffer.alloc(bytes, 'old'));
  writeFileSync(draft, 'new');
  await replaceFile(draft, place);
  expect(readFileSync(place, 'utf8')).toBe('new');
  expect(readdirSync(folder)).toEqual(['place']);
});

it('leaves a large file alone where the new one is missing', async () => {
  const folder = temporaryFolder('replace');
  const place = join(folder, 'place');
  writeFileSync(place, Buffer.alloc(large, 'old'));
  await expect(replaceFile(join(folder, 'draft'), place)).rejects.toThrow('ENOENT');
  expect(existsSync(place)).toBe(true);
});
