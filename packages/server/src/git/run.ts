/**
 * Runs git as a child process with nothing of the machine's configuration, no prompts, no hooks and no protocol but the
 * one that was asked for. The repository is hostile: its text never becomes an option, and a secret never an argument.
 */
import { spawn } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { killGroup } from '../process-group.ts';
import type { Remote } from './remote.ts';
import { trustSettings } from './trust.ts';

export interface GitCommand {
  /** Where git is started. */
  folder: string;
  /** The bare repository. It never lies in the tree, so that nothing in the tree can configure it. */
  repository?: string | undefined;
  tree?: string | undefined;
  /** Without one, git connects to nothing at all. */
  remote?: Remote | undefined;
  signal: AbortSignal;
  input?: string | undefined;
  /** Whose commit it is, and when. */
  identity?: Record<string, string> | undefined;
  seconds?: number | undefined;
  outputBytes?: number | undefined;
  /** No file that git writes grows beyond this. */
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
  /** A command that talks to nobody went wrong. */
  | 'failed';

export class GitError extends Error {
  override name = 'GitError';
  readonly problem: GitProblem;
  /** What git had written before it failed, to its output and beside it. No secret is in either. */
  readonly output: string;
  readonly complaint: string;
  readonly code: 'ENOSPC' | undefined;

  constructor(problem: GitProblem, message: string, written = { output: '', complaint: '' }) {
    super(message);
    this.problem = problem;
    this.output = written.output;
    this.complaint = written.complaint;
    this.code = problem === 'disk_full' ? 'ENOSPC' : undefined;
  }
}

const longestSeconds = 600;
const mostOutputBytes = 64_000_000;
const mostFileBytes = 2_000_000_000;
const minFreeBytes = 65_536;
/**
 * The kernel holds git to it: a server that sends without end fills a single file, because packs are kept as they come.
 * The signal is turned off, so that git gets an error that it can name.
 */
const withFileLimit = `trap '' XFSZ && ulimit -f "$0" && exec git "$@"`;

/** What git writes to its output. Throws a GitError, or the reason of the signal. */
export async function runGit(args: readonly string[], command: GitCommand): Promise<Buffer> {
  command.signal.throwIfAborted();
  const { seconds = longestSeconds, outputBytes = mostOutputBytes, fileBytes = mostFileBytes } = command;
  const blocks = String(Math.ceil(fileBytes / 512));
  const child = spawn('/bin/sh', ['-c', withFileLimit, blocks, ...args], {
    cwd: command.folder,
    env: environmentOf(command),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let tooLate = false;
  const kill = () => killGroup(child.pid);
  const timer = setTimeout(() => {
    tooLate = true;
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
  // git may end before it has read everything; its status tells why.
  child.stdin.on('error', () => undefined).end(command.input ?? '');
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => {
    clearTimeout(timer);
    command.signal.removeEventListener('abort', kill);
  });
  command.signal.throwIfAborted();
  if (tooLate) throw new GitError('timed_out', `git took longer than ${seconds} seconds.`);
  if (size > outputBytes)
    throw new GitError('too_large', `git answered with more than ${outputBytes} bytes.`);
  const written = Buffer.concat(output);
  if (status !== 0) throw await explain(complaint, written, command);
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

/** Settings go through the environment: other users of the machine can read arguments, but not that. */
function environmentOf(command: GitCommand): Record<string, string> {
  const { remote, repository, tree, identity } = command;
  const settings = [...fixedSettings, ...(remote === undefined ? [] : remoteSettings(remote))];
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    // Not a folder, so nothing can lie in it: no configuration, no .netrc.
    HOME: '/dev/null',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_SSH_COMMAND: '/bin/false',
    ...(remote?.protocol === 'https' ? trustSettings() : {}),
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

async function explain(stderr: string, stdout: Buffer, command: GitCommand): Promise<GitError> {
  const { remote } = command;
  const complaint = masked(visible(stderr), remote);
  const output = masked(visible(stdout.subarray(0, 64_000).toString()), remote).slice(0, 4000);
  const lastLine = complaint.trim().split('\n').at(-1) ?? '';
  // Of what git refuses to take from a host, the last line says only that something was wrong.
  const [, unsafe] = /^error: object \w+: (.+)$/m.exec(complaint) ?? [];
  const message = unsafe === undefined ? lastLine : `git refuses what the repository holds: ${unsafe}`;
  const problem = problemOf(complaint, remote);
  const hasNoRoom = problem === 'disk_full' || (await isFull(command));
  return new GitError(hasNoRoom ? 'disk_full' : problem, message.slice(0, 500), { output, complaint });
}

/** Git does not name the reason when it cannot write its configuration. */
async function isFull({ folder }: GitCommand): Promise<boolean> {
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

/** Cut where a line begins: half of a secret could not be found again. */
function lastLines(text: string): string {
  if (text.length <= 8000) return text;
  const end = text.indexOf('\n', text.length - 8000);
  return end === -1 ? '' : text.slice(end + 1);
}

function visible(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]/gu, '');
}

/** A server may send back what it was sent, and its words end up in logs. */
function masked(text: string, remote: Remote | undefined): string {
  if (!remote?.credential) return text;
  const { authorization, secret } = remote.credential;
  const parts = [secret, authorization, authorization.split(' ').at(-1) ?? ''].filter((part) => part !== '');
  return parts.reduce((rest, part) => rest.replaceAll(part, '***'), text);
}
