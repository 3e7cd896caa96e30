/**
 * Runs an external program in bubblewrap: no network, a read-only system, one writable folder and a clean
 * environment. Without a working sandbox the program is not started.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { systemFolders } from '../../config-agent.ts';
import { contains } from '../../folder-contains.ts';
import { killGroup } from '../../process-group.ts';
import {
  bubblewrap,
  explainBubblewrap,
  mountSystemFolder,
  namespaceArguments,
} from '../../sandbox/bubblewrap.ts';

export interface SandboxedProgram {
  /** Absolute, and below `/usr` or one of `readOnlyPaths`. */
  command: string;
  args: readonly string[];
  /** Files and folders of the program outside `/usr`. */
  readOnlyPaths: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** Sockets of the model and the tools, the only connections out of the sandbox. */
  sockets?: { model?: string | undefined; tools?: string | undefined };
}

export interface SandboxFolders {
  scratch: string;
  site: string;
  /** The code that the program reads and cannot change. */
  code?: string | undefined;
}

export type SandboxedProcess = ChildProcessByStdio<Writable, Readable, Readable>;

export const siteInside = '/site';
export const codeInside = '/code';
/** The model's address inside the sandbox, on its private loopback network. */
export const modelOriginInside = 'http://127.0.0.1:4411';

const socketsInside = { model: '/run/docyard/model.sock', tools: '/run/docyard/tools.sock' };
const relayInside = ['/run/docyard/node', '/run/docyard/relay.mts'] as const;
const relay = fileURLToPath(new URL('relay.ts', import.meta.url));
/** The command that gives an agent the docs tools over standard input and output. */
export const toolsInside = {
  command: relayInside[0],
  args: [relayInside[1], 'stdio', socketsInside.tools],
};

export const searchPathInside = '/usr/local/bin:/usr/bin:/bin';
const homeInside = '/home/agent';
const maxTemporaryBytes = 256_000_000;
/** Keeps one file from filling the disk. */
const maxFileBytes = 64_000_000;
const readableFiles = [
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/ssl/certs',
  '/usr/share/ca-certificates',
];
const limitScript = `trap '' XFSZ && ulimit -f "$0" && ulimit -c 0 && exec "$@"`;

/** The process leads a process group, which `endSandboxed` kills. */
export async function startSandboxed(
  program: SandboxedProgram,
  folders: SandboxFolders,
): Promise<SandboxedProcess> {
  refuseExposure(program, folders);
  const passwd = join(folders.scratch, 'passwd');
  await writeFile(passwd, `agent:x:1000:1000::${homeInside}:/bin/sh\n`);
  const args = [...sandboxArguments(program, folders, passwd), '--', ...withResourceLimits(program)];
  return spawn(bubblewrap, args, {
    cwd: folders.scratch,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
}

/** Killing the launcher ends every process of the sandbox. */
export function endSandboxed({ pid }: SandboxedProcess): void {
  killGroup(pid);
}

/** Probes the sandbox with escape attempts. Resolves with the reason if it is not usable. */
export async function whySandboxFails(folder: string): Promise<string | undefined> {
  const scratch = join(folder, 'sandbox-probe');
  const site = join(scratch, 'site');
  const canary = join(scratch, 'canary');
  try {
    await mkdir(site, { recursive: true });
    await writeFile(canary, 'seen');
    const args = ['-c', escapeAttempts, 'sh', canary, readlinkSync('/proc/self/ns/net')];
    const program = { command: '/bin/sh', args, readOnlyPaths: [], environment: {} };
    const { status, complaint } = await outcomeOf(await startSandboxed(program, { scratch, site }));
    if (status === 0) return undefined;
    return escapeMessages[status ?? -1] ?? `${explainBubblewrap(complaint)}.`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'bubblewrap (bwrap) is not installed.';
    throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Uses only the shell and coreutils. `$1` is an outside file, `$2` the outside network namespace. */
const escapeAttempts = `
[ ! -e "$1" ] || exit 31
( : > /usr/sandbox-probe ) 2>/dev/null && exit 32
[ "$(readlink /proc/self/ns/net)" != "$2" ] || exit 33
( : > ${siteInside}/probe ) || exit 34
exit 0
`;
const escapeMessages: Record<number, string> = {
  31: 'The sandbox exposes files of the host.',
  32: 'The sandbox can write to system folders.',
  33: 'The sandbox shares the network of the host.',
  34: 'The sandbox cannot write to its folder.',
};

function sandboxArguments(
  program: SandboxedProgram,
  { site, code }: SandboxFolders,
  passwd: string,
): string[] {
  const size = String(maxTemporaryBytes);
  const environment = {
    PATH: searchPathInside,
    HOME: homeInside,
    LANG: 'C.UTF-8',
    ...program.environment,
  };
  return [
    namespaceArguments({ users: 'namespace', isFiltered: false, environment }),
    ['--uid', '1000', '--gid', '1000', '--ro-bind', '/usr', '/usr'],
    ...systemFolders.map(mountSystemFolder),
    ...readableFiles.map((path) => ['--ro-bind-try', path, path]),
    ['--ro-bind', passwd, '/etc/passwd'],
    ['--proc', '/proc', '--dev', '/dev'],
    ['--size', size, '--tmpfs', '/tmp', '--size', size, '--tmpfs', homeInside],
    ...program.readOnlyPaths.map((path) => ['--ro-bind', path, path]),
    ...socketArguments(program),
    code === undefined ? [] : ['--ro-bind', code, codeInside],
    ['--bind', site, siteInside, '--chdir', siteInside],
  ].flat();
}

function socketArguments({ sockets = {} }: SandboxedProgram): string[][] {
  const { model, tools } = sockets;
  if (model === undefined && tools === undefined) return [];
  return [
    ['--ro-bind', process.execPath, relayInside[0], '--ro-bind', relay, relayInside[1]],
    model === undefined ? [] : ['--bind', model, socketsInside.model],
    tools === undefined ? [] : ['--bind', tools, socketsInside.tools],
  ];
}

function withResourceLimits({ command, args, sockets }: SandboxedProgram): string[] {
  const { port } = new URL(modelOriginInside);
  const relayed = sockets?.model === undefined ? [] : [...relayInside, 'listen', socketsInside.model, port];
  return ['/bin/sh', '-c', limitScript, String(Math.ceil(maxFileBytes / 512)), ...relayed, command, ...args];
}

/** A readable path must not contain the folder of jobs and keys. */
function refuseExposure({ readOnlyPaths }: SandboxedProgram, { scratch }: SandboxFolders): void {
  const exposing = readOnlyPaths.find((path) => contains(path, scratch));
  if (exposing === undefined) return;
  throw new Error(`${exposing} contains the folder of the job, so a sandboxed program must not read it.`);
}

async function outcomeOf(child: SandboxedProcess): Promise<{ status: number | null; complaint: string }> {
  let complaint = '';
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2000);
  });
  child.stdin.on('error', () => undefined).end();
  const timer = setTimeout(() => endSandboxed(child), 10_000);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => clearTimeout(timer));
  return { status, complaint };
}
