/** Reads single files and changes from a real `git http-backend` and from a folder. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startGitServer } from '../../../../../test/fakes/git-server.ts';
import {
  cleanUp,
  commitAll,
  present,
  temporaryFolder,
  writeFiles,
} from '../../../test/support/test-context.ts';
import { GitAndFolderSources } from './sources.ts';

const signal = new AbortController().signal;
const sources = (allowedHosts = ['127.0.0.1']) => new GitAndFolderSources(() => ({ allowedHosts }));

function requestFor(repository: string, more: object = {}) {
  return { repository, ref: null, directory: null, commit: null, allowLocal: true, ...more };
}

const readFiles = (repository: string, paths: string[], more: { ref?: string; allowed?: string[] } = {}) => {
  const { allowed, ...request } = more;
  const at = { workFolder: temporaryFolder('read'), signal };
  return sources(allowed).readFiles(requestFor(repository, request), { paths, maxBytes: 1000 }, at);
};

async function serve(oldProtocol = false) {
  const server = await startGitServer({ oldProtocol });
  cleanUp(() => server.close());
  const repository = server.addRepository('acme/api', {
    'a.txt': 'first\n',
    'folder/b.txt': 'second\n',
    'large.txt': 'x'.repeat(2000),
  });
  return { server, repository };
}

describe.each([false, true])('a repository over http, with the old protocol: %s', (oldProtocol) => {
  test('files are read at one commit', async () => {
    const { repository } = await serve(oldProtocol);
    const found = await readFiles(repository.url, [
      'a.txt',
      'folder/b.txt',
      'folder',
      'missing',
      'large.txt',
    ]);
    expect(found).toEqual({
      commit: repository.tip('main'),
      files: new Map([
        ['a.txt', 'first\n'],
        ['folder/b.txt', 'second\n'],
      ]),
      tooLarge: ['large.txt'],
    });
  });

  test('the change of a commit has its paths and its diff', async () => {
    const { repository } = await serve(oldProtocol);
    const parent = repository.commit('main', { 'a.txt': 'other\n' });
    const commit = repository.commit('main', { 'a.txt': 'changed\n', 'new.txt': 'new\n' });
    const request = { ...requestFor(repository.url), commit };
    const { before, changedPaths, patch } = await sources().readChange(request, {
      workFolder: temporaryFolder('read'),
      signal,
    });
    expect(before).toBe(parent);
    expect(changedPaths).toEqual(['a.txt', 'new.txt']);
    expect(patch).toContain('-other\n+changed');
    expect(patch).not.toContain('first');
  });
});

test('the first commit of a repository has no known change', async () => {
  const { repository } = await serve();
  const request = { ...requestFor(repository.url), commit: present(repository.tip('main')) };
  const at = { workFolder: temporaryFolder('read'), signal };
  expect(await sources().readChange(request, at)).toEqual({ before: null, changedPaths: null, patch: null });
});

test('another branch is read, and a missing one is refused', async () => {
  const { repository } = await serve();
  repository.commit('next', { 'a.txt': 'next\n' });
  expect((await readFiles(repository.url, ['a.txt'], { ref: 'next' })).files.get('a.txt')).toBe('next\n');
  await expect(readFiles(repository.url, ['a.txt'], { ref: 'none' })).rejects.toMatchObject({
    code: 'source_not_found',
  });
});

test('a host that is not allowed is refused', async () => {
  const { repository } = await serve();
  await expect(readFiles(repository.url, ['a.txt'], { allowed: [] })).rejects.toMatchObject({
    code: 'source_refused',
  });
});

test('links and paths outside are not read', async () => {
  const { repository } = await serve();
  repository.setBranches({
    links: { files: { 'a.txt': 'a' }, links: { 'link.txt': '/etc/hostname', up: '..' } },
  });
  const paths = ['link.txt', 'up/a.txt', '-x', ':(top)a.txt'];
  expect((await readFiles(repository.url, paths, { ref: 'links' })).files).toEqual(new Map());
});

describe('a folder', () => {
  test('is read without following links', async () => {
    const folder = temporaryFolder('folder');
    writeFiles(folder, { 'a.txt': 'first', 'large.txt': 'x'.repeat(2000) });
    symlinkSync('/etc/hostname', join(folder, 'link.txt'));
    symlinkSync(folder, join(folder, 'self'));
    const paths = ['a.txt', 'large.txt', 'link.txt', 'self/a.txt', '../etc', 'missing'];
    expect(await readFiles(folder, paths)).toEqual({
      commit: null,
      files: new Map([['a.txt', 'first']]),
      tooLarge: ['large.txt'],
    });
  });

  test('that is a local repository is read at its branch', async () => {
    const folder = temporaryFolder('folder');
    const commit = commitAll(folder, { 'a.txt': 'committed' });
    writeFiles(folder, { 'a.txt': 'changed' });
    const found = await readFiles(`file://${folder}`, ['a.txt'], { ref: 'main' });
    expect(found).toMatchObject({ commit, files: new Map([['a.txt', 'committed']]) });
  });
});
