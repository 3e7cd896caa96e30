/**
 * A git host for tests: real repositories behind `git http-backend` with a token. It records requests and injects delays,
 * failures and refused pushes.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface GitServer {
  origin: string;
  /** The host in the format of egress rules. */
  host: string;
  requests: { method: string; path: string; authorization: string | undefined }[];
  behaviour: GitServerBehaviour;
  /** Creates a bare repository with one commit on `main`. */
  addRepository(name: string, files: Record<string, string | Uint8Array>): ServedRepository;
  /** Serves an existing repository; returns its address. */
  serve(name: string, gitFolder: string): string;
  close(): Promise<void>;
}

export interface ServedRepository {
  url: string;
  folder: string;
  git(...args: string[]): string;
  /** Commits as another author to a branch, which is created from `main` if needed; returns the commit. */
  commit(
    branch: string,
    files: Record<string, string | Uint8Array>,
    change?: (clone: string) => void,
  ): string;
  /** Appends commits without changes to a branch. */
  addEmptyCommits(branch: string, count: number): void;
  /** Creates branches of one commit each with exactly these files and symbolic links. */
  setBranches(branches: Record<string, BranchContent>): void;
  tip(branch: string): string | undefined;
  /** Refuses pushes with this message; null accepts them again. */
  refusePushes(words: string | null): void;
}

export interface BranchContent {
  files: Record<string, string>;
  /** Link targets by path. */
  links?: Record<string, string>;
}

export interface GitServerBehaviour {
  /** Required as Basic password or Bearer token; null for none. */
  token: string | null;
  /** A status to respond with instead of git, such as 503. */
  statusFor?: ((path: string) => number | undefined) | undefined;
  /** For redirects. */
  location?: string | undefined;
  /** Speaks only protocol version 0. */
  oldProtocol?: boolean | undefined;
  /** Delays the response until this resolves. */
  beforeAnswer?: ((path: string) => Promise<void>) | undefined;
}

export async function startGitServer(behaviour: Partial<GitServerBehaviour> = {}): Promise<GitServer> {
  const root = mkdtempSync(join(tmpdir(), 'docyard-git-server-'));
  const backend = join(git(root, '--exec-path'), 'git-http-backend');
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const served: GitServer = {
    origin: `http://${host}`,
    host,
    requests: [],
    behaviour: { token: null, ...behaviour },
    addRepository(name, files) {
      const repository = new Repository(`http://${host}/${name}.git`, join(root, `${name}.git`));
      repository.commit('main', files);
      return repository;
    },
    serve(name, gitFolder) {
      symlinkSync(gitFolder, join(root, `${name}.git`));
      return `http://${host}/${name}.git`;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return served;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const { authorization } = request.headers;
    served.requests.push({ method: request.method ?? '', path, authorization });
    await served.behaviour.beforeAnswer?.(path);
    const { token, statusFor } = served.behaviour;
    const status = token === null || isAccepted(authorization, token) ? statusFor?.(path) : 401;
    if (served.behaviour.oldProtocol) delete request.headers['git-protocol'];
    if (status === undefined) return runBackend(backend, root, request, response);
    request.resume();
    const { location } = served.behaviour;
    response.writeHead(status, {
      ...(status === 401 ? { 'www-authenticate': 'Basic realm="git"' } : {}),
      ...(location === undefined ? {} : { location: `${location}${path}` }),
    });
    response.end();
  }
}

/** Most hosts accept any user name. */
export function basicAuthorization(token: string, user = 'git'): string {
  return `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`;
}

function isAccepted(authorization: string | undefined, token: string): boolean {
  const [scheme, value = ''] = authorization?.split(' ') ?? [];
  if (scheme === 'Bearer') return value === token;
  return scheme === 'Basic' && Buffer.from(value, 'base64').toString().endsWith(`:${token}`);
}

class Repository implements ServedRepository {
  readonly url: string;
  readonly folder: string;

  constructor(url: string, folder: string) {
    this.url = url;
    this.folder = folder;
    git(tmpdir(), 'init', '--quiet', '--bare', '--initial-branch=main', folder);
  }

  git(...args: string[]): string {
    return git(this.folder, ...args);
  }

  commit(
    branch: string,
    files: Record<string, string | Uint8Array>,
    change: (clone: string) => void = () => undefined,
  ): string {
    const clone = mkdtempSync(join(tmpdir(), 'docyard-clone-'));
    git(clone, 'clone', '--quiet', this.folder, '.');
    const start = this.tip(branch) ?? this.tip('main');
    git(clone, 'checkout', '--quiet', '-B', branch, ...(start === undefined ? [] : [start]));
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(clone, path)), { recursive: true });
      writeFileSync(join(clone, path), content);
    }
    git(clone, 'add', '--all', '--force');
    change(clone);
    git(clone, 'commit', '--quiet', '--allow-empty', '--message', 'Change');
    git(clone, 'push', '--quiet', 'origin', branch);
    const commit = git(clone, 'rev-parse', 'HEAD');
    rmSync(clone, { recursive: true, force: true });
    return commit;
  }

  addEmptyCommits(branch: string, count: number): void {
    const commits = Array.from({ length: count }, (_, index) => {
      const start = index === 0 ? `from refs/heads/${branch}^0\n` : '';
      return `commit refs/heads/${branch}\ncommitter A <a@example.com> 1700000000 +0000\ndata 5\nEmpty\n${start}\n`;
    });
    git(this.folder, { input: commits.join('') }, 'fast-import', '--quiet');
  }

  setBranches(branches: Record<string, BranchContent>): void {
    const input = Object.entries(branches).map(([name, content]) => commitStream(name, content));
    git(this.folder, { input: input.join('') }, 'fast-import', '--quiet', '--force');
  }

  tip(branch: string): string | undefined {
    const ref = `refs/heads/${branch}`;
    return this.git('for-each-ref', '--format=%(objectname)', ref) || undefined;
  }

  refusePushes(words: string | null): void {
    const hook = join(this.folder, 'hooks', 'pre-receive');
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(
      hook,
      words === null ? '#!/bin/sh\n' : `#!/bin/sh\ncat <<'WORDS' >&2\n${words}\nWORDS\nexit 1\n`,
    );
    chmodSync(hook, 0o755);
  }
}

/** See the manual of `git fast-import`. */
function commitStream(branch: string, { files, links = {} }: BranchContent): string {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const entries = (mode: string, all: Record<string, string>) =>
    Object.entries(all).map(([path, text]) => `M ${mode} inline ${JSON.stringify(path)}\n${data(text)}`);
  const who = 'committer Author <author@example.com> 1700000000 +0000';
  return [
    `reset refs/heads/${branch}\ncommit refs/heads/${branch}\n${who}\n${data('Change')}`,
    ...entries('100644', files),
    ...entries('120000', links),
    '\n',
  ].join('');
}

/** CGI, see the manual of `git http-backend`. */
function runBackend(backend: string, root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://host');
  const settings = { 'http.receivepack': 'true', 'uploadpack.allowFilter': 'true', 'safe.directory': '*' };
  const child = spawn(backend, {
    env: {
      ...isolated,
      ...Object.fromEntries(
        Object.entries(settings).flatMap(([name, value], index) => [
          [`GIT_CONFIG_KEY_${index}`, name],
          [`GIT_CONFIG_VALUE_${index}`, value],
        ]),
      ),
      GIT_CONFIG_COUNT: String(Object.keys(settings).length),
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REQUEST_METHOD: request.method ?? '',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin.on('error', () => undefined));
  response.once('close', () => child.kill());
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.once('close', () => {
    const bytes = Buffer.concat(chunks);
    const end = bytes.indexOf('\r\n\r\n');
    const headers = Object.fromEntries(
      bytes
        .subarray(0, Math.max(end, 0))
        .toString()
        .split('\r\n')
        .map((line) => line.split(': ') as [string, string]),
    );
    const { Status: status = '200', ...rest } = headers;
    response.writeHead(end === -1 ? 500 : Number(status.slice(0, 3)), end === -1 ? {} : rest);
    response.end(bytes.subarray(end + 4));
  });
}

const isolated = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Author',
  GIT_AUTHOR_EMAIL: 'author@example.com',
  GIT_COMMITTER_NAME: 'Author',
  GIT_COMMITTER_EMAIL: 'author@example.com',
};

function git(folder: string, ...args: string[]): string;
function git(folder: string, options: { input: string }, ...args: string[]): string;
function git(folder: string, first: string | { input: string } = '', ...rest: string[]): string {
  const [args, options] = typeof first === 'string' ? [[first, ...rest], {}] : [rest, first];
  const ended = spawnSync('git', args, { cwd: folder, encoding: 'utf8', env: isolated, ...options });
  if (ended.status !== 0) throw new Error(`git ${args.join(' ')}: ${ended.stderr}`);
  return ended.stdout.trim();
}
