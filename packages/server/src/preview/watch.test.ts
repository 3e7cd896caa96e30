import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { FolderWatch } from './watch.ts';

const watches: FolderWatch[] = [];
const folders: string[] = [];
afterEach(() => {
  watches.splice(0).forEach((watching) => watching.close());
  folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true }));
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'docyard-watch-'));
  folders.push(folder);
  return folder;
}

async function watched(...files: string[]) {
  const root = temporaryFolder();
  const write = (path: string, text = 'x'): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const file of files) write(file);
  const seen = new Set<string>();
  watches.push(
    await FolderWatch.start({
      root,
      onChange: (paths) => paths.forEach((path) => seen.add(path)),
      onError: (message) => seen.add(message),
    }),
  );
  const expectSeen = (...paths: string[]): Promise<void> =>
    expect.poll(() => paths.filter((path) => !seen.has(path)), { timeout: 10_000 }).toEqual([]);
  return { root, write, seen, expectSeen };
}

describe('a watched folder', () => {
  test('reports files that are changed, created and removed, also in subfolders', async () => {
    const { root, write, expectSeen } = await watched('a.mdx', 'deep/er/b.mdx', 'gone.mdx');
    write('a.mdx', 'y');
    write('deep/er/b.mdx', 'y');
    write('deep/new.mdx');
    rmSync(join(root, 'gone.mdx'));
    await expectSeen('a.mdx', 'deep/er/b.mdx', 'deep/new.mdx', 'gone.mdx');
  });

  test('reports a file that an editor replaces, but not its temporary files', async () => {
    const { root, write, seen, expectSeen } = await watched('a.mdx');
    write('.a.mdx.swp');
    write('4913');
    write('a.mdx~');
    write('a.mdx.tmp', 'y');
    renameSync(join(root, 'a.mdx.tmp'), join(root, 'a.mdx'));
    await expectSeen('a.mdx');
    expect([...seen]).toEqual(['a.mdx']);
  });

  test('reports an edit of a snippet whose name starts with a dot, but not of other hidden files', async () => {
    const { write, seen, expectSeen } = await watched('.price.mdx', '.env');
    write('.env', 'y');
    write('._price.mdx');
    write('.price.mdx', 'y');
    await expectSeen('.price.mdx');
    expect([...seen]).toEqual(['.price.mdx']);
  });

  test('reports all files of a new folder and later edits in it', async () => {
    const { root, write, seen, expectSeen } = await watched('a.mdx');
    const other = temporaryFolder();
    mkdirSync(join(other, 'deep'));
    writeFileSync(join(other, 'deep/c.mdx'), 'x');
    renameSync(other, join(root, 'moved'));
    await expectSeen('moved/deep/c.mdx');
    seen.clear();
    write('moved/deep/c.mdx', 'y');
    await expectSeen('moved/deep/c.mdx');
  });

  test('keeps watching a folder that was removed and created again', async () => {
    const { root, write, seen, expectSeen } = await watched('deep/a.mdx');
    rmSync(join(root, 'deep'), { recursive: true });
    await expectSeen('deep');
    write('deep/a.mdx');
    await expectSeen('deep/a.mdx');
    seen.clear();
    write('deep/a.mdx', 'y');
    await expectSeen('deep/a.mdx');
  });

  test('ignores folders of tools', async () => {
    const { write, seen, expectSeen } = await watched('a.mdx', '.git/HEAD', 'node_modules/x/index.js');
    write('.git/HEAD', 'y');
    write('node_modules/x/index.js', 'y');
    write('a.mdx', 'y');
    await expectSeen('a.mdx');
    expect([...seen]).toEqual(['a.mdx']);
  });

  test('reports many files in a few batches', async () => {
    const root = temporaryFolder();
    const batches: string[][] = [];
    watches.push(
      await FolderWatch.start({ root, onChange: (paths) => batches.push(paths), onError: () => undefined }),
    );
    for (let index = 0; index < 1000; index += 1) writeFileSync(join(root, `${index}.mdx`), 'x');
    await expect.poll(() => new Set(batches.flat()).size, { timeout: 10_000 }).toBe(1000);
    expect(batches.length).toBeLessThan(500);
  });
});
