/**
 * Runs git as a child process with nothing of the machine's configuration, no prompts, no hooks and no
 * protocol but the one asked for. The repository is hostile: its text never becomes an option or a path.
 */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SourceError } from '../../ports/sources.ts';

export interface GitFetch {
  /** What git is given: a URL or an absolute path. */
  remote: string;
  protocol: 'file' | 'http' | 'https';
  /** `host:port:address` entries, so that git dials what was checked. */
  resolve: string[];
  ref: string | null;
  /** Fetched in place of the ref when known. */
  commit: string | null;
  workFolder: string;
  signal: AbortSignal;
}

const mostFiles = 100_000;
const mostTreeBytes = 2_000_000_000;

/** Fetches one commit without history and lays its files out; returns where and which. */
export async function fetchCommit(request: GitFetch): Promise<{ tree: string; commit: string }> {
  const repository = join(request.workFolder, 'repository.git');
  const tree = join(request.workFolder, 'tree');
  await mkdir(tree, { recursive: true });
  await runGit(['init', '--quiet', '--bare', '--template=', '--', repository], request, {});
  const places = { GIT_DIR: repository, GIT_WORK_TREE: tree };
  const git = (args: string[]) => runGit(args, request, places);
  const wanted = request.commit ?? request.ref ?? 'HEAD';
  await git([
    'fetch',
    '--quiet',
    '--depth=1',
    '--no-tags',
    '--no-recurse-submodules',
    '--',
    request.remote,
    wanted,
  ]);
  const commit = (await git(['rev-parse', '--verify', 'FETCH_HEAD^{commit}'])).trim();
  await refuseHugeTree(git, commit);
  await git(['read-tree', commit]);
  await git(['checkout-index', '--all', '--force', '--quiet']);
  return { tree, commit };
}

/** A repository of a few kilobytes can describe billions of files: count before anything is laid out. */
async function refuseHugeTree(git: (args: string[]) => Promise<string>, commit: string): Promise<void> {
  const listing = await git(['ls-tree', '-r', '-l', '-z', commit]);
  let files = 0;
  let bytes = 0;
  for (const entry of listing.split('\0')) {
    const [, size] = /^\S+ \S+ \S+ +(\d+|-)\t/.exec(entry) ?? [];
    if (size === undefined) continue;
    files += 1;
    bytes += Number(size) || 0;
  }
  if (files > mostFiles || bytes > mostTreeBytes) {
    throw new SourceError('too_large', `The repository holds ${files} files and ${bytes} bytes.`);
  }
}

const mostOutputBytes = 64_000_000;

async function runGit(args: string[], request: GitFetch, places: Record<string, string>): Promise<string> {
  request.signal.throwIfAborted();
  const child = spawn('git', [...gitSettings(request), ...args], {
    cwd: request.workFolder,
    env: { ...gitEnvironment(request), ...places },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const kill = () => killGroup(child.pid);
  request.signal.addEventListener('abort', kill, { once: true });
  let output = '';
  let complaint = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.length > mostOutputBytes) kill();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-4000);
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => request.signal.removeEventListener('abort', kill));
  request.signal.throwIfAborted();
  if (output.length > mostOutputBytes)
    throw new SourceError('too_large', 'The repository holds too many files.');
  if (status !== 0) throw explain(complaint, request);
  return output;
}

/** git leads a group of its own: the helper that talks to the network must not live on and hold our pipes open. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function gitSettings(request: GitFetch): string[] {
  const settings = [
    'core.hooksPath=/dev/null',
    'core.symlinks=false',
    'core.fsmonitor=false',
    'core.autocrlf=false',
    'core.attributesFile=/dev/null',
    'fetch.fsckObjects=true',
    'transfer.fsckObjects=true',
    'transfer.credentialsInUrl=die',
    'http.followRedirects=false',
    'http.lowSpeedLimit=1000',
    'http.lowSpeedTime=30',
    'protocol.allow=never',
    `protocol.${request.protocol}.allow=always`,
    'protocol.version=2',
    'safe.bareRepository=explicit',
    'safe.directory=*',
    'gc.auto=0',
    ...request.resolve.map((entry) => `http.curloptResolve=${entry}`),
  ];
  return settings.flatMap((setting) => ['-c', setting]);
}

function gitEnvironment(request: GitFetch): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: request.workFolder,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_SSH_COMMAND: '/bin/false',
    GIT_ALLOW_PROTOCOL: request.protocol,
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
  };
}

function explain(complaint: string, request: GitFetch): SourceError {
  const lastLine = complaint.trim().split('\n').at(-1) ?? '';
  if (/couldn't find remote ref|not our ref|unadvertised object|no such ref/i.test(complaint)) {
    const wanted = request.ref ?? request.commit ?? 'HEAD';
    return new SourceError(
      'source_not_found',
      `The repository has no ${wanted}.`,
      'Check the name of the branch.',
    );
  }
  if (
    /not found|does not exist|does not appear to be a git repository|could not read Username/i.test(complaint)
  ) {
    return new SourceError(
      'source_not_found',
      'The repository does not exist or needs credentials.',
      'Check the address in a browser without being signed in.',
    );
  }
  return new SourceError('source_unavailable', `git could not fetch the repository: ${lastLine}`);
}
