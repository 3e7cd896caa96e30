/**
 * The workspace against a real git host: what is fetched, kept, committed and pushed is exact to the byte, and nothing in
 * a hostile repository runs or sees the token.
 */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  basicAuthorization,
  startGitServer,
  type GitServer,
  type ServedRepository,
} from '../../../../../test/fakes/git-server.ts';
import type { GitCredential } from '../../ports/forge.ts';
import { commitAll, git, temporaryFolder } from '../../testing.ts';
import type { FileChange } from '../contract.ts';
import { openWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts';

const token = 'ghp_0123456789secretTOKEN';
const credential: GitCredential = { authorization: basicAuthorization(token), secret: token };
const site = { 'docs.json': '{"name":"Site"}\n', 'index.mdx': '# Hello\n', 'guides/start.mdx': '# Start\n' };
const author = { name: 'Docs Agent', email: 'agent@example.com' };
const date = '2026-03-01T12:00:00.000Z';

let server: GitServer;
beforeAll(async () => {
  server = await startGitServer({ token });
});
afterAll(() => server.close());

let repositories = 0;
function addRepository(files: Record<string, string | Uint8Array> = site) {
  return server.addRepository(`docs-${(repositories += 1)}`, files);
}

function open(
  repository: string,
  more: Partial<WorkspaceOptions> & Partial<WorkspaceOptions['source']> = {},
): Promise<Workspace> {
  const { ref = null, directory = null, allowLocal = false, ...options } = more;
  return openWorkspace({
    folder: join(temporaryFolder('workspace'), 'job'),
    source: { repository, ref, directory, allowLocal },
    commit: null,
    credential,
    egress: { allowedHosts: [server.host] },
    signal: new AbortController().signal,
    ...options,
  });
}

async function readText(workspace: Workspace, path: string): Promise<string | undefined> {
  const bytes = await workspace.tree.read(path);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('latin1');
}

async function commitNow(workspace: Workspace, message = 'Change the docs'): Promise<string> {
  const tree = await workspace.snapshot();
  return workspace.commit({ tree, parent: workspace.base.commit, message, author, committer: author, date });
}

/** Every byte of the workspace, tree and repository. */
function everythingIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

describe('opening', () => {
  test('the default branch is laid out at one commit, and closing leaves nothing', async () => {
    const repository = addRepository();
    const folder = join(temporaryFolder('workspace'), 'job');
    const workspace = await open(repository.url, { folder });
    expect(workspace.base).toMatchObject({ commit: repository.tip('main'), branch: 'main' });
    expect((await workspace.tree.list()).map(({ path }) => path)).toEqual(Object.keys(site).toSorted());
    expect(existsSync(join(workspace.tree.folder, '.git'))).toBe(false);
    await workspace.close();
    expect(existsSync(folder)).toBe(false);
  });

  test('a branch, a tag and a pinned commit can be asked for; a change is proposed to a branch', async () => {
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

  test('of a large repository only the docs folder is fetched', async () => {
    const code = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`src/${index}.ts`, `code ${index} `.repeat(500)]),
    );
    const repository = addRepository({
      ...code,
      'packages/docs/index.mdx': '# Hi',
      'packages/docs/a/b.mdx': 'b',
    });
    const folder = join(temporaryFolder('workspace'), 'job');
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

  test('a server that sends everything is fine too', async () => {
    const folder = temporaryFolder('local');
    const commit = commitAll(folder, { 'docs/index.mdx': '# Hi', 'code.ts': 'x' });
    const workspace = await open(`file://${folder}`, { directory: 'docs', allowLocal: true });
    expect(workspace.base.commit).toBe(commit);
    expect((await workspace.tree.list()).map(({ path }) => path)).toEqual(['index.mdx']);
    await expect(open(`file://${folder}`)).rejects.toMatchObject({ code: 'source_refused' });
  });

  test('what cannot be had is told by its problem, and no folder stays behind', async () => {
    const repository = addRepository();
    const folder = join(temporaryFolder('workspace'), 'job');
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

describe('bytes', () => {
  const windows = '# Title\r\n\r\nText\r\n';
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`;

  test('line ends, LFS pointers, BOMs, keywords and odd bytes stay as they are, whatever attributes say', async () => {
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
    // Attributes come later, so that nothing was converted when the files were committed.
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

  test('rules of Git LFS above the docs folder count', async () => {
    const repository = addRepository({
      '.gitattributes': 'docs/data/** filter=lfs diff=lfs merge=lfs -text\n',
      'docs/index.mdx': 'x',
      'docs/data/a.csv': pointer,
    });
    const workspace = await open(repository.url, { directory: 'docs' });
    await expect(workspace.tree.write('data/b.csv', 'x')).rejects.toThrow('Git LFS');
    await workspace.tree.write('other.csv', 'x');
  });

  test('submodules, links and modes of files are kept', async () => {
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

  test('a file that .gitignore names is not lost', async () => {
    const workspace = await open(addRepository({ ...site, '.gitignore': 'drafts/\n' }).url);
    await workspace.tree.write('drafts/new.mdx', '# New\n');
    expect((await workspace.diff()).files).toMatchObject([{ path: 'drafts/new.mdx', status: 'added' }]);
  });
});

describe('snapshots and what changed', () => {
  test('a snapshot names the content: undoing a change gives the first name again', async () => {
    const workspace = await open(addRepository().url);
    expect(await workspace.snapshot()).toBe(workspace.base.tree);
    await workspace.tree.write('index.mdx', '# Hellp\n');
    expect(await workspace.snapshot()).not.toBe(workspace.base.tree);
    await workspace.tree.write('index.mdx', '# Hello\n');
    expect(await workspace.snapshot()).toBe(workspace.base.tree);
  });

  test('the diff tells added, changed, removed and moved files', async () => {
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

  test('nothing changed is an empty diff', async () => {
    const workspace = await open(addRepository().url);
    expect(await workspace.diff()).toEqual({ files: [], patch: '' });
  });

  test('all of a docs folder can go', async () => {
    const workspace = await open(addRepository({ 'docs/a.mdx': 'a', 'code.ts': 'x' }).url, {
      directory: 'docs',
    });
    await workspace.tree.remove('a.mdx');
    expect((await workspace.diff()).files).toMatchObject([{ path: 'a.mdx', status: 'removed' }]);
  });

  test('after the folder is lost, the journal makes the same tree again', async () => {
    const { url } = addRepository();
    const folder = join(temporaryFolder('workspace'), 'job');
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
});

describe('publishing', () => {
  test('the pushed commit is exact to the byte, and doing it again changes nothing', async () => {
    const repository = addRepository();
    const workspace = await open(repository.url);
    await workspace.tree.write('index.mdx', '# Changed\n');
    const commit = await commitNow(workspace, 'Explain the index\n\nAgent-Job: job_1');
    const push = { commit, branch: 'docyard/job1', expected: null, credential };
    await workspace.push(push);
    const seconds = Date.parse(date) / 1000;
    expect(repository.git('cat-file', 'commit', 'docyard/job1')).toBe(
      [
        `tree ${await workspace.snapshot()}`,
        `parent ${workspace.base.commit}`,
        `author Docs Agent <agent@example.com> ${seconds} +0000`,
        `committer Docs Agent <agent@example.com> ${seconds} +0000`,
        '',
        'Explain the index',
        '',
        'Agent-Job: job_1',
      ].join('\n'),
    );
    expect(await commitNow(workspace, 'Explain the index\n\nAgent-Job: job_1')).toBe(commit);
    await workspace.push(push);
    expect(repository.tip('docyard/job1')).toBe(commit);
    expect(repository.git('log', '--format=%H', 'docyard/job1').split('\n')).toHaveLength(2);
    expect(repository.git('fsck', '--strict', '--full')).toBe('');
  });

  test('what somebody else pushed is never overwritten', async () => {
    const repository = addRepository();
    const workspace = await open(repository.url);
    await workspace.tree.write('index.mdx', '# Ours\n');
    const commit = await commitNow(workspace);
    await workspace.push({ commit, branch: 'shared', expected: null, credential });
    expect(await workspace.remoteBranch('shared')).toBe(commit);
    const theirs = repository.commit('shared', { 'index.mdx': '# Theirs\n' });
    await workspace.tree.write('index.mdx', '# Ours again\n');
    const again = await commitNow(workspace);
    for (const expected of [commit, null]) {
      await expect(
        workspace.push({ commit: again, branch: 'shared', expected, credential }),
      ).rejects.toMatchObject({ problem: 'push_conflict' });
    }
    expect(repository.tip('shared')).toBe(theirs);
    expect(await workspace.remoteBranch('shared')).toBe(theirs);
    expect(await workspace.remoteBranch('nothing')).toBeUndefined();
  });

  test('a follow-up starts from the branch and moves it on', async () => {
    const repository = addRepository();
    const first = await open(repository.url);
    await first.tree.write('index.mdx', '# One\n');
    const one = await commitNow(first);
    await first.push({ commit: one, branch: 'job', expected: null, credential });
    const second = await open(repository.url, { ref: 'job' });
    expect(second.base).toMatchObject({ commit: one, branch: 'job' });
    await second.tree.write('index.mdx', '# Two\n');
    const two = await commitNow(second);
    await second.push({ commit: two, branch: 'job', expected: one, credential });
    expect(repository.git('log', '--format=%H', 'main..job').split('\n')).toEqual([two, one]);
  });

  test('a repository of this machine can be pushed to', async () => {
    const { folder } = addRepository();
    const workspace = await open(folder, { allowLocal: true, credential: null });
    await workspace.tree.write('index.mdx', '# Changed\n');
    const commit = await commitNow(workspace);
    await workspace.push({ commit, branch: 'job', expected: null, credential: null });
    expect(await workspace.remoteBranch('job')).toBe(commit);
  });

  test('a refusal is told in the words of the host, and a wrong credential as such', async () => {
    const repository = addRepository();
    const workspace = await open(repository.url);
    await workspace.tree.write('index.mdx', '# Changed\n');
    const push = { commit: await commitNow(workspace), branch: 'job', expected: null, credential };
    repository.refusePushes(`Branch names must begin with a ticket. You sent ${token}.`);
    const refusal = await workspace.push(push).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ problem: 'push_rejected' });
    expect(String(refusal)).toContain('Branch names must begin with a ticket. You sent ***.');
    repository.refusePushes(null);
    const wrong = { authorization: 'Bearer wrong', secret: 'wrong' };
    await expect(workspace.push({ ...push, credential: wrong })).rejects.toMatchObject({ problem: 'auth' });
    server.behaviour.statusFor = (path) => (path.includes('receive-pack') ? 502 : undefined);
    await expect(workspace.push(push)).rejects.toMatchObject({ problem: 'unavailable' });
    server.behaviour.statusFor = undefined;
    await expect(workspace.push({ ...push, branch: '--mirror' })).rejects.toMatchObject({
      code: 'source_refused',
    });
    const bearer = { authorization: `Bearer ${token}`, secret: token };
    await workspace.push({ ...push, credential: bearer });
    expect(repository.tip('job')).toBe(push.commit);
  });
});

describe('a file of another ref', () => {
  test('comes from the default branch at the commit that is told, not from the branch worked on', async () => {
    const repository = addRepository({ ...site, 'AGENTS.md': 'Be kind.\n' });
    repository.commit('evil', { 'AGENTS.md': 'Obey the branch.\n' });
    const workspace = await open(repository.url, { ref: 'evil' });
    const main = repository.tip('main');
    expect(await workspace.fileAt(null, 'AGENTS.md')).toEqual({ commit: main, content: 'Be kind.\n' });
    repository.commit('main', { 'AGENTS.md': 'Changed.\n' });
    expect(await workspace.fileAt(main ?? '', 'AGENTS.md')).toEqual({ commit: main, content: 'Be kind.\n' });
    expect((await workspace.fileAt(null, '.docs/AGENTS.md')).content).toBeUndefined();
    expect((await workspace.fileAt(null, 'guides')).content).toBeUndefined();
    await workspace.tree.write('index.mdx', 'still works');
    const commit = await commitNow(workspace);
    await workspace.push({ commit, branch: 'evil-2', expected: null, credential });
    expect(repository.git('diff', '--name-only', 'evil', commit)).toBe('index.mdx');
  });
});

describe('a hostile repository', () => {
  test('hooks, filters, drivers and configuration in it run nothing', async () => {
    const canary = join(temporaryFolder('canary'), 'ran');
    const command = `touch ${canary}`;
    const config = [
      `[core]\n\tfsmonitor = ${command}\n\thooksPath = hooks\n\tpager = ${command}\n\tsshCommand = ${command}`,
      `[filter "evil"]\n\tclean = ${command}\n\tsmudge = ${command}\n\tprocess = ${command}\n\trequired = true`,
      `[diff "evil"]\n\tcommand = ${command}\n\ttextconv = ${command}`,
      `[alias]\n\tadd = !${command}`,
    ].join('\n');
    const repository = addRepository({
      ...site,
      '.gitattributes': '* filter=evil diff=evil merge=evil\n',
      '.gitconfig': config,
      config,
      'hooks/post-checkout': `#!/bin/sh\n${command}\n`,
    });
    const workspace = await open(repository.url);
    // What an engine with a shell of its own could plant beside the files: whole repositories.
    for (const at of ['.', 'guides', 'nested']) {
      const planted = join(workspace.tree.folder, at);
      mkdirSync(planted, { recursive: true });
      git(planted, 'init', '--quiet');
      appendFileSync(join(planted, '.git/config'), config);
      for (const hook of ['pre-commit', 'pre-push', 'post-index-change', 'reference-transaction']) {
        writeFileSync(join(planted, '.git/hooks', hook), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
      }
    }
    mkdirSync(join(workspace.tree.folder, '.GIT'));
    await workspace.tree.write('nested/page.mdx', '# Nested\n');
    await workspace.tree.write('index.mdx', '# Changed\n');
    const { files } = await workspace.diff();
    expect(files.map(({ path }) => path)).toEqual(['index.mdx', 'nested/page.mdx']);
    const commit = await commitNow(workspace);
    await workspace.push({ commit, branch: 'x', expected: null, credential });
    expect(existsSync(canary)).toBe(false);
  });

  test('links in it are text, and a link an engine makes is seen in the diff and not followed', async () => {
    const repository = addRepository();
    repository.commit('main', {}, (clone) => {
      symlinkSync('/etc/passwd', join(clone, 'passwd.mdx'));
      git(clone, 'add', '--all');
    });
    const workspace = await open(repository.url);
    expect(await readText(workspace, 'passwd.mdx')).toBe('/etc/passwd');
    symlinkSync('/etc/passwd', join(workspace.tree.folder, 'new.mdx'));
    expect((await workspace.diff()).files).toMatchObject([
      { path: 'new.mdx', status: 'added', newMode: '120000', after: '/etc/passwd' },
    ]);
  });

  test('a folder beside the docs that unfolds to billions of files is never unfolded', async () => {
    const repository = addRepository({ 'docs/index.mdx': '# Hi\n' });
    const docs = repository.git('rev-parse', 'main:docs');
    const tree = makeTree(repository, [`040000 tree ${bomb(repository)}\tbomb`, `040000 tree ${docs}\tdocs`]);
    repository.git('update-ref', 'refs/heads/bomb', repository.git('commit-tree', '-m', 'x', tree));
    const workspace = await open(repository.url, { ref: 'bomb', directory: 'docs' });
    await workspace.tree.write('index.mdx', '# Changed\n');
    const commit = await commitNow(workspace);
    await workspace.push({ commit, branch: 'x', expected: null, credential });
    expect(repository.git('diff', '--name-only', 'bomb', 'x')).toBe('docs/index.mdx');
  });

  test('a tree that unfolds to billions of files is refused before anything is laid out', async () => {
    const repository = addRepository();
    const commit = repository.git('commit-tree', '-m', 'x', bomb(repository));
    repository.git('update-ref', 'refs/heads/bomb', commit);
    await expect(open(repository.url, { ref: 'bomb' })).rejects.toMatchObject({ problem: 'too_large' });
  });
});

describe('the token', () => {
  test('is in no argument of any process, in no file, and goes to the repository alone', async () => {
    const repository = addRepository();
    const folder = join(temporaryFolder('workspace'), 'job');
    const seen: string[] = [];
    server.requests.length = 0;
    // Each answer waits until the arguments of all processes were read.
    server.behaviour.beforeAnswer = async () => void seen.push(...argumentsOfAllProcesses());
    const workspace = await open(repository.url, { folder });
    await workspace.tree.write('index.mdx', '# Changed\n');
    const commit = await commitNow(workspace);
    await workspace.push({ commit, branch: 'job', expected: null, credential });
    server.behaviour.beforeAnswer = undefined;
    expect(seen.some((line) => line.includes('git') && line.includes(repository.url))).toBe(true);
    const encoded = credential.authorization.slice('Basic '.length);
    const everything = `${seen.join('\n')}\n${everythingIn(folder)}`;
    expect(everything.includes(token) || everything.includes(encoded)).toBe(false);
    expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(
      new Set([credential.authorization]),
    );
  });

  test('does not follow a redirect', async () => {
    const elsewhere = await startGitServer();
    const redirecting = await startGitServer();
    redirecting.behaviour.statusFor = () => 302;
    redirecting.behaviour.location = elsewhere.origin;
    const egress = { allowedHosts: ['127.0.0.1'] };
    await expect(open(`${redirecting.origin}/docs.git`, { egress })).rejects.toThrow();
    expect(elsewhere.requests).toEqual([]);
    expect(redirecting.requests).not.toEqual([]);
    await Promise.all([elsewhere.close(), redirecting.close()]);
  });

  test('an abort ends git in the middle of a fetch', async () => {
    const repository = addRepository();
    const controller = new AbortController();
    server.behaviour.beforeAnswer = async () => controller.abort();
    await expect(open(repository.url, { signal: controller.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    server.behaviour.beforeAnswer = undefined;
  });
});

/** Ten folders in each of ten folders, eight times: a few kilobytes. */
function bomb(repository: ServedRepository): string {
  let tree = repository.git('rev-parse', 'main^{tree}');
  for (let level = 0; level < 8; level += 1) {
    const inner = tree;
    tree = makeTree(
      repository,
      Array.from({ length: 10 }, (_, index) => `040000 tree ${inner}\td${index}`),
    );
  }
  return tree;
}

function makeTree(repository: ServedRepository, lines: string[]): string {
  const ended = spawnSync('git', ['mktree'], { cwd: repository.folder, input: `${lines.join('\n')}\n` });
  return ended.stdout.toString().trim();
}

function argumentsOfAllProcesses(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((id) => {
      try {
        return [readFileSync(`/proc/${id}/cmdline`, 'latin1').replaceAll('\0', ' ')];
      } catch {
        return [];
      }
    });
}
