import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/support/test-context.ts';
import { copyForAll } from './readable-copy.ts';

const everything = () => true;
const longAgo = new Date(Date.now() - 3_600_000);

function write(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    utimesSync(join(folder, name), longAgo, longAgo);
  }
}

function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

test('the copy is world-readable, and the folder is unchanged', async () => {
  const [from, place] = [temporaryFolder('private'), temporaryFolder('place')];
  write(from, { 'docs.json': '{}', 'guides/a.mdx': 'A' });
  chmodSync(join(from, 'guides'), 0o700);
  symlinkSync('/etc/passwd', join(from, 'link.mdx'));
  const copy = await copyForAll(from, place, everything);
  expect(filesIn(copy)).toEqual({ 'docs.json': '{}', 'guides/a.mdx': 'A' });
  const modes = ['.', 'guides', 'guides/a.mdx'].map((name) => statSync(join(copy, name)).mode & 0o777);
  expect(modes).toEqual([0o755, 0o755, 0o644]);
  expect(statSync(join(from, 'guides/a.mdx')).mode & 0o777).toBe(0o600);
});

test('the copy follows every kind of change', async () => {
  const [from, place] = [temporaryFolder('private'), temporaryFolder('place')];
  const changes: (() => void)[] = [
    () => write(from, { a: 'A', 'b/c': 'C', 'b/d': 'D' }),
    () => write(from, { a: 'a', 'b/c': 'longer' }),
    () => rmSync(join(from, 'b/c')),
    () => renameSync(join(from, 'b/d'), join(from, 'e')),
    () => {
      rmSync(join(from, 'b'), { recursive: true });
      write(from, { b: 'a file where a folder was' });
    },
    () => {
      rmSync(join(from, 'a'));
      write(from, { 'a/b': 'a folder where a file was' });
    },
    // Same name, size and time.
    () => write(from, { e: 'F' }),
  ];
  for (const change of changes) {
    change();
    expect(filesIn(await copyForAll(from, place, everything))).toEqual(filesIn(from));
  }
});

test('an unchanged file is not copied again unless it was written very recently', async () => {
  const [from, place] = [temporaryFolder('private'), temporaryFolder('place')];
  write(from, { old: 'old', other: 'other' });
  const copy = await copyForAll(from, place, everything);
  // The ctime of a file cannot be set, so the marks are changed instead.
  const marksFile = join(place, 'marks.json');
  const later = (): void => {
    const marks = JSON.parse(readFileSync(marksFile, 'utf8')) as { madeAtMs: number };
    writeFileSync(marksFile, JSON.stringify({ ...marks, madeAtMs: Date.now() + 10_000 }));
  };
  writeFileSync(join(copy, 'old'), 'touched');
  await copyForAll(from, place, everything);
  expect(readFileSync(join(copy, 'old'), 'utf8')).toBe('old');
  later();
  writeFileSync(join(copy, 'old'), 'touched');
  write(from, { other: 'edited' });
  await copyForAll(from, place, everything);
  expect(filesIn(copy)).toEqual({ old: 'touched', other: 'edited' });
});

test('an unfinished copy is made again', async () => {
  const [from, place] = [temporaryFolder('private'), temporaryFolder('place')];
  write(from, { a: 'A' });
  const copy = await copyForAll(from, place, everything);
  rmSync(join(place, 'marks.json'));
  writeFileSync(join(copy, 'a'), 'half');
  await copyForAll(from, place, everything);
  expect(filesIn(copy)).toEqual({ a: 'A' });
});

test('files outside the site are left out and removed from an older copy', async () => {
  const [from, place] = [temporaryFolder('private'), temporaryFolder('place')];
  write(from, { 'a/x': 'A', 'b/x': 'B' });
  const copy = await copyForAll(from, place, everything);
  await copyForAll(from, place, (path) => path !== 'b');
  expect(filesIn(copy)).toEqual({ 'a/x': 'A' });
});
