import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { basicAuthorization, startGitServer, type GitServer } from '../../../../test/fakes/git-server.ts';
import { fillDisk, mountSmallDisk, unmountSmallDisk } from '../../../../test/small-disk.ts';
import { isDiskFull } from '@docyard/site/disk';
import { temporaryFolder } from '../../test/support/test-context.ts';
import type { Remote } from './remote.ts';
import { runGit, type GitCommand, type GitError } from './run.ts';

const { signal } = new AbortController();
const token = 'secret-token';

let server: GitServer;
beforeAll(async () => {
  server = await startGitServer({ token });
});
afterAll(() => server.close());

function remoteOf(url: string): Remote {
  const credential = { authorization: basicAuthorization(token), secret: token };
  return { url, protocol: 'http', resolve: [], credential };
}

async function run(args: string[], more: Partial<GitCommand> = {}): Promise<string> {
  return String(await runGit(args, { folder: temporaryFolder('git'), signal, ...more }));
}

async function bareRepository(): Promise<{ folder: string; repository: string }> {
  const folder = temporaryFolder('git');
  const repository = join(folder, 'repository.git');
  await run(['init', '--quiet', '--bare', '--template=', '--', repository], { folder });
  return { folder, repository };
}

describe('the environment of git', () => {
  test('git gets no setting and no variable of the machine', async () => {
    const home = temporaryFolder('home');
    writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Machine\n');
    mkdirSync(join(home, '.config/git'), { recursive: true });
    writeFileSync(join(home, '.config/git/config'), '[user]\n\temail = machine@example.com\n');
    const before = { ...process.env };
    Object.assign(process.env, { HOME: home, GIT_AUTHOR_NAME: 'Machine', DOCYARD_SECRET: token });
    try {
      const settings = await run(['config', '--list', '--show-origin']);
      expect(settings.split('\n').filter((line) => line !== '' && !line.startsWith('command line:'))).toEqual(
        [],
      );
      expect(settings).not.toContain('achine');
      await expect(run(['var', 'GIT_AUTHOR_IDENT'])).rejects.toMatchObject({ problem: 'failed' });
      const environment = await run(['-c', 'alias.env=!env', 'env']);
      expect(environment).not.toContain(token);
    } finally {
      process.env = before;
    }
  });

  test('git without a remote connects to nothing', async () => {
    const { url, folder } = server.addRepository('closed', { a: 'a' });
    const asked = server.requests.length;
    for (const address of [url, `file://${folder}`, folder, 'ext::touch x']) {
      await expect(run(['ls-remote', '--', address])).rejects.toMatchObject({ problem: 'failed' });
    }
    expect(server.requests).toHaveLength(asked);
  });

  test('git uses only the protocol of the remote, and sends the credential only to its address', async () => {
    const { url, folder } = server.addRepository('open', { a: 'a' });
    const other = server.addRepository('other', { a: 'a' });
    const remote = remoteOf(url);
    expect(await run(['ls-remote', '--', url, 'refs/heads/main'], { remote })).toContain('refs/heads/main');
    await expect(run(['ls-remote', '--', `file://${folder}`], { remote })).rejects.toThrow('not allowed');
    await expect(run(['ls-remote', '--', other.url], { remote })).rejects.toMatchObject({ problem: 'auth' });
  });

  test('git connects to the checked address', async () => {
    const { url } = server.addRepository('named', { a: 'a' });
    const { port } = new URL(url);
    const named = url.replace('127.0.0.1', 'docs.invalid');
    const remote = { ...remoteOf(named), resolve: [`docs.invalid:${port}:127.0.0.1`] };
    expect(await run(['ls-remote', '--', named, 'refs/heads/main'], { remote })).toContain('refs/heads/main');
  });
});

describe('errors of git', () => {
  test('the credential is masked in every form, also where text is truncated', async () => {
    const repository = server.addRepository('echo', { a: 'a' });
    const sent = basicAuthorization(token);
    repository.refusePushes(`${`You sent ${sent} for ${token}.\n`.repeat(400)}The end.`);
    const { folder } = repository;
    const remote = remoteOf(repository.url);
    const push = run(['push', '--porcelain', '--', repository.url, 'main:refs/heads/x'], {
      folder,
      repository: folder,
      remote,
    });
    const error = (await push.catch((reason: unknown) => reason)) as GitError;
    expect(error.output).toContain('pre-receive hook declined');
    expect(error.complaint).toContain('You sent *** for ***.');
    expect(error.complaint).toContain('remote: The end.');
    const encoded = sent.slice('Basic '.length);
    for (const part of [token, token.slice(4), encoded, encoded.slice(8)]) {
      expect(`${error.message}${error.output}${error.complaint}`).not.toContain(part);
    }
  });
});

describe('limits', () => {
  test('a slow command is killed', async () => {
    await expect(run(['-c', 'alias.wait=!sleep 60', 'wait'], { seconds: 0.2 })).rejects.toMatchObject({
      problem: 'timed_out',
    });
  });

  test('large output is refused', async () => {
    await expect(run(['help', '--all'], { outputBytes: 100 })).rejects.toMatchObject({
      problem: 'too_large',
    });
  });

  test('a large response of a server is refused', async () => {
    const { url } = server.addRepository('large', { large: new Uint8Array(randomBytes(300_000)) });
    const { folder, repository } = await bareRepository();
    const fetch = (fileBytes: number) =>
      run(['fetch', '--quiet', '--', url, 'main'], { folder, repository, remote: remoteOf(url), fileBytes });
    await expect(fetch(100_000)).rejects.toMatchObject({ problem: 'too_large' });
    await fetch(1_000_000);
    expect(readdirSync(join(repository, 'objects/pack')).some((name) => name.endsWith('.pack'))).toBe(true);
  });

  test('an abort kills git and its child processes', async () => {
    const controller = new AbortController();
    const running = run(['-c', 'alias.wait=!sleep 60', 'wait'], { signal: controller.signal });
    controller.abort();
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('a full disk', () => {
  const disk = temporaryFolder('small-disk');
  const isMounted = mountSmallDisk(disk, 4);
  if (!isMounted) console.warn('Skipped: git on a full disk, since no file system can be mounted here.');
  afterAll(() => unmountSmallDisk(disk));

  test.runIf(isMounted)('git reports a full disk when it creates or fetches a repository', async () => {
    const { url } = server.addRepository('large', { 'a.bin': randomBytes(6_000_000).toString('base64') });
    const repository = join(disk, 'repository.git');
    const init = ['init', '--quiet', '--bare', '--template=', '--', repository];
    const free = fillDisk(disk);
    const failed = await run(init, { folder: disk }).catch((error: unknown) => error as GitError);
    expect(failed).toMatchObject({ problem: 'disk_full' });
    expect(isDiskFull(failed)).toBe(true);
    free();
    await run(init, { folder: disk });
    await expect(
      run(['fetch', '--quiet', '--depth=1', '--', url, 'HEAD'], {
        folder: disk,
        repository,
        remote: remoteOf(url),
      }),
    ).rejects.toMatchObject({ problem: 'disk_full' });
  });
});
