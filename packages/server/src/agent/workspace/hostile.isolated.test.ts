import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startGitServer, type ServedRepository } from '../../../../../test/fakes/git-server.ts';
import { git, temporaryFolder } from '../../../test/support/test-context.ts';
import {
  addRepository,
  commitNow,
  credential,
  jobFolder,
  open,
  readText,
  server,
  site,
  token,
} from '../../../test/support/git-workspaces.ts';

describe('a hostile repository', () => {
  test('hooks, filters, drivers and configuration of the repository run nothing', async () => {
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
    // An engine with a shell could create whole repositories next to the files.
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

  test('submodule settings that run commands are refused by name', async () => {
    const settings = '[submodule "evil"]\n\tpath = evil\n\turl = https://evil.dev/x.git\n\tupdate = !touch\n';
    const repository = addRepository({ ...site, '.gitmodules': settings });
    await expect(open(repository.url)).rejects.toThrow(
      /object of the repository: gitmodulesUpdate: .*!touch/,
    );
  });

  test('links are text, and a link created by an engine appears in the diff without being followed', async () => {
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

  test('a folder outside the docs that expands to billions of files is never expanded', async () => {
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

  test('a tree that expands to billions of files is refused before checkout', async () => {
    const repository = addRepository();
    const commit = repository.git('commit-tree', '-m', 'x', bomb(repository));
    repository.git('update-ref', 'refs/heads/bomb', commit);
    await expect(open(repository.url, { ref: 'bomb' })).rejects.toMatchObject({ problem: 'too_large' });
  });
});

describe('the token', () => {
  test('the token is in no process argument and no file, and is sent only to the repository', async () => {
    const repository = addRepository();
    const folder = jobFolder();
    const seen: string[] = [];
    server.requests.length = 0;
    // Every answer waits until the arguments of all processes are read.
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

  test('the token is not sent to a redirect target', async () => {
    const otherHost = await startGitServer();
    const redirecting = await startGitServer();
    redirecting.behaviour.statusFor = () => 302;
    redirecting.behaviour.location = otherHost.origin;
    const egress = { allowedHosts: ['127.0.0.1'] };
    await expect(open(`${redirecting.origin}/docs.git`, { egress })).rejects.toThrow();
    expect(otherHost.requests).toEqual([]);
    expect(redirecting.requests).not.toEqual([]);
    await Promise.all([otherHost.close(), redirecting.close()]);
  });

  test('an abort ends git during a fetch', async () => {
    const repository = addRepository();
    const controller = new AbortController();
    server.behaviour.beforeAnswer = async () => controller.abort();
    await expect(open(repository.url, { signal: controller.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    server.behaviour.beforeAnswer = undefined;
  });
});

function everythingIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

/** Ten folders in each of ten folders, eight levels deep. */
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
