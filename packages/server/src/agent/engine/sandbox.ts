/**
 * Where a foreign program runs: bubblewrap with no network, a system it can only read, one folder it may write, and
 * nothing of our environment. There is no weaker way to run it: without a sandbox that holds, it is not started.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { killGroup } from '../../process-group.ts';
import {
  bubblewrap,
  explainBubblewrap,
  showAsItIs,
  wallsOf as emptyWalls,
} from '../../rendering/bubblewrap.ts';

export interface Sandboxed {
  /** Absolute, and below `/usr` or one of `readOnlyPaths`. */
  command: string;
  args: readonly string[];
  /** Where the program lies, if it is not below `/usr`. */
  readOnlyPaths: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** Sockets of ours: one speaks to a model, one runs tools. There is no other way out of the sandbox. */
  sockets?: { model?: string | undefined; tools?: string | undefined };
}

/** What lies on our side: `scratch` is for files of the sandbox itself, `site` is the folder that may be written. */
export interface SandboxFolders {
  scratch: string;
  site: string;
}

export type SandboxedProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** Where the program finds the files. */
export const siteInside = '/site';
/** Where it finds the model, over plain HTTP on a network that is its own and leads nowhere. */
export const modelOriginInside = 'http://127.0.0.1:4411';

const socketsInside = { model: '/run/docyard/model.sock', tools: '/run/docyard/tools.sock' };
const relayInside = ['/run/docyard/node', '/run/docyard/relay.mts'] as const;
const relay = fileURLToPath(new URL('relay.ts', import.meta.url));
/** What an agent starts to use our tools; it then speaks with them over standard input and output. */
export const toolsInside = {
  command: relayInside[0],
  args: [relayInside[1], 'stdio', socketsInside.tools],
};

const home = '/home/agent';
const mostTemporaryBytes = 256_000_000;
/** No page is near it; it keeps one file from filling the disk. */
const mostFileBytes = 64_000_000;
const systemFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64'];
const readableFiles = [
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/ssl/certs',
  '/usr/share/ca-certificates',
];
const withLimits = `trap '' XFSZ && ulimit -f "$0" && ulimit -c 0 && exec "$@"`;

/** Leads a process group; `endSandboxed` ends all of it. */
export async function startSandboxed(program: Sandboxed, folders: SandboxFolders): Promise<SandboxedProcess> {
  refuseExposure(program, folders);
  const passwd = join(folders.scratch, 'passwd');
  await writeFile(passwd, `agent:x:1000:1000::${home}:/bin/sh\n`);
  const args = [...wallsOf(program, folders, passwd), '--', ...limited(program)];
  return spawn(bubblewrap, args, {
    cwd: folders.scratch,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
}

/** The first process of the sandbox dies with its launcher, and with it all that it has started. */
export function endSandboxed({ pid }: SandboxedProcess): void {
  killGroup(pid);
}

/**
 * Starts the real launcher with attempts to get out. Resolves with a sentence when the sandbox cannot be used, with
 * undefined when it holds.
 */
export async function whySandboxFails(folder: string): Promise<string | undefined> {
  const scratch = join(folder, 'sandbox-probe');
  const site = join(scratch, 'site');
  const canary = join(scratch, 'canary');
  try {
    await mkdir(site, { recursive: true });
    await writeFile(canary, 'seen');
    const args = ['-c', attempts, 'sh', canary, readlinkSync('/proc/self/ns/net')];
    const program = { command: '/bin/sh', args, readOnlyPaths: [], environment: {} };
    const { status, complaint } = await outcomeOf(await startSandboxed(program, { scratch, site }));
    if (status === 0) return undefined;
    return escapes[status ?? -1] ?? `${explainBubblewrap(complaint)}.`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'bubblewrap (bwrap) is not installed.';
    throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Only the shell and coreutils. `$1` is a file of ours, `$2` the name of our network. */
const attempts = `
[ ! -e "$1" ] || exit 31
( : > /usr/sandbox-probe ) 2>/dev/null && exit 32
[ "$(readlink /proc/self/ns/net)" != "$2" ] || exit 33
( : > ${siteInside}/probe ) || exit 34
exit 0
`;
const escapes: Record<number, string> = {
  31: 'The sandbox shows files of this machine.',
  32: 'The sandbox lets the system be written.',
  33: 'The sandbox is on the network of this machine.',
  34: 'The sandbox cannot write its own folder.',
};

function wallsOf(program: Sandboxed, { site }: SandboxFolders, passwd: string): string[] {
  const size = String(mostTemporaryBytes);
  const environment = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    LANG: 'C.UTF-8',
    ...program.environment,
  };
  return [
    emptyWalls({ users: 'own', isFiltered: false, environment }),
    ['--uid', '1000', '--gid', '1000', '--ro-bind', '/usr', '/usr'],
    ...systemFolders.map(showAsItIs),
    ...readableFiles.map((path) => ['--ro-bind-try', path, path]),
    ['--ro-bind', passwd, '/etc/passwd'],
    ['--proc', '/proc', '--dev', '/dev'],
    ['--size', size, '--tmpfs', '/tmp', '--size', size, '--tmpfs', home],
    ...program.readOnlyPaths.map((path) => ['--ro-bind', path, path]),
    ...waysOut(program),
    ['--bind', site, siteInside, '--chdir', siteInside],
  ].flat();
}

function waysOut({ sockets = {} }: Sandboxed): string[][] {
  const { model, tools } = sockets;
  if (model === undefined && tools === undefined) return [];
  return [
    ['--ro-bind', process.execPath, relayInside[0], '--ro-bind', relay, relayInside[1]],
    model === undefined ? [] : ['--bind', model, socketsInside.model],
    tools === undefined ? [] : ['--bind', tools, socketsInside.tools],
  ];
}

function limited({ command, args, sockets }: Sandboxed): string[] {
  const { port } = new URL(modelOriginInside);
  const relayed = sockets?.model === undefined ? [] : [...relayInside, 'listen', socketsInside.model, port];
  return ['/bin/sh', '-c', withLimits, String(Math.ceil(mostFileBytes / 512)), ...relayed, command, ...args];
}

/** A path that an operator lets the program read must not hold the folder where jobs and keys lie. */
function refuseExposure({ readOnlyPaths }: Sandboxed, { scratch }: SandboxFolders): void {
  const exposing = readOnlyPaths.find((path) => !relative(path, scratch).startsWith('..'));
  if (exposing === undefined) return;
  throw new Error(`${exposing} holds the folder of the job, so a sandboxed program must not read it.`);
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
