/** Attacks on git itself, below the address checks: git refuses each even when called directly. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGitServer, type GitServer, type ServedRepository } from '../../../../test/fakes/git-server.ts';
import { git, temporaryFolder } from '../../test/support/test-context.ts';
import { openRemote, type Remote } from './remote.ts';
import { runGit, type GitCommand } from './run.ts';

const { signal } = new AbortController();

let server: GitServer;
beforeAll(async () => {
  server = await startGitServer({ token: null });
});
afterAll(() => server.close());

const run = async (args: string[], more: Partial<GitCommand> = {}): Promise<string> =>
  String(await runGit(args, { folder: temporaryFolder('git'), signal, seconds: 20, ...more }));
const plainRemote = (url: string): Remote => ({ url, protocol: 'http', resolve: [], credential: null });

async function fetchInto(url: string, ref = 'main'): Promise<string> {
  const folder = temporaryFolder('git');
  const repository = join(folder, 'repository.git');
  await run(['init', '--quiet', '--bare', '--template=', '--', repository], { folder });
  await run(['fetch', '--quiet', '--depth=1', '--', url, ref], {
    folder,
    repository,
    remote: plainRemote(url),
  });
  return repository;
}

describe('a hostile address', () => {
  test.each(['ext::sh -c "touch ran"', 'fd::17', 'ssh://-oProxyCommand=touch/x', 'git://127.0.0.1/x'])(
    'git refuses %s at once without starting a process',
    async (address) => {
      const folder = temporaryFolder('git');
      const attempt = run(['ls-remote', '--', address], { folder, remote: plainRemote('http://127.0.0.1/') });
      await expect(attempt).rejects.toThrow(/not allowed|blocked/);
      expect(existsSync(join(folder, 'ran'))).toBe(false);
    },
  );

  test('a password in the address stops git before it is sent', async () => {
    const { url } = server.addRepository('credentials', { a: 'a' });
    const asked = server.requests.length;
    const withPassword = url.replace('://', '://user:secret@');
    const attempt = run(['ls-remote', '--', withPassword], { remote: plainRemote(withPassword) });
    await expect(attempt).rejects.toThrow(/plaintext credentials/);
    expect(server.requests.length).toBe(asked);
  });

  test('the name is resolved once, and a second answer has no effect', async () => {
    const { url } = server.addRepository('rebound', { a: 'a' });
    const { port } = new URL(url);
    const answers = [['93.184.215.14'], ['127.0.0.1']];
    let asked = 0;
    const policy = {
      allowedHosts: [],
      lookup: () => Promise.resolve(answers[asked++] ?? []),
    };
    const address = new URL(`https://rebound.example.com:${port}/docs.git`);
    const remote = await openRemote({ kind: 'remote', url: address }, policy, null);
    expect(remote.resolve).toEqual([`rebound.example.com:${port}:93.184.215.14`]);
    expect(asked).toBe(1);
  });
});

describe('a hostile repository', () => {
  /** Sets a tree that no git client would create. */
  function setTree(repository: ServedRepository, input: string): void {
    const { stdout } = spawnSync('git', ['mktree'], { cwd: repository.folder, input, encoding: 'utf8' });
    const commit = repository.git('commit-tree', '-m', 'x', stdout.trim());
    repository.git('update-ref', 'refs/heads/main', commit);
  }

  test.each(['.git', '.GIT', 'git~1'])('an entry called %s is rejected', async (name) => {
    const repository = server.addRepository(`dotgit-${Buffer.from(name).toString('hex')}`, { a: 'a' });
    const blob = repository.git('rev-parse', 'main:a');
    setTree(repository, `100644 blob ${blob}\t${name}`);
    await expect(fetchInto(repository.url)).rejects.toThrow('hasDotgit');
  });

  test.each([
    ['url', '-u./payload', 'gitmodulesUrl'],
    ['path', '-payload', 'gitmodulesPath'],
    ['update', '!touch ran', 'gitmodulesUpdate'],
  ])('a submodule whose %s is %s is rejected', async (key, value, finding) => {
    const settings = `[submodule "evil"]\n\tpath = evil\n\turl = https://x.example/x\n\t${key} = ${value}\n`;
    const { url } = server.addRepository(`submodule-${key}`, { '.gitmodules': settings });
    await expect(fetchInto(url)).rejects.toThrow(finding);
  });

  test('a bare repository in a tree has no effect on git', async () => {
    const folder = temporaryFolder('tree');
    const bare = join(folder, 'docs');
    mkdirSync(bare);
    git(bare, 'init', '--quiet', '--bare');
    const ran = join(folder, 'ran');
    writeFileSync(
      join(bare, 'config'),
      `[core]\n\tbare = true\n\tfsmonitor = touch ${ran}\n[alias]\n\tx = !touch ${ran}\n`,
    );
    await expect(run(['status'], { folder: bare })).rejects.toThrow(
      /safe\.bareRepository|not a git repository/,
    );
    await expect(run(['x'], { folder: bare })).rejects.toThrow();
    expect(existsSync(ran)).toBe(false);
  });

  test('a repository next to the files with programs in its configuration is ignored', async () => {
    const { url } = server.addRepository('planted', { 'a.mdx': 'a' });
    const repository = await fetchInto(url);
    const tree = temporaryFolder('tree');
    git(tree, 'init', '--quiet');
    const ran = join(temporaryFolder('canary'), 'ran');
    const program = `touch ${ran}`;
    const config =
      `[filter "evil"]\n\tclean = ${program}\n\tsmudge = ${program}\n[gpg]\n\tprogram = ${program}\n` +
      `[commit]\n\tgpgSign = true\n[remote "origin"]\n\turl = ${url}\n\tuploadpack = ${program}\n[diff]\n\texternal = ${program}\n`;
    writeFileSync(join(tree, '.git/config'), config);
    writeFileSync(join(tree, '.gitattributes'), '* filter=evil\n');
    writeFileSync(join(tree, 'a.mdx'), 'changed');
    const inside = { folder: tree, repository, tree };
    const person = { NAME: 'T', EMAIL: 't@example.com' };
    const identity = Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((role) =>
        Object.entries(person).map(([key, value]) => [`GIT_${role}_${key}`, value]),
      ),
    );
    await run(['read-tree', 'FETCH_HEAD'], inside);
    await run(['add', '--all'], inside);
    await run(['diff', '--cached', 'FETCH_HEAD'], inside);
    await run(['commit', '--quiet', '-m', 'x'], { ...inside, identity });
    expect(existsSync(ran)).toBe(false);
  });
});
