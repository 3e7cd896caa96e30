/**
 * Runs git without system configuration, prompts or hooks and with a single allowed protocol. Repositories are
 * untrusted: their text never becomes an option, and secrets never become arguments.
 */
import { spawn } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { killGroup } from '../process-group.ts';
import type { Remote } from './remote.ts';
import { certificateSettings } from './certificates.ts';

export interface GitCommand {
  folder: string;
  /** The bare repository. It is outside the tree, so that no file in the tree can configure it. */
  repository?: string | undefined;
  tree?: string | undefined;
  /** Without a remote, git has no network access. */
  remote?: Remote | undefined;
  signal: AbortSignal;
  input?: string | undefined;
  identity?: Record<string, string> | undefined;
  seconds?: number | undefined;
  outputBytes?: number | undefined;
  fileBytes?: number | undefined;
}

export type GitProblem =
  | 'auth'
  | 'not_found'
  | 'ref_not_found'
  | 'push_conflict'
  | 'push_rejected'
  | 'too_large'
  | 'disk_full'
  | 'timed_out'
  | 'unavailable'
  | 'failed';

interface GitEnd {
  output: string;
  complaint: string;
  status?: number | null;
}

export class GitError extends Error {
  override name = 'GitError';
  readonly problem: GitProblem;
  /** Output of git before the failure, without secrets. */
  readonly output: string;
  readonly complaint: string;
  /** The exit status; null if a signal ended git or git was not the cause. */
  readonly status: number | null;
  readonly code: 'ENOSPC' | undefined;

  constructor(problem: GitProblem, message: string, ended: GitEnd = { output: '', complaint: '' }) {
    super(message);
    this.problem = problem;
    this.output = ended.output;
    this.complaint = ended.complaint;
    this.status = ended.status ?? null;
    this.code = problem === 'disk_full' ? 'ENOSPC' : undefined;
  }
}

const maxSeconds = 600;
const maxOutputBytes = 64_000_000;
const maxFileBytes = 2_000_000_000;
const minFreeBytes = 65_536;
/**
 * A server can fill a single pack file without end, so ulimit bounds file sizes. Ignoring SIGXFSZ gives git an
 * error it can report.
 */
const withFileLimit = `trap '' XFSZ && ulimit -f "$0" && exec git "$@"`;

/** Resolves with the output. Throws a GitError or the reason of the signal. */
export async function runGit(args: readonly string[], command: GitCommand): Promise<Buffer> {
  command.signal.throwIfAborted();
  const { seconds = maxSeconds, outputBytes = maxOutputBytes, fileBytes = maxFileBytes } = command;
  const blocks = String(Math.ceil(fileBytes / 512));
  const child = spawn('/bin/sh', ['-c', withFileLimit, blocks, ...args], {
    cwd: command.folder,
    env: environmentOf(command),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let isTimedOut = false;
  const kill = () => killGroup(child.pid);
  const timer = setTimeout(() => {
    isTimedOut = true;
    kill();
  }, seconds * 1000);
  command.signal.addEventListener('abort', kill, { once: true });
  const output: Buffer[] = [];
  let size = 0;
  let complaint = '';
  child.stdout.on('data', (bytes: Buffer) => {
    size += bytes.length;
    if (size > outputBytes) kill();
    else output.push(bytes);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = lastLines(complaint + text);
  });
  // Git may exit before reading all input; its status says why.
  child.stdin.on('error', () => undefined).end(command.input ?? '');
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => {
    clearTimeout(timer);
    command.signal.removeEventListener('abort', kill);
  });
  command.signal.throwIfAborted();
  if (isTimedOut) throw new GitError('timed_out', `git took longer than ${seconds} seconds.`);
  if (size > outputBytes)
    throw new GitError('too_large', `git answered with more than ${outputBytes} bytes.`);
  const written = Buffer.concat(output);
  if (status !== 0) throw await explain({ stderr: complaint, stdout: written, status }, command);
  return written;
}

const fixedSettings: [name: string, value: string][] = [
  ['core.hooksPath', '/dev/null'],
  ['core.symlinks', 'false'],
  ['core.fileMode', 'false'],
  ['core.fsmonitor', 'false'],
  ['core.autocrlf', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['core.quotePath', 'false'],
  ['core.protectHFS', 'true'],
  ['core.protectNTFS', 'true'],
  ['fetch.fsckObjects', 'true'],
  ['fetch.unpackLimit', '1'],
  ['transfer.fsckObjects', 'true'],
  ['transfer.credentialsInUrl', 'die'],
  ['http.followRedirects', 'false'],
  ['http.lowSpeedLimit', '1000'],
  ['http.lowSpeedTime', '30'],
  ['protocol.allow', 'never'],
  ['protocol.version', '2'],
  ['safe.bareRepository', 'explicit'],
  ['safe.directory', '*'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
];

/** Settings are passed in the environment, because other users of the machine can read arguments. */
function environmentOf(command: GitCommand): Record<string, string> {
  const { remote, repository, tree, identity } = command;
  const settings = [...fixedSettings, ...(remote === undefined ? [] : remoteSettings(remote))];
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    // Not a folder: no configuration and no .netrc can be in it.
    HOME: '/dev/null',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_SSH_COMMAND: '/bin/false',
    ...(remote?.protocol === 'https' ? certificateSettings() : {}),
    GIT_ALLOW_PROTOCOL: remote?.protocol ?? 'none',
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([name, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, name],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
    ...(repository === undefined ? {} : { GIT_DIR: repository }),
    ...(tree === undefined ? {} : { GIT_WORK_TREE: tree }),
    ...identity,
  };
}

function remoteSettings(remote: Remote): [name: string, value: string][] {
  const { url, protocol, resolve, credential } = remote;
  return [
    [`protocol.${protocol}.allow`, 'always'],
    ...resolve.map((entry): [string, string] => ['http.curloptResolve', entry]),
    ...(credential === null
      ? []
      : [[`http.${url}.extraHeader`, `Authorization: ${credential.authorization}`] as [string, string]]),
  ];
}

async function explain(
  { stderr, stdout, status }: { stderr: string; stdout: Buffer; status: number | null },
  command: GitCommand,
): Promise<GitError> {
  const { remote } = command;
  const complaint = maskSecrets(withoutControls(stderr), remote);
  const output = maskSecrets(withoutControls(stdout.subarray(0, 64_000).toString()), remote).slice(0, 4000);
  const lastLine = complaint.trim().split('\n').at(-1) ?? '';
  // For rejected objects, the last line lacks the reason.
  const [, unsafe] = /^error: object \w+: (.+)$/m.exec(complaint) ?? [];
  const message = unsafe === undefined ? lastLine : `git rejects an object of the repository: ${unsafe}`;
  const problem = problemOf(complaint, remote);
  const hasNoRoom = problem === 'disk_full' || (await isDiskFull(command));
  return new GitError(hasNoRoom ? 'disk_full' : problem, message.slice(0, 500), {
    output,
    complaint,
    status,
  });
}

/** Git gives no reason if it cannot write its configuration. */
async function isDiskFull({ folder }: GitCommand): Promise<boolean> {
  const { bavail, bsize, blocks } = await statfs(folder);
  return blocks > 0 && bavail * bsize < minFreeBytes;
}

function problemOf(complaint: string, remote: Remote | undefined): GitProblem {
  if (complaint.includes('File too large')) return 'too_large';
  if (/No space left on device|Disk quota exceeded/.test(complaint)) return 'disk_full';
  if (remote === undefined) return 'failed';
  if (/couldn't find remote ref|not our ref|unadvertised object|no such ref/i.test(complaint)) {
    return 'ref_not_found';
  }
  if (/could not read (Username|Password)|Authentication failed|returned error: 40[13]/i.test(complaint)) {
    return 'auth';
  }
  if (/not found|does not exist|does not appear to be a git repository/i.test(complaint)) return 'not_found';
  return 'unavailable';
}

/** Truncates at a line break: part of a secret would not be masked. */
function lastLines(text: string): string {
  if (text.length <= 8000) return text;
  const end = text.indexOf('\n', text.length - 8000);
  return end === -1 ? '' : text.slice(end + 1);
}

function withoutControls(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]/gu, '');
}

/** A server may echo the credential, and its messages are logged. */
function maskSecrets(text: string, remote: Remote | undefined): string {
  if (!remote?.credential) return text;
  const { authorization, secret } = remote.credential;
  const parts = [secret, authorization, authorization.split(' ').at(-1) ?? ''].filter((part) => part !== '');
  return parts.reduce((rest, part) => rest.replaceAll(part, '***'), text);
}
