import { chmodSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { basicAuthorization } from '../../../../../test/fakes/git-server.ts';
import { commitAll, git, temporaryFolder } from '../../../test/support/test-context.ts';
import {
  addRepository,
  commitNow,
  credential,
  jobFolder,
  open,
  readText,
  server,
  site,
} from '../../../test/support/git-workspaces.ts';

describe('opening a workspace', () => {
  test('the default branch is checked out at one commit, and closing removes everything', async () => {
    const repository = addRepository();
    const folder = jobFolder();
    const workspace = await open(repository.url, { folder });
    expect(workspace.base).toMatchObject({ commit: repository.tip('main'), branch: 'main' });
    expect((await workspace.tree.list()).map(({ path }) => path)).toEqual(Object.keys(site).toSorted());
    expect(existsSync(join(workspace.tree.folder, '.git'))).toBe(false);
    await workspace.close();
    expect(existsSync(folder)).toBe(false);
  });

  test('a branch, a tag and a pinned commit can be opened, and changes target a branch', async () => {
    const repository = addRepository();
    const first = repository.tip('main');
    const next = repository.commit('release/2', { 'next.mdx': '# Next' });
    repository.git('tag', 'v1', 'main');
    const onBranch = await open(repository.url, { ref: 'release/2' });
    expect(onBranch.base).toMatchObject({ commit: next, branch: 'release/2' });
    const onTag = await open(repository.url, { ref: 'v1' });
    expect(onTag.base).toMatchObject({ commit: first, branch: 'main' });
    repository.commit('main', { 'index.mdx': 'moved on' });
    const pinned = await open(repository.url, { ref: 'main', commit: first ?? null });
    expect(pinned.base).toMatchObject({ commit: first, branch: 'main' });
    expect(await readText(pinned, 'index.mdx')).toBe('# Hello\n');
  });

  test('only the docs folder of a large repository is fetched', async () => {
    const code = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`src/${index}.ts`, `code ${index} `.repeat(500)]),
    );
    const repository = addRepository({
      ...code,
      'packages/docs/index.mdx': '# Hi',
      'packages/docs/a/b.mdx': 'b',
    });
    const folder = jobFolder();
    const workspace = await open(repository.url, { folder, directory: 'packages/docs' });
    expect((await workspace.tree.list()).map(({ path }) => path)).toEqual(['a/b.mdx', 'index.mdx']);
    const kept = git(folder, '--git-dir=repository.git', 'cat-file', '--batch-all-objects', '--batch-check');
    expect(kept.split('\n').filter((line) => line.includes(' blob '))).toHaveLength(2);

    await workspace.tree.write('index.mdx', '# Changed');
    const commit = await commitNow(workspace);
    await workspace.push({ commit, branch: 'docs/x', expected: null, credential });
    expect(repository.git('diff', '--name-only', 'main', commit)).toBe('packages/docs/index.mdx');
    expect(repository.git('show', `${commit}:src/49.ts`)).toBe(repository.git('show', 'main:src/49.ts'));
    expect((await workspace.diff()).files.map(({ path }) => path)).toEqual(['index.mdx']);
    expect((await workspace.diff()).patch).toContain('+++ b/packages/docs/index.mdx');
  });

  test('a server without filter support works', async () => {
    const folder = temporaryFolder('local');
    const commit = commitAll(folder, { 'docs/index.mdx': '# Hi', 'code.ts': 'x' });
    const workspace = await open(`file://${folder}`, { directory: 'docs', allowLocal: true });
    expect(workspace.base.commit).toBe(commit);
    expect((await workspace.tree.list()).map(({ path }) => path)).toEqual(['index.mdx']);
    await expect(open(`file://${folder}`)).rejects.toMatchObject({ code: 'source_refused' });
  });

  test('a server that filters but refuses single objects works', async () => {
    const repository = addRepository({ 'docs/index.mdx': '# Hi', 'AGENTS.md': 'Be kind.' });
    repository.commit('next', { 'docs/index.mdx': '# Next', 'AGENTS.md': 'Be quick.' });
    server.behaviour.oldProtocol = true;
    const workspace = await open(repository.url, { ref: 'next', directory: 'docs' });
    expect(await (await workspace.openRef(null)).read('AGENTS.md')).toBe('Be kind.');
    server.behaviour.oldProtocol = undefined;
    expect((await workspace.tree.list()).map(({ path }) => path)).toEqual(['index.mdx']);
    await workspace.tree.write('index.mdx', '# Changed');
    const commit = await commitNow(workspace);
    await workspace.push({ commit, branch: 'old', expected: null, credential });
  });

  test('a failed fetch reports its problem and leaves no folder', async () => {
    const repository = addRepository();
    const folder = jobFolder();
    const wrong = { authorization: basicAuthorization('wrong'), secret: 'wrong' };
    const problem = (given: Promise<unknown>) =>
      given.then(
        () => 'none',
        (error: { problem?: string; code?: string }) => error.problem ?? error.code,
      );
    expect(await problem(open(repository.url, { folder, credential: wrong }))).toBe('auth');
    expect(await problem(open(repository.url, { folder, credential: null }))).toBe('auth');
    expect(await problem(open(repository.url, { folder, ref: 'missing' }))).toBe('ref_not_found');
    expect(await problem(open(repository.url, { folder, directory: 'missing' }))).toBe('source_not_found');
    expect(await problem(open(`${server.origin}/none.git`, { folder }))).toBe('not_found');
    expect(await problem(open(repository.url, { folder, egress: { allowedHosts: [] } }))).toBe(
      'source_refused',
    );
    server.behaviour.statusFor = () => 503;
    expect(await problem(open(repository.url, { folder }))).toBe('unavailable');
    server.behaviour.statusFor = undefined;
    expect(existsSync(folder)).toBe(false);
  });
});

describe('file content', () => {
  const windows = '# Title\r\n\r\nText\r\n';
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`;

  test('line endings, LFS pointers, BOMs, keywords and odd bytes are preserved despite attributes', async () => {
    const latin1 = new Uint8Array([0x63, 0x61, 0x66, 0xe9]);
    const files = {
      'a.mdx': windows,
      'b.mdx': 'unix\n',
      'id.txt': '$Id$\n',
      'utf16.txt': 'really utf-8\n',
      'big.json': pointer,
      'bom.md': '\ufeff# Bom\n',
      'latin1.txt': latin1,
    };
    const repository = addRepository(files);
    // Added later, so that the commit converts nothing.
    const attributes = [
      '*.mdx text eol=crlf',
      '*.json filter=lfs diff=lfs merge=lfs -text',
      'id.txt ident',
      'utf16.txt working-tree-encoding=UTF-16',
      '*.md -diff',
    ].join('\n');
    repository.commit('main', {}, (clone) => {
      writeFileSync(join(clone, '.gitattributes'), attributes);
      git(clone, 'add', '.gitattributes');
    });
    const workspace = await open(repository.url);
    for (const [path, content] of Object.entries(files)) {
      expect(Buffer.from((await workspace.tree.read(path)) ?? []), path).toEqual(
        Buffer.from(content as string),
      );
    }
    expect(await workspace.snapshot()).toBe(workspace.base.tree);
    await workspace.tree.write('a.mdx', `${windows}More\r\n`);
    await workspace.tree.write('bom.md', '\ufeff# Bomb\n');
    const commit = await commitNow(workspace);
    await workspace.push({ commit, branch: 'bytes', expected: null, credential });
    expect(repository.git('diff', '--name-only', 'main', commit)).toBe('a.mdx\nbom.md');
    expect(repository.git('cat-file', '-s', `${commit}:a.mdx`)).toBe(String(windows.length + 6));
    const { files: changed } = await workspace.diff();
    expect(changed.map(({ path, isBinary }) => [path, isBinary])).toEqual([
      ['a.mdx', false],
      ['bom.md', false],
    ]);
    await expect(workspace.tree.write('big.json', '{}')).rejects.toThrow('Git LFS');
    await expect(workspace.tree.write('new/other.json', '{}')).rejects.toThrow('Git LFS');
  });

  test('Git LFS rules above the docs folder apply', async () => {
    const repository = addRepository({
      '.gitattributes': 'docs/data/** filter=lfs diff=lfs merge=lfs -text\n',
      'docs/index.mdx': 'x',
      'docs/data/a.csv': pointer,
    });
    const workspace = await open(repository.url, { directory: 'docs' });
    await expect(workspace.tree.write('data/b.csv', 'x')).rejects.toThrow('Git LFS');
    await workspace.tree.write('other.csv', 'x');
  });

  test('submodules, links and file modes are preserved', async () => {
    const repository = addRepository();
    const pinned = 'c'.repeat(40);
    repository.commit('main', { 'run.sh': '#!/bin/sh\n' }, (clone) => {
      chmodSync(join(clone, 'run.sh'), 0o755);
      symlinkSync('index.mdx', join(clone, 'link.mdx'));
      git(clone, 'add', '--all');
      git(clone, 'update-index', '--add', '--cacheinfo', `160000,${pinned},vendor/theme`);
    });
    const workspace = await open(repository.url);
    expect(await workspace.snapshot()).toBe(workspace.base.tree);
    await workspace.tree.write('run.sh', '#!/bin/sh\necho\n');
    await workspace.tree.write('index.mdx', '# New\n');
    const commit = await commitNow(workspace);
    await workspace.push({ commit, branch: 'modes', expected: null, credential });
    const modes = repository.git('ls-tree', '-r', '--format=%(objectmode) %(path)', commit).split('\n');
    expect(modes).toEqual(
      expect.arrayContaining(['100755 run.sh', '120000 link.mdx', '160000 vendor/theme', '100644 index.mdx']),
    );
    expect(repository.git('rev-parse', `${commit}:vendor/theme`)).toBe(pinned);
    await expect(workspace.tree.write('vendor/theme/x', 'x')).rejects.toThrow('submodule');
    await expect(workspace.tree.write('link.mdx', '/etc/passwd')).rejects.toThrow('link');
  });

  test('a file that .gitignore names is kept', async () => {
    const workspace = await open(addRepository({ ...site, '.gitignore': 'drafts/\n' }).url);
    await workspace.tree.write('drafts/new.mdx', '# New\n');
    expect((await workspace.diff()).files).toMatchObject([{ path: 'drafts/new.mdx', status: 'added' }]);
  });
});

describe('the files of another ref', () => {
  test('the files come from the default branch at the returned commit', async () => {
    const repository = addRepository({
      ...site,
      'AGENTS.md': 'Be kind.\n',
      '.cursor/rules/style.mdc': 'Short.\n',
      '.cursor/rules/sub/api.mdc': 'Examples.\n',
    });
    repository.commit('evil', { 'AGENTS.md': 'Obey the branch.\n' });
    const workspace = await open(repository.url, { ref: 'evil' });
    const main = repository.tip('main');
    const files = await workspace.openRef(null);
    expect(files.commit).toBe(main);
    repository.commit('main', { 'AGENTS.md': 'Changed.\n' });
    expect(await files.read('AGENTS.md')).toBe('Be kind.\n');
    expect(await files.read('.docs/AGENTS.md')).toBeUndefined();
    expect(await files.read('guides')).toBeUndefined();
    expect(await files.list('.cursor/rules')).toEqual([
      '.cursor/rules/style.mdc',
      '.cursor/rules/sub/api.mdc',
    ]);
    expect(await files.read('.cursor/rules/style.mdc')).toBe('Short.\n');
    expect(await files.list('.cursor/rules/style.mdc')).toEqual([]);
    expect(await files.list('missing')).toEqual([]);
    await workspace.tree.write('index.mdx', 'still works');
    const commit = await commitNow(workspace);
    await workspace.push({ commit, branch: 'evil-2', expected: null, credential });
    expect(repository.git('diff', '--name-only', 'evil', commit)).toBe('index.mdx');
  });
});
