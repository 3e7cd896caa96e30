/**
 * Starts a sandboxed process: bubblewrap creates namespaces and mounts, setpriv drops the user, prlimit sets
 * limits, then Node runs.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { openSync, readFileSync, readdirSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import type { Writable } from 'node:stream';
import { heapFlags, mallocSettings } from '@docyard/render/process-settings';
import { contains } from '../folder-contains.ts';
import {
  bubblewrap,
  mountArguments,
  namespaceArguments,
  type Mount,
  type NamespaceOptions,
} from './bubblewrap.ts';
import type { RuntimeFiles } from './runtime-files.ts';
import { firstFileDescriptor, messageDescriptor } from './protocol.ts';
import { seccompFilter } from './seccomp.ts';

/** The restrictions of a process; the probe determines which ones work. */
export interface Confinement {
  /** No network, no other processes, only the mounted files. */
  namespaces: boolean;
  /** Refuses system calls that rendering does not need. */
  seccomp: boolean;
  /** Limits of memory, file size and descriptors; with namespaces also of processes. */
  limits: boolean;
}

export interface SandboxSetup {
  confinement: Confinement;
  runtime: RuntimeFiles;
}

export interface Launch {
  program: string;
  memoryMegabytes: number;
  /** How many child processes it may run. */
  processes: number;
  readable: readonly Mount[];
  /** Folders that appear empty although a readable folder contains them. */
  hidden: readonly string[];
  /** Open files that it inherits as descriptors from `firstFileDescriptor` on. */
  files: readonly number[];
  /** The meaning of `outputDescriptor`: a pipe, a file or nothing. */
  output: 'pipe' | 'ignore' | number;
  /** Lowers the CPU priority in favor of request handling. */
  yields?: boolean | undefined;
}

/** About a third of the default weight. */
const loweredPriority = 5;

/** In addition to the heap: code space of V8, buffers, thread stacks and native code. */
const memoryBeyondHeapMegabytes = 512 + 512;
/** Node starts eleven threads and more for compilation and compression. */
const threadsOfProcess = 24;
/**
 * Threads for compression and files, one per core. Node's default of four would compete with the main thread
 * on two cores.
 */
const minPoolThreads = 2;
const maxPoolThreads = 8;
const maxFileBytes = 16 * 1024 ** 3;
const maxOpenFiles = 16_384;
/** A fallback: jobs have deadlines. */
const maxCpuSeconds = 6 * 3600;

const nobodyUid = 65_534;
let assignedUsers = 0;

/** The process leads a process group; kill the group. */
export function launch({ confinement, runtime }: SandboxSetup, order: Launch): ChildProcess {
  const filter = confinement.namespaces && confinement.seccomp ? seccompFilter() : undefined;
  const filterDescriptor = firstFileDescriptor + order.files.length;
  const [command, ...args] = [
    ...(confinement.namespaces
      ? bubblewrapCommand(
          { confinement, runtime },
          order,
          filter === undefined ? undefined : filterDescriptor,
        )
      : []),
    ...(confinement.limits && runtime.prlimit !== undefined
      ? prlimitCommand(runtime.prlimit, order, confinement)
      : []),
    process.execPath,
    ...heapFlags(order.memoryMegabytes),
    order.program,
  ];
  const child = spawn(command, args, {
    // With namespaces bubblewrap clears it and sets its own.
    env: environment,
    stdio: withoutInherited([
      ...(['ignore', 'ignore', 'pipe', 'pipe', order.output] as const),
      ...order.files,
      ...(filter === undefined ? [] : (['pipe'] as const)),
    ]),
    detached: true,
  });
  if (order.yields && child.pid !== undefined) lowerPriority(child.pid);
  if (filter !== undefined) {
    sendFilter(child.stdio[filterDescriptor] as Writable, filter);
  }
  return child;
}

export function sendFilter(pipe: Writable, filter: Buffer): void {
  // A process that failed to start does not read it.
  pipe.on('error', () => undefined).write(filter);
  // The reader needs EOF. `end` is delayed while the event loop is busy.
  if (pipe.writableLength === 0) pipe.destroy();
  else pipe.end();
}

/** Inherited by its threads and child processes. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, loweredPriority);
  } catch {
    // It has ended already, or the system does not support priorities.
  }
}

/** Root starts bubblewrap with capabilities that setpriv then drops permanently. */
export function givesUpRoot({ confinement, runtime }: SandboxSetup): boolean {
  return confinement.namespaces && process.getuid?.() === 0 && runtime.setpriv !== undefined;
}

function bubblewrapCommand(
  setup: SandboxSetup,
  order: Launch,
  filterDescriptor: number | undefined,
): string[] {
  const { runtime } = setup;
  const user = userOf(setup);
  const programs = [...runtime.paths, order.program].map((path) => ({ source: path, target: path }));
  const mounts = [...programs, ...order.readable];
  return [
    bubblewrap,
    ...namespaceArguments({
      users: user.namespace,
      isFiltered: filterDescriptor !== undefined,
      environment,
    }),
    ...user.arguments,
    ...mountArguments(withoutRepeats(mounts), order.hidden),
    ...readOnlyRoot,
    ...(filterDescriptor === undefined ? [] : ['--seccomp', String(filterDescriptor)]),
    '--',
    ...user.command,
  ];
}

/** How bubblewrap and the command after it change the user. */
export function userOf(setup: SandboxSetup): {
  namespace: NamespaceOptions['users'];
  arguments: string[];
  command: string[];
} {
  if (givesUpRoot(setup)) {
    const command = setprivCommand(setup.runtime.setpriv ?? '', ownUser());
    return { namespace: 'host', arguments: capabilitiesForSetpriv, command };
  }
  const id = String(nobodyUid);
  return { namespace: 'namespace', arguments: ['--uid', id, '--gid', id], command: [] };
}

/** Nothing is writable, not even a tmpfs, whose size has no limit. */
const readOnlyRoot = [
  '--dir',
  '/dev',
  '--dev-bind',
  '/dev/null',
  '/dev/null',
  '--remount-ro',
  '/',
  '--chdir',
  '/',
];

const capabilitiesForSetpriv = ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((name) => [
  '--cap-add',
  name,
]);

/**
 * A separate user id per process, because the kernel counts processes per user. With a full uid map the ids
 * are unique; in a container with 65,536 ids they come from a range that Debian and systemd leave free, and
 * collisions are possible.
 */
function ownUser(): number {
  const given = (assignedUsers += 1) % 256;
  const [, , count = 0] = readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/).map(Number);
  return count > 2 ** 32 - 2
    ? 3_000_000_000 + process.pid * 256 + given
    : 60_600 + ((process.pid * 97 + given) % 500);
}

function setprivCommand(setpriv: string, user: number): string[] {
  const identity = ['--reuid', String(user), '--regid', String(user), '--clear-groups'];
  return [setpriv, ...identity, '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'];
}

/** Paths inside a mounted folder need no mount. */
function withoutRepeats(mounts: readonly Mount[]): Mount[] {
  return mounts.filter(
    ({ source, target }) =>
      source !== target ||
      !mounts.some(
        (other) =>
          other.source === other.target &&
          other.target !== target &&
          // A cheap check first: this runs for every pair.
          target.startsWith(other.target) &&
          contains(other.target, target),
      ),
  );
}

function prlimitCommand(
  prlimit: string,
  { memoryMegabytes, processes }: Launch,
  { namespaces }: Confinement,
): string[] {
  const dataBytes = (memoryMegabytes + memoryBeyondHeapMegabytes) * 1024 ** 2;
  return [
    prlimit,
    `--data=${dataBytes}`,
    `--fsize=${maxFileBytes}`,
    `--nofile=${Math.min(maxOpenFiles, openFilesAllowed())}`,
    `--cpu=${maxCpuSeconds}`,
    '--core=0',
    // Without namespaces it would count every process of this user.
    ...(namespaces ? [`--nproc=${maxThreads(processes)}`] : []),
    '--',
  ];
}

/** One process may still be ending while the next one starts. */
export function maxThreads(processes: number): number {
  return threadsOfProcess * (processes + 2);
}

function openFilesAllowed(): number {
  const [, hard = ''] = /^Max open files +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return hard === '' ? maxOpenFiles : Number(hard);
}

const environment: Record<string, string> = {
  // Node's IPC channel; the other end is `channel.ts`.
  NODE_CHANNEL_FD: String(messageDescriptor),
  NODE_CHANNEL_SERIALIZATION_MODE: 'json',
  // The time zone file of the host is not mounted.
  TZ: 'UTC',
  UV_THREADPOOL_SIZE: String(Math.min(maxPoolThreads, Math.max(minPoolThreads, availableParallelism()))),
  ...mallocSettings,
};

type Stream = 'ignore' | 'pipe' | number;

/** Descriptors that this program inherited would stay open in every process it starts. */
export function withoutInherited(streams: readonly Stream[]): Stream[] {
  const all: Stream[] = [...streams];
  for (const descriptor of (inherited ??= inheritedDescriptors())) {
    while (all.length <= descriptor) all.push('ignore');
    // 'ignore' leaves an inherited descriptor open, so it is replaced.
    if (all[descriptor] === 'ignore') all[descriptor] = devNull ??= openSync('/dev/null', 'r');
  }
  return all;
}

let devNull: number | undefined;
let inherited: number[] | undefined;

/** Node opens its descriptors close-on-exec, so the others were inherited. */
function inheritedDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fdinfo')
      .map(Number)
      .filter((descriptor) => descriptor > 2 && !isCloseOnExec(descriptor))
      .toSorted((a, b) => a - b);
  } catch {
    return [];
  }
}

const closeOnExec = 0o2000000;

function isCloseOnExec(descriptor: number): boolean {
  try {
    const [, flags = ''] =
      /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & closeOnExec) !== 0;
  } catch {
    // The descriptor of the listing itself.
    return true;
  }
}
