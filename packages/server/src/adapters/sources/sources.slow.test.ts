/** Fetches from a real `git http-backend`, a local repository and a folder. The repositories are hostile. */
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { basicAuthorization, startGitServer } from '../../../../../test/fakes/git-server.ts';
import type { SourceRequest } from '../../ports/sources.ts';
import {
  cleanUp,
  commitAll,
  git,
  temporaryFolder,
  until,
  writeFiles,
} from '../../../test/support/test-context.ts';
import { GitAndFolderSources } from './sources.ts';

const site = {
  'docs.json': '{"name":"Site"}',
  'index.mdx': '# Hello',
  'guides/docs.json': '{"name":"Guides"}',
};
const never = new AbortController().signal;

function fetchSource(
  repository: string,
  more: Partial<SourceRequest> & { allowed?: string[]; signal?: AbortSignal; workFolder?: string } = {},
) {
  const { allowed = ['127.0.0.1'], signal = never, workFolder = temporaryFolder('work'), ...request } = more;
  return new GitAndFolderSources(() => ({ allowedHosts: allowed })).fetch(
    { repository, ref: null, directory: null, commit: null, allowLocal: false, ...request },
    workFolder,
    signal,
  );
}

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serveRepository(folder: string): Promise<string> {
  const server = await startGitServer();
  cleanUp(() => server.close());
  return server.serve('docs', join(folder, '.git'));
}

async function repositoryOverHttp(files: Record<string, string> = site) {
  const folder = temporaryFolder('repository');
  const commit = commitAll(folder, files);
  return { folder, commit, url: await serveRepository(folder) };
}

describe('a repository over http', () => {
  test('the newest commit of the default branch is checked out', async () => {
    const { url, commit } = await repositoryOverHttp();
    const fetched = await fetchSource(url);
    expect(fetched.commit).toBe(commit);
    expect(readdirSync(fetched.folder).toSorted()).toEqual(['docs.json', 'guides', 'index.mdx']);
    expect(readFileSync(join(fetched.folder, 'index.mdx'), 'utf8')).toBe('# Hello');
  });

  test('the history has the days of files and the default branch, and is fetched without the contents of files', async () => {
    const { folder, url } = await repositoryOverHttp();
    git(join(folder, '.git'), 'config', 'uploadpack.allowFilter', 'true');
    const secret = 'only in an old commit '.repeat(20);
    commitAll(folder, { 'guides/new.mdx': secret });
    commitAll(folder, { 'guides/new.mdx': 'new' });
    const workFolder = temporaryFolder('work');
    const fetched = await fetchSource(url, { directory: 'guides', workFolder });
    const history = await fetched.readHistory?.();
    const day = new Date().toISOString().slice(0, 10);
    expect(history).toEqual({
      changedOn: new Map([
        ['new.mdx', day],
        ['docs.json', day],
      ]),
      branch: 'main',
      problem: null,
    });
    const objects = git(join(workFolder, 'history.git'), 'cat-file', '--batch-check', '--batch-all-objects');
    expect(objects).toContain(' tree ');
    expect(objects).not.toContain(' blob ');
    commitAll(folder, { 'guides/newer.mdx': 'new' });
    const again = await fetchSource(url, { directory: 'guides', workFolder, ref: 'main' });
    const later = await again.readHistory?.();
    expect([later?.changedOn.get('newer.mdx'), later?.branch]).toEqual([day, 'main']);
  });

  test('a history that cannot be read has no days, and names the reason', async () => {
    const { folder, url } = await repositoryOverHttp();
    const fetched = await fetchSource(url);
    rmSync(join(folder, '.git'), { recursive: true });
    const history = await fetched.readHistory?.();
    expect(history).toMatchObject({ changedOn: new Map(), branch: null });
    expect(history?.problem).toMatch(/./);
  });

  test('the commit date is returned in UTC, or null for an invalid one', async () => {
    const { folder, url } = await repositoryOverHttp();
    const file = join(temporaryFolder('dated'), 'commit');
    const at = async (committed: string) => {
      const tree = git(folder, 'write-tree').trim();
      const text = `tree ${tree}\nauthor A <a@b> 0 +0000\ncommitter A <a@b> ${committed}\n\nDated\n`;
      writeFileSync(file, text);
      const commit = git(folder, 'hash-object', '--literally', '-w', '-t', 'commit', file).trim();
      git(folder, 'update-ref', 'refs/heads/dated', commit);
      return (await fetchSource(url, { ref: 'dated' })).committedAt;
    };
    expect(await at('1762765200 +0130')).toBe('2025-11-10T09:00:00.000Z');
    expect(await at('99999999999999 +0000')).toBeNull();
  });

  test('a branch, a tag and a commit can be named', async () => {
    const { folder, url, commit } = await repositoryOverHttp();
    git(folder, 'tag', 'v1');
    git(folder, 'checkout', '--quiet', '-b', 'feature/next');
    const next = commitAll(folder, { 'next.mdx': '# Next' });
    git(folder, 'checkout', '--quiet', 'main');
    expect((await fetchSource(url, { ref: 'feature/next' })).commit).toBe(next);
    expect((await fetchSource(url, { ref: 'v1' })).commit).toBe(commit);
    expect((await fetchSource(url, { ref: next })).commit).toBe(next);
  });

  test('a pinned commit is fetched again although the branch has moved on', async () => {
    const { folder, url, commit } = await repositoryOverHttp();
    const moved = commitAll(folder, { 'index.mdx': '# Changed' });
    const again = await fetchSource(url, { ref: 'main', commit });
    expect(again.commit).toBe(commit);
    expect(readFileSync(join(again.folder, 'index.mdx'), 'utf8')).toBe('# Hello');
    expect((await fetchSource(url, { ref: 'main' })).commit).toBe(moved);
  });

  test('after an earlier checkout only the difference is fetched', async () => {
    const pages = Array.from({ length: 20 }, (_, page) => [`page-${page}.mdx`, `# Page ${page}`]);
    const { folder, url } = await repositoryOverHttp({ ...site, ...Object.fromEntries(pages) });
    const workFolder = temporaryFolder('work');
    const countObjects = () => {
      const counts = git(join(workFolder, 'repository.git'), 'count-objects', '-v');
      return Number(/in-pack: (\d+)/.exec(counts)?.[1]);
    };
    await fetchSource(url, { workFolder });
    const before = countObjects();
    const commit = commitAll(folder, { 'index.mdx': '# Hello again' });
    const fetched = await fetchSource(url, { workFolder });
    expect(fetched.commit).toBe(commit);
    expect(readFileSync(join(fetched.folder, 'index.mdx'), 'utf8')).toBe('# Hello again');
    // The commit, the tree, the page and their delta bases.
    expect(countObjects() - before).toBeLessThanOrEqual(6);
  });

  test.each(['shallow.lock', 'index.lock', 'refs/docyard/last-fetched.lock'])(
    'a file left by a killed git, like %s, does not block later fetches',
    async (lock) => {
      const { folder, url } = await repositoryOverHttp(site);
      const workFolder = temporaryFolder('work');
      await fetchSource(url, { workFolder });
      writeFileSync(join(workFolder, 'repository.git', lock), '');
      const commit = commitAll(folder, { 'index.mdx': '# Hello again' });
      const fetched = await fetchSource(url, { workFolder });
      expect(fetched.commit).toBe(commit);
      expect(readFileSync(join(fetched.folder, 'index.mdx'), 'utf8')).toBe('# Hello again');
    },
  );

  test('the host must be listed: a private address and plain http are refused', async () => {
    const { url } = await repositoryOverHttp();
    await expect(fetchSource(url, { allowed: [] })).rejects.toMatchObject({ code: 'source_refused' });
    const port = new URL(url).port;
    await expect(fetchSource(url, { allowed: [`127.0.0.1:${port}`] })).resolves.toBeDefined();
  });

  test('git connects to the checked address', async () => {
    const { url, commit } = await repositoryOverHttp();
    const named = url.replace('127.0.0.1', 'localhost');
    expect((await fetchSource(named, { allowed: ['localhost'] })).commit).toBe(commit);
  });

  test.each(['no-such-branch', 'f'.repeat(40)])('a missing ref (%s) is not found', async (ref) => {
    const { url } = await repositoryOverHttp();
    await expect(fetchSource(url, { ref })).rejects.toMatchObject({
      code: 'source_not_found',
      message: `The repository has no ${ref}.`,
    });
  });

  test('a missing repository is not found', async () => {
    const { url } = await repositoryOverHttp();
    const missing = url.replace('/docs.git', '/nothing.git');
    await expect(fetchSource(missing)).rejects.toMatchObject({ code: 'source_not_found' });
  });

  test('a repository that requires a password is not found, without a prompt', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    });
    await expect(fetchSource(`${url}/docs.git`)).rejects.toMatchObject({ code: 'source_not_found' });
  });

  test('the credential of the project opens a private repository, and a wrong one is reported', async () => {
    const server = await startGitServer({ token: 'secret-token' });
    cleanUp(() => server.close());
    const repository = server.addRepository('private', site);
    const authorization = basicAuthorization('secret-token');
    const credential = { authorization, secret: 'secret-token' };
    expect((await fetchSource(repository.url, { credential })).commit).toBe(repository.tip('main'));
    const wrong = { authorization: basicAuthorization('wrong'), secret: 'wrong' };
    await expect(fetchSource(repository.url, { credential: wrong })).rejects.toMatchObject({
      code: 'source_not_found',
      message: 'The repository does not exist, or the credential of the project is not accepted.',
    });
    const broken = { authorization: 'Basic x\r\nHost: other', secret: 'x' };
    await expect(fetchSource(repository.url, { credential: broken })).rejects.toMatchObject({
      code: 'source_refused',
    });
  });

  test('a server that does not answer as git is unavailable', async () => {
    const url = await serve((_request, response) => void response.writeHead(500).end('Broken'));
    await expect(fetchSource(`${url}/docs.git`)).rejects.toMatchObject({ code: 'source_unavailable' });
    await expect(fetchSource('http://127.0.0.1:1/docs.git')).rejects.toMatchObject({
      code: 'source_unavailable',
    });
  });

  test('a redirect is not followed, to another host or to this one', async () => {
    const { url, commit } = await repositoryOverHttp();
    let asked = 0;
    const target = await serve((_request, response) => {
      asked += 1;
      response.writeHead(404).end();
    });
    for (const to of [target.replace('127.0.0.1', 'localhost'), url]) {
      const redirecting = await serve((request, response) => {
        response.writeHead(301, { location: `${to}${request.url?.replace('/docs.git', '')}` }).end();
      });
      const attempt = fetchSource(`${redirecting}/docs.git`);
      await expect(attempt).rejects.toMatchObject({ name: 'SourceError' });
    }
    expect(asked).toBe(0);
    expect((await fetchSource(url)).commit).toBe(commit);
  });

  test('the directory must exist', async () => {
    const { url } = await repositoryOverHttp();
    const { folder } = await fetchSource(url, { directory: 'guides' });
    expect(readFileSync(join(folder, 'docs.json'), 'utf8')).toContain('Guides');
    for (const directory of ['missing', 'index.mdx', 'guides/deeper']) {
      await expect(fetchSource(url, { directory })).rejects.toMatchObject({
        code: 'source_not_found',
        message: `The folder ${directory} of the source does not exist.`,
      });
    }
  });

  test('a symbolic link in the repository is checked out as text', async () => {
    const folder = temporaryFolder('repository');
    writeFiles(folder, site);
    symlinkSync('/etc', join(folder, 'etc'));
    symlinkSync('/etc/passwd', join(folder, 'passwd.mdx'));
    commitAll(folder);
    const url = await serveRepository(folder);
    const fetched = await fetchSource(url);
    for (const name of ['etc', 'passwd.mdx']) {
      expect(lstatSync(join(fetched.folder, name)).isFile()).toBe(true);
    }
    expect(readFileSync(join(fetched.folder, 'passwd.mdx'), 'utf8')).toBe('/etc/passwd');
    await expect(fetchSource(url, { directory: 'etc' })).rejects.toMatchObject({ code: 'source_not_found' });
  });

  test('attributes, hooks and submodules of the repository do not run commands', async () => {
    const marker = join(temporaryFolder('marker'), 'ran');
    const folder = temporaryFolder('repository');
    writeFiles(folder, {
      ...site,
      '.gitattributes': '*.mdx filter=evil diff=evil merge=evil\n',
      '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = file://${folder}\n\tupdate = none\n`,
      '.gitconfig': `[filter "evil"]\n\tsmudge = touch ${marker}\n`,
    });
    commitAll(folder);
    await fetchSource(await serveRepository(folder));
    expect(existsSync(marker)).toBe(false);
  });

  test('an abort kills git and its children', async () => {
    let open = 0;
    const url = await serve((request) => {
      open += 1;
      request.socket.once('close', () => (open -= 1));
    });
    const controller = new AbortController();
    const attempt = fetchSource(`${url}/docs.git`, { signal: controller.signal });
    const outcome = attempt.catch((error: unknown) => error);
    await until(() => open === 1);
    const before = Date.now();
    controller.abort();
    expect(await outcome).toMatchObject({ name: 'AbortError' });
    await until(() => open === 0, 3);
    expect(Date.now() - before).toBeLessThan(3000);
  });

  test('an aborted signal starts nothing', async () => {
    let asked = 0;
    const url = await serve(() => (asked += 1));
    await expect(fetchSource(`${url}/docs.git`, { signal: AbortSignal.abort() })).rejects.toThrow();
    expect(asked).toBe(0);
  });
});

describe('a repository on this machine', () => {
  test.each(['file://', ''])('%s… with a ref is fetched as a repository', async (scheme) => {
    const folder = temporaryFolder('repository with space');
    const commit = commitAll(folder, site);
    writeFiles(folder, { 'index.mdx': 'not committed' });
    const address = scheme === '' ? folder : `file://${encodeURI(folder)}`;
    const fetched = await fetchSource(address, { ref: 'main', allowLocal: true });
    expect(fetched.commit).toBe(commit);
    expect(readFileSync(join(fetched.folder, 'index.mdx'), 'utf8')).toBe('# Hello');
    expect(fetched.folder).not.toBe(folder);
  });

  test('file:// requires the permission but no ref', async () => {
    const folder = temporaryFolder('repository');
    const commit = commitAll(folder, site);
    expect((await fetchSource(`file://${folder}`, { allowLocal: true })).commit).toBe(commit);
    await expect(fetchSource(`file://${folder}`)).rejects.toMatchObject({ code: 'source_refused' });
  });

  test('a missing folder or one without a repository is not found', async () => {
    const empty = temporaryFolder('empty');
    for (const path of [`file://${empty}`, `file://${empty}/nothing`]) {
      await expect(fetchSource(path, { allowLocal: true })).rejects.toMatchObject({
        code: 'source_not_found',
      });
    }
  });
});

describe('a plain folder', () => {
  test('is read in place and has no commit', async () => {
    const folder = temporaryFolder('folder');
    writeFiles(folder, site);
    expect(await fetchSource(folder, { allowLocal: true })).toEqual({
      folder,
      commit: null,
      committedAt: null,
      readHistory: null,
    });
    const inside = await fetchSource(folder, { directory: 'guides', allowLocal: true });
    expect(inside).toEqual({
      folder: join(folder, 'guides'),
      commit: null,
      committedAt: null,
      readHistory: null,
    });
  });

  test('a link out of the folder is refused', async () => {
    const folder = temporaryFolder('folder');
    symlinkSync('/etc', join(folder, 'docs'));
    await expect(fetchSource(folder, { directory: 'docs', allowLocal: true })).rejects.toMatchObject({
      code: 'source_refused',
      message: 'The folder docs is outside the source.',
    });
  });

  test('a missing folder is not found', async () => {
    const folder = join(temporaryFolder('folder'), 'missing');
    await expect(fetchSource(folder, { allowLocal: true })).rejects.toMatchObject({
      code: 'source_not_found',
    });
  });
});

describe('refuse', () => {
  const sources = new GitAndFolderSources(() => ({ allowedHosts: [] }));
  const request = { ref: null, directory: null, allowLocal: false };

  test('returns nothing for allowed sources and a sentence with a hint for others', () => {
    expect(sources.refuse({ ...request, repository: 'https://example.com/docs.git' })).toBeUndefined();
    expect(sources.refuse({ ...request, repository: 'ssh://example.com/docs.git' })).toEqual({
      field: 'repository',
      message: 'The scheme ssh:// is not supported. Use the https:// address of the repository.',
    });
    expect(sources.refuse({ ...request, repository: 'file:///srv/%zz', allowLocal: true })).toBeDefined();
  });

  test.each([
    ['ref', { ref: 'main..other' }],
    ['directory', { directory: '../docs' }],
    ['repository', { repository: '/srv/docs' }],
  ])('names the field %s that is wrong', (field, wrong) => {
    const repository = 'https://example.com/docs.git';
    expect(sources.refuse({ ...request, repository, ...wrong })).toMatchObject({ field });
  });
});
