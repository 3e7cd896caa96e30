import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import {
  addRepository,
  commitDate,
  commitNow,
  credential,
  open,
  readText,
} from '../../../test/support/git-workspaces.ts';
import type { Merge } from './merge.ts';

const files = {
  'docs/index.mdx': '# One\n\nFirst.\n\nSecond.\n\nThird.\n',
  'docs/old/guide.mdx': '# Guide\n\nA long enough text.\nTo be found again.\n',
  'src/main.c': 'int x;\n',
};

/** A branch `job` and a base `main` that changed in these files since. */
function diverged(ofJob: Record<string, string>, ofMain: Record<string, string>) {
  const repository = addRepository(files);
  const forkPoint = repository.tip('main') ?? '';
  const head = repository.commit('job', ofJob);
  const base = repository.commit('main', ofMain);
  const author = { name: 'Docs Agent', email: 'agent@example.com' };
  const merge: Merge = {
    base,
    forkPoint,
    message: 'Merge main into job',
    author,
    committer: author,
    date: commitDate,
  };
  return { repository, head, base, merge };
}

describe.each([null, 'docs'])('a merge with the docs folder %s', (directory) => {
  const path = (name: string) => (directory === null ? `docs/${name}` : name);

  test('a clean merge has both parents and is the same commit each time', async () => {
    const { repository, head, base, merge } = diverged(
      { 'docs/index.mdx': files['docs/index.mdx'].replace('First', 'Foremost') },
      { 'docs/index.mdx': files['docs/index.mdx'].replace('Third', 'Last'), 'src/main.c': 'int y;\n' },
    );
    const workspace = await open(repository.url, { directory, commit: head, merge });
    expect(workspace.conflicts).toBeNull();
    expect(await readText(workspace, path('index.mdx'))).toBe('# One\n\nForemost.\n\nSecond.\n\nLast.\n');
    expect((await workspace.diff(base)).files).toMatchObject([{ path: path('index.mdx'), addedLines: 1 }]);
    const { commit } = workspace.base;
    await workspace.tree.write(path('new.mdx'), '# New\n');
    const made = await commitNow(workspace);
    await workspace.push({ commit: made, branch: 'job', expected: head, credential });
    expect(repository.git('log', '-1', '--format=%P', commit)).toBe(`${head} ${base}`);
    expect(repository.git('show', 'job:src/main.c')).toBe('int y;');
    expect(repository.git('fsck', '--strict', '--full')).toBe('');
    repository.commit('main', { 'docs/index.mdx': 'Later\n' });
    const again = await open(repository.url, { directory, commit: head, merge });
    expect(again.base.commit).toBe(commit);
  });

  test('a conflict names the files and leaves the branch as it is', async () => {
    const { repository, head, merge } = diverged(
      { 'docs/index.mdx': '# Two\n', 'src/main.c': 'int job;\n' },
      { 'docs/index.mdx': '# Three\n', 'src/main.c': 'int main;\n' },
    );
    const workspace = await open(repository.url, { directory, commit: head, merge });
    expect(workspace.conflicts).toEqual(['docs/index.mdx', 'src/main.c']);
    expect(workspace.base.commit).toBe(head);
    expect(await readText(workspace, path('index.mdx'))).toBe('# Two\n');
    expect((await workspace.diff()).files).toEqual([]);
  });
});

test('a change follows a file that the base branch moved', async () => {
  const guide = files['docs/old/guide.mdx'];
  const { repository, head, merge } = diverged({ 'docs/old/guide.mdx': `${guide}More.\n` }, {});
  const base = repository.commit('main', {}, (clone) => {
    execFileSync('git', ['mv', 'docs/old/guide.mdx', 'docs/guide.mdx'], { cwd: clone });
  });
  const workspace = await open(repository.url, { commit: head, merge: { ...merge, base } });
  expect(await readText(workspace, 'docs/guide.mdx')).toBe(`${guide}More.\n`);
  expect(await readText(workspace, 'docs/old/guide.mdx')).toBeUndefined();
});
