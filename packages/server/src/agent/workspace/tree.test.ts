import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../../../test/support/test-context.ts';
import { PathRefusedError, type Tree } from '../contract.ts';
import { gitFoldersIn, openTree, type TreeOptions } from './tree.ts';

function treeOf(files: Record<string, string>, more: Partial<TreeOptions> = {}): Tree {
  const folder = temporaryFolder('tree');
  writeFiles(folder, files);
  return openTree({
    folder,
    submodules: new Set(),
    links: new Set(),
    isPointer: async () => false,
    ...more,
  });
}

async function textOf(tree: Tree, path: string): Promise<string | undefined> {
  const bytes = await tree.read(path);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}

describe('the tree', () => {
  test('files are listed sorted with sizes, and written content is read back', async () => {
    const tree = treeOf({ 'b.mdx': 'b', 'a/c.mdx': 'ccc' });
    await tree.write('new/deep/page.mdx', '# Été\r\n');
    expect(await tree.list()).toMatchObject([
      { path: 'a/c.mdx', sizeBytes: 3 },
      { path: 'b.mdx', sizeBytes: 1 },
      { path: 'new/deep/page.mdx', sizeBytes: 9 },
    ]);
    expect(await textOf(tree, 'new/deep/page.mdx')).toBe('# Été\r\n');
    await tree.write('b.mdx', '');
    expect(await textOf(tree, 'b.mdx')).toBe('');
  });

  test('a missing file and a folder are undefined', async () => {
    const tree = treeOf({ 'a/c.mdx': 'c' });
    for (const path of ['b.mdx', 'a', 'a/c.mdx/d', 'x/y/z']) expect(await tree.read(path)).toBeUndefined();
  });

  test('removing a file removes empty folders', async () => {
    const tree = treeOf({ 'a/b/c.mdx': 'c', 'a/d.mdx': 'd' });
    await tree.remove('a/b/c.mdx');
    expect(existsSync(join(tree.folder, 'a/b'))).toBe(false);
    expect(await tree.list()).toHaveLength(1);
    await expect(tree.remove('a/b/c.mdx')).rejects.toThrow('a/b/c.mdx does not exist');
  });

  test('a new name is normalized to NFC, an existing name keeps its spelling', async () => {
    const tree = treeOf({ 'e\u0301te\u0301.mdx': 'old' });
    await tree.write('e\u0301te\u0301.mdx', 'new');
    await tree.write('cafe\u0301.mdx', 'x');
    expect((await tree.list()).map(({ path }) => path)).toEqual(['caf\u00e9.mdx', 'e\u0301te\u0301.mdx']);
    expect(await textOf(tree, 'e\u0301te\u0301.mdx')).toBe('new');
    expect(await textOf(tree, 'cafe\u0301.mdx')).toBe('x');
    await tree.remove('cafe\u0301.mdx');
    expect(await tree.list()).toHaveLength(1);
  });

  test('only text of limited size is written, and binary files are not replaced', async () => {
    const tree = treeOf({ 'logo.png': 'P\0NG' });
    await expect(tree.write('a.mdx', 'x'.repeat(1_000_001))).rejects.toThrow('The limit is');
    await expect(tree.write('a.mdx', 'a\0b')).rejects.toThrow('not text');
    await expect(tree.write('a.mdx', 'a\ud800b')).rejects.toThrow('not text');
    await expect(tree.write('logo.png', 'text')).rejects.toThrow('not a text file');
    expect(await textOf(tree, 'logo.png')).toBe('P\0NG');
  });

  test('a file cannot replace a folder, nor a folder a file', async () => {
    const tree = treeOf({ 'a/b.mdx': 'b' });
    await expect(tree.write('a/b.mdx/c.mdx', 'c')).rejects.toThrow('a/b.mdx is a file');
    await expect(tree.write('a', 'c')).rejects.toThrow('a is a folder');
  });

  test('submodules, repository links and LFS files are not overwritten', async () => {
    const tree = treeOf(
      { link: '../other', 'big.json': 'version https://git-lfs.github.com/spec/v1' },
      {
        submodules: new Set(['vendor/theme']),
        links: new Set(['link']),
        isPointer: async (path) => path === 'big.json',
      },
    );
    await expect(tree.write('vendor/theme/x.mdx', 'x')).rejects.toThrow('vendor/theme is a submodule');
    await expect(tree.write('vendor/theme', 'x')).rejects.toThrow('submodule');
    await expect(tree.write('link', '/etc/passwd')).rejects.toThrow('is a link');
    await expect(tree.remove('link')).rejects.toThrow('is a link');
    await expect(tree.write('big.json', '{}')).rejects.toThrow('Git LFS');
  });
});

describe('hostile files', () => {
  test('links are never read, written, removed through or listed, at any depth', async () => {
    const outside = temporaryFolder('outside');
    writeFiles(outside, { secret: 'secret' });
    const tree = treeOf({ 'index.mdx': 'x' });
    symlinkSync(join(outside, 'secret'), join(tree.folder, 'page.mdx'));
    symlinkSync(outside, join(tree.folder, 'folder'));
    symlinkSync(join(outside, 'new'), join(tree.folder, 'dangling.mdx'));
    for (const path of ['page.mdx', 'folder/secret', 'folder/new', 'folder/deep/new', 'dangling.mdx']) {
      await expect(tree.read(path)).rejects.toThrow(PathRefusedError);
      await expect(tree.write(path, 'changed')).rejects.toThrow('is a link');
      await expect(tree.remove(path)).rejects.toThrow('is a link');
    }
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
    expect(existsSync(join(outside, 'new'))).toBe(false);
    expect(existsSync(join(outside, 'deep'))).toBe(false);
    expect(await tree.list()).toMatchObject([{ path: 'index.mdx', sizeBytes: 1 }]);
  });

  test('a named pipe does not block', async () => {
    const tree = treeOf({});
    expect(spawnSync('sh', ['-c', 'mkfifo "$0"', join(tree.folder, 'pipe')]).status).toBe(0);
    expect(await tree.read('pipe')).toBeUndefined();
    await expect(tree.write('pipe', 'x')).rejects.toThrow('not a file');
  });

  test('every operation checks the path', async () => {
    const tree = treeOf({ '.git/config': 'x', 'sub/.GIT/hooks/x': 'x', 'a\u202eb.mdx': 'x' });
    for (const path of ['../x', '.git/config', '/etc/passwd']) {
      await expect(tree.read(path)).rejects.toThrow(PathRefusedError);
      await expect(tree.write(path, 'x')).rejects.toThrow(PathRefusedError);
      await expect(tree.remove(path)).rejects.toThrow(PathRefusedError);
    }
    expect(await tree.list()).toEqual([]);
  });

  test('folders that git reserves are found, and other names are not', async () => {
    const tree = treeOf({
      '.git/config': 'x',
      'sub/.GIT/hooks/x': 'x',
      'a/git~1': 'x',
      'a/git~2': 'x',
      '.github/x': 'x',
    });
    expect((await gitFoldersIn(tree.folder)).toSorted()).toEqual(['.git', 'a/git~1', 'sub/.GIT']);
  });

  test('reading a file over the limit is refused', async () => {
    const tree = treeOf({ 'big.json': 'x'.repeat(8_000_001) });
    await expect(tree.read('big.json')).rejects.toThrow('too large to read');
  });

  test('an empty submodule stays when its neighbor is removed', async () => {
    const tree = treeOf({ 'vendor/a.mdx': 'a' }, { submodules: new Set(['vendor/theme']) });
    mkdirSync(join(tree.folder, 'vendor/theme'));
    await tree.remove('vendor/a.mdx');
    expect(existsSync(join(tree.folder, 'vendor/theme'))).toBe(true);
  });
});
