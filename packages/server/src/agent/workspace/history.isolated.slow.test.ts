import { execFileSync } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import type { ServedRepository } from '../../../../../test/fakes/git-server.ts';
import {
  addRepository,
  commitNow,
  credential,
  open,
  readText,
  server,
} from '../../../test/support/git-workspaces.ts';

const files = { 'docs/index.mdx': '# One\n', 'docs/guide.mdx': '# Guide\n', 'src/main.c': 'int x;\n' };
const pathsOf = (found: { path: string }[]) => found.map(({ path }) => path);
const present = <T>(value: T | undefined): T => value as T;

afterEach(() => {
  server.behaviour.oldProtocol = undefined;
});

function merge(repository: ServedRepository, branch: string, from: string): string {
  return repository.commit(branch, {}, (clone) => {
    const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
    execFileSync('git', [...identity, 'merge', '--quiet', '--no-edit', `origin/${from}`], { cwd: clone });
  });
}

describe('the fork point', () => {
  test('the fork point is the first common commit, even if the base has moved', async () => {
    const repository = addRepository(files);
    const start = present(repository.tip('main'));
    const tip = repository.commit('job', { 'docs/index.mdx': '# Two\n' });
    repository.commit('main', { 'docs/guide.mdx': '# Other\n' });
    const workspace = await open(repository.url, { directory: 'docs' });
    expect(await workspace.relate(tip, start)).toEqual({ forkPoint: start, isRewritten: false });
  });

  test('the fork point moves when the base is merged', async () => {
    const repository = addRepository(files);
    const start = present(repository.tip('main'));
    repository.commit('job', { 'docs/index.mdx': '# Two\n' });
    const main = repository.commit('main', { 'src/main.c': 'int y;\n' });
    const tip = merge(repository, 'job', 'main');
    const workspace = await open(repository.url, { directory: 'docs' });
    expect(await workspace.relate(tip, start)).toEqual({ forkPoint: main, isRewritten: false });
  });

  test('unrelated branches have no fork point', async () => {
    const repository = addRepository(files);
    const start = present(repository.tip('main'));
    const tree = repository.git('rev-parse', 'main^{tree}');
    const alone = repository.git('commit-tree', '-m', 'Alone', tree);
    repository.git('update-ref', 'refs/heads/alone', alone);
    const workspace = await open(repository.url);
    expect(await workspace.relate(alone, start)).toEqual({ forkPoint: undefined, isRewritten: false });
  });

  test('a base that lost the commit where the work began is rewritten', async () => {
    const repository = addRepository(files);
    const first = present(repository.tip('main'));
    const start = repository.commit('main', { 'docs/guide.mdx': '# Withdrawn\n' });
    repository.git('update-ref', 'refs/heads/job', start);
    const tip = repository.commit('job', { 'docs/index.mdx': '# Two\n' });
    repository.git('update-ref', 'refs/heads/main', first);
    repository.commit('main', { 'docs/guide.mdx': '# Other\n' });
    const workspace = await open(repository.url);
    expect(await workspace.relate(tip, start)).toEqual({ forkPoint: first, isRewritten: true });
  });

  test('a fork point behind hundreds of commits is found', async () => {
    const repository = addRepository(files);
    const start = present(repository.tip('main'));
    const tip = repository.commit('job', { 'docs/index.mdx': '# Two\n' });
    repository.addEmptyCommits('main', 400);
    const workspace = await open(repository.url);
    expect(await workspace.relate(tip, start)).toEqual({ forkPoint: start, isRewritten: false });
  });
});

describe.each([false, true])('an ancestor of the base, on a protocol v0 host: %s', (old) => {
  test('the ancestor can be checked out and compared, and the work can be pushed afterwards', async () => {
    const repository = addRepository(files);
    const start = present(repository.tip('main'));
    const tip = repository.commit('job', { 'docs/index.mdx': '# Two\n', 'docs/new.mdx': '# New\n' });
    repository.commit('main', { 'docs/guide.mdx': '# Other\n' });
    server.behaviour.oldProtocol = old;
    const workspace = await open(repository.url, { ref: 'job', directory: 'docs' });
    const seen = await workspace.checkOutDuring(start, async () => [
      await readText(workspace, 'index.mdx'),
      await readText(workspace, 'new.mdx'),
    ]);
    expect(seen).toEqual(['# One\n', undefined]);
    expect(await readText(workspace, 'index.mdx')).toBe('# Two\n');
    await workspace.tree.write('guide.mdx', '# Better\n');
    expect(pathsOf((await workspace.diff()).files)).toEqual(['guide.mdx']);
    const { files: whole, patch } = await workspace.diff(start);
    expect(pathsOf(whole)).toEqual(['guide.mdx', 'index.mdx', 'new.mdx']);
    expect(whole[1]).toMatchObject({ before: '# One\n', after: '# Two\n', addedLines: 1 });
    expect(patch).toContain('docs/new.mdx');
    const commit = await commitNow(workspace);
    await workspace.push({ commit, branch: 'job', expected: tip, credential });
    expect(repository.git('rev-list', '--count', 'job')).toBe('3');
    expect(repository.git('fsck', '--strict', '--full')).toBe('');
  });

  test('changes outside the docs folder are listed without their text', async () => {
    const repository = addRepository(files);
    const start = present(repository.tip('main'));
    repository.commit('job', { 'src/main.c': 'int y;\n', 'docs/index.mdx': '# Two\n' });
    server.behaviour.oldProtocol = old;
    const workspace = await open(repository.url, { ref: 'job', directory: 'docs' });
    const { files: whole, patch } = await workspace.diff(start);
    expect(pathsOf(whole)).toEqual(['index.mdx', '../src/main.c']);
    expect(whole[1]).toMatchObject({ status: 'modified', before: null, after: null, isBinary: true });
    expect(patch).not.toContain('main.c');
  });
});
