/**
 * Runs a program of this machine on a text of authors: the system is read-only, the only writable folder is
 * empty and in memory, and there is no network and no environment.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { systemFolders } from '../config-agent.ts';
import { killGroup } from '../process-group.ts';
import { bubblewrap, mountArguments, mountSystemFolder, namespaceArguments } from './bubblewrap.ts';
import type { Isolation } from './isolation.ts';
import { sendFilter, userOf, withoutInherited } from './launch.ts';
import { watchMemory } from './memory-watch.ts';
import { seccompFilter } from './seccomp.ts';

export interface ProgramRun {
  /** The absolute path of a program below a system folder, and its arguments. */
  command: readonly string[];
  input: string;
  maxSeconds: number;
  memoryMegabytes: number;
  /** Folders that appear empty although a system folder contains them. Without links. */
  hidden: readonly string[];
  signal: AbortSignal;
}

export interface ProgramEnd {
  /** Null for a program that was stopped. */
  exitCode: number | null;
  /** The limit that stopped it. */
  stopped: 'time' | 'memory' | 'output' | null;
  /** The first bytes that it printed. */
  output: Buffer;
  errors: Buffer;
}

const maxKeptBytes = 4096;
/** A program that prints more is stopped. */
const maxPrintedBytes = 1_000_000;
const maxFolderBytes = 64 * 1024 ** 2;
const maxProcesses = 64;
const maxOpenFiles = 256;
const filterDescriptor = 3;
const folderInside = '/work';
const otherReadable = ['/etc/alternatives', '/etc/ld.so.cache'];

/** Only full isolation limits memory and processes. */
export function canRunPrograms({ level }: Pick<Isolation, 'level'>): boolean {
  return level === 3;
}

/** Resolves when every process of the sandbox has ended. */
export async function runProgram(isolation: Isolation, run: ProgramRun): Promise<ProgramEnd> {
  if (!canRunPrograms(isolation)) throw new Error('Programs run only with full isolation.');
  run.signal.throwIfAborted();
  const child = start(isolation, run);
  let stopped: ProgramEnd['stopped'] = null;
  const stop = (reason: ProgramEnd['stopped']) => {
    stopped ??= reason;
    killGroup(child.pid);
  };
  const abort = () => stop(null);
  const printed = { bytes: 0 };
  const [output, errors] = [child.stdout, child.stderr].map((stream) =>
    beginningOf(stream, printed, () => stop('output')),
  );
  const timer = setTimeout(() => stop('time'), run.maxSeconds * 1000);
  const unwatch = watchMemory(child.pid ?? 0, run.memoryMegabytes * 1024 ** 2, () => stop('memory'));
  run.signal.addEventListener('abort', abort, { once: true });
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
      // The program may end before it has read everything.
      child.stdin?.on('error', () => undefined).end(run.input);
    });
    run.signal.throwIfAborted();
    const kept = { output: output?.() ?? Buffer.alloc(0), errors: errors?.() ?? Buffer.alloc(0) };
    return { exitCode: stopped === null ? exitCode : null, stopped, ...kept };
  } finally {
    clearTimeout(timer);
    unwatch();
    run.signal.removeEventListener('abort', abort);
  }
}

function start(isolation: Isolation, run: ProgramRun): ChildProcess {
  const filter = seccompFilter();
  const { prlimit } = isolation.runtime;
  if (filter === undefined || prlimit === undefined) throw new Error('The isolation is not full.');
  const user = userOf(isolation);
  const args = [
    ...namespaceArguments({ users: user.namespace, isFiltered: true, environment: {} }),
    ...user.arguments,
    ...fileArguments(run.hidden),
    '--seccomp',
    String(filterDescriptor),
    '--',
    ...user.command,
    prlimit,
    ...limitsOf(run),
    '--',
    ...run.command,
  ];
  const child = spawn(bubblewrap, args, {
    env: {},
    stdio: withoutInherited(['pipe', 'pipe', 'pipe', 'pipe']),
    detached: true,
  });
  sendFilter(child.stdio[filterDescriptor] as Writable, filter);
  return child;
}

function fileArguments(hidden: readonly string[]): string[] {
  const system = systemFolders.filter((path) => existsSync(path));
  const linked = system.filter((path) => lstatSync(path).isSymbolicLink());
  const folders = ['/usr', ...system.filter((path) => !linked.includes(path)), ...otherReadable];
  const mounts = folders.filter((path) => existsSync(path));
  return [
    mountArguments(
      mounts.map((path) => ({ source: path, target: path })),
      hidden,
    ),
    ...linked.map(mountSystemFolder),
    // `/dev/zero` would give shared memory that no limit counts.
    ['--dir', '/dev', '--dev-bind', '/dev/null', '/dev/null', '--dev-bind', '/dev/urandom', '/dev/urandom'],
    ['--perms', '0777', '--size', String(maxFolderBytes), '--tmpfs', folderInside],
    ['--symlink', folderInside, '/tmp', '--remount-ro', '/', '--chdir', folderInside],
  ].flat();
}

function limitsOf({ memoryMegabytes, maxSeconds }: ProgramRun): string[] {
  return [
    `--data=${memoryMegabytes * 1024 ** 2}`,
    `--fsize=${maxFolderBytes}`,
    `--nofile=${maxOpenFiles}`,
    `--nproc=${maxProcesses}`,
    `--cpu=${maxSeconds + 1}`,
    '--core=0',
  ];
}

/** Keeps reading beyond what is kept, so that a program can print more. */
function beginningOf(
  stream: Readable | null,
  printed: { bytes: number },
  onTooMuch: () => void,
): () => Buffer {
  const kept: Buffer[] = [];
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (bytes < maxKeptBytes) kept.push(chunk.subarray(0, maxKeptBytes - bytes));
    bytes += chunk.length;
    printed.bytes += chunk.length;
    if (printed.bytes <= maxPrintedBytes) return;
    stream.destroy();
    onTooMuch();
  });
  return () => Buffer.concat(kept);
}
