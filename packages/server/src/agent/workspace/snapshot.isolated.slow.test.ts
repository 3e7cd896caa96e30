import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { FileChange } from '../contract.ts';
import {
  addRepository,
  commitNow,
  jobFolder,
  open,
  readText,
  site,
} from '../../../test/support/git-workspaces.ts';

describe('snapshots and diffs', () => {
  test('undoing a change restores the first tree hash', async () => {
    const workspace = await open(addRepository().url);
    expect(await workspace.snapshot()).toBe(workspace.base.tree);
    await workspace.tree.write('index.mdx', '# Hellp\n');
    expect(await workspace.snapshot()).not.toBe(workspace.base.tree);
    await workspace.tree.write('index.mdx', '# Hello\n');
    expect(await workspace.snapshot()).toBe(workspace.base.tree);
  });

  test('the diff lists added, changed, removed and moved files', async () => {
    const long = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
    const workspace = await open(
      addRepository({ ...site, 'old.mdx': long, 'gone.mdx': 'x\n', 'logo.png': 'P\0NG' }).url,
    );
    await workspace.tree.write('index.mdx', '# Hello\nMore\n');
    await workspace.tree.write('ünï/new.mdx', 'a\nb\n');
    await workspace.tree.remove('gone.mdx');
    await workspace.tree.remove('logo.png');
    await workspace.tree.remove('old.mdx');
    await workspace.tree.write('moved.mdx', `${long}end\n`);
    const { files, patch } = await workspace.diff();
    const plain = { oldMode: '100644', newMode: '100644', isBinary: false, from: null };
    const none = '000000';
    expect(files).toEqual([
      {
        ...plain,
        path: 'gone.mdx',
        status: 'removed',
        newMode: none,
        addedLines: 0,
        removedLines: 1,
        before: 'x\n',
        after: null,
      },
      {
        ...plain,
        path: 'index.mdx',
        status: 'modified',
        addedLines: 1,
        removedLines: 0,
        before: '# Hello\n',
        after: '# Hello\nMore\n',
      },
      {
        ...plain,
        path: 'logo.png',
        status: 'removed',
        newMode: none,
        isBinary: true,
        addedLines: 0,
        removedLines: 0,
        before: null,
        after: null,
      },
      {
        ...plain,
        path: 'moved.mdx',
        from: 'old.mdx',
        status: 'moved',
        addedLines: 1,
        removedLines: 0,
        before: long,
        after: `${long}end\n`,
      },
      {
        ...plain,
        path: 'ünï/new.mdx',
        status: 'added',
        oldMode: none,
        addedLines: 2,
        removedLines: 0,
        before: null,
        after: 'a\nb\n',
      },
    ]);
    expect(patch).toContain('rename from old.mdx\nrename to moved.mdx\n');
    expect(patch).toContain('@@ -1 +1,2 @@\n # Hello\n+More\n');
  });

  test('an unchanged tree has an empty diff', async () => {
    const workspace = await open(addRepository().url);
    expect(await workspace.diff()).toEqual({ files: [], patch: '' });
  });

  test('a whole docs folder can be removed', async () => {
    const workspace = await open(addRepository({ 'docs/a.mdx': 'a', 'code.ts': 'x' }).url, {
      directory: 'docs',
    });
    await workspace.tree.remove('a.mdx');
    expect((await workspace.diff()).files).toMatchObject([{ path: 'a.mdx', status: 'removed' }]);
  });

  test('the journal restores the same tree after the folder is lost', async () => {
    const { url } = addRepository();
    const folder = jobFolder();
    const before = await open(url, { folder });
    const changes: FileChange[] = [
      { path: 'index.mdx', content: '# First\r\n' },
      { path: 'guides/start.mdx', content: null },
      { path: 'guides', content: 'now a file' },
      { path: 'passing.mdx', content: 'x' },
      { path: 'index.mdx', content: '# Second\r\n' },
      { path: 'passing.mdx', content: null },
    ];
    for (const { path, content } of changes) {
      await (content === null ? before.tree.remove(path) : before.tree.write(path, content));
    }
    const expected = await before.snapshot();
    const commit = await commitNow(before);
    rmSync(folder, { recursive: true });

    const after = await open(url, { folder, commit: before.base.commit });
    await after.tree.write('stray.mdx', 'written before the restore');
    await after.restore(changes, expected);
    expect(await after.snapshot()).toBe(expected);
    expect(await readText(after, 'index.mdx')).toBe('# Second\r\n');
    expect(await after.tree.read('stray.mdx')).toBeUndefined();
    expect(await commitNow(after)).toBe(commit);
    await expect(after.restore(changes.slice(0, 1), expected)).rejects.toMatchObject({ problem: 'failed' });
  });

  test('a removed video stays removed although it is too large to read', async () => {
    const { url } = addRepository({ ...site, 'film.mp4': new Uint8Array(8_000_001) });
    const before = await open(url);
    await before.tree.remove('film.mp4');
    const expected = await before.snapshot();
    const after = await open(url, { commit: before.base.commit });
    await after.restore([{ path: 'film.mp4', content: null }], expected);
    expect(await after.snapshot()).toBe(expected);
  });
});
