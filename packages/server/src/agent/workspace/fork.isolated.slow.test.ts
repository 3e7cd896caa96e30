import { describe, expect, test } from 'vitest';
import type { ServedRepository } from '../../../../../test/fakes/git-server.ts';
import {
  addRepository,
  commitDate,
  commitNow,
  credential,
  open,
  readText,
} from '../../../test/support/git-workspaces.ts';

const files = { 'docs/index.mdx': '# One\n', 'src/main.c': 'int x;\n' };

/** A fork that was created before the last commits of its repository. */
function staleFork(): { repository: ServedRepository; fork: ServedRepository } {
  const repository = addRepository(files);
  const fork = addRepository({});
  fork.git('fetch', '--quiet', repository.folder, '+refs/heads/main:refs/heads/main');
  for (const count of [1, 2, 3]) repository.commit('main', { 'src/main.c': `int x = ${count};\n` });
  return { repository, fork };
}

describe.each([null, 'docs'])('a fork that lacks commits, with the docs folder %s', (directory) => {
  const path = directory === null ? 'docs/index.mdx' : 'index.mdx';

  test('the branch is pushed with its history, and the repository stays as it is', async () => {
    const { repository, fork } = staleFork();
    const workspace = await open(repository.url, { directory, fork: fork.url });
    const base = workspace.base.commit;
    await workspace.tree.write(path, '# Two\n');
    const commit = await commitNow(workspace);
    const push = { commit, branch: 'job', expected: null, base, credential };
    await workspace.push(push);
    await workspace.push(push);
    expect(await workspace.remoteBranch('job')).toBe(commit);
    expect(fork.tip('job')).toBe(commit);
    expect(fork.git('rev-list', '--count', 'job')).toBe('5');
    expect(fork.git('fsck', '--strict', '--full', '--no-dangling')).toBe('');
    expect(repository.tip('job')).toBeUndefined();
  });

  test('a follow-up starts from the branch of the fork and merges the base branch of the repository', async () => {
    const { repository, fork } = staleFork();
    const forkPoint = repository.tip('main') ?? '';
    fork.git('fetch', '--quiet', repository.folder, '+refs/heads/main:refs/heads/job');
    const head = fork.commit('job', { 'docs/index.mdx': '# Two\n' });
    const base = repository.commit('main', { 'docs/new.mdx': '# New\n' });
    const first = await open(repository.url, { directory, fork: fork.url });
    expect(await first.relate(head, forkPoint)).toEqual({ forkPoint, isRewritten: false });
    const author = { name: 'Docs Agent', email: 'agent@example.com' };
    const merge = { base, forkPoint, message: 'Merge', author, committer: author, date: commitDate };
    const workspace = await open(repository.url, {
      directory,
      fork: fork.url,
      commit: head,
      isHead: true,
      merge,
    });
    expect(await readText(workspace, path)).toBe('# Two\n');
    expect(await readText(workspace, path.replace('index', 'new'))).toBe('# New\n');
    const { commit } = workspace.base;
    await workspace.push({ commit, branch: 'job', expected: head, base, credential });
    expect(fork.git('log', '-1', '--format=%P', 'job')).toBe(`${head} ${base}`);
    expect(fork.git('fsck', '--strict', '--full', '--no-dangling')).toBe('');
  });
});
