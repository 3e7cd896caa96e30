/**
 * How a rendering process is started: shut in by as much as this machine was seen to hold. The first to run is bubblewrap,
 * which shows it a few files and nothing else; then it gives up its user, takes limits, and only then becomes Node.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { openSync, readFileSync, readdirSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import type { Writable } from 'node:stream';
import { heapFlags, mallocSettings } from '@docyard/render/process-settings';
import { bubblewrap, contains, show, wallsOf, type Shown } from './bubblewrap.ts';
import type { OwnFiles } from './own-files.ts';
import { firstFileDescriptor, messageDescriptor } from './protocol.ts';
import { seccompFilter } from './seccomp.ts';

/** What a process is started with; the probe finds out what of it works here. */
export interface Confinement {
  /** No network, no other process, no file but those that are shown. */
  walls: boolean;
  /** System calls that no rendering needs are refused. */
  filter: boolean;
  /** Memory, sizes of files, descriptors; behind walls also the number of processes. */
  limits: boolean;
}

export interface Shelter {
  confinement: Confinement;
  own: OwnFiles;
}

export interface Launch {
  program: string;
  memoryMegabytes: number;
  /** How many processes it may have at work besides itself. */
  processes: number;
  /** Folders and files that it may read. */
  readable: readonly Shown[];
  /** Folders that are empty for it although they lie in one of those. */
  hidden: readonly string[];
  /** Open files that it is handed, as descriptors from `firstFileDescriptor` on. */
  files: readonly number[];
  /** What `outputDescriptor` is for it: a pipe to us, a file, or nothing. */
  output: 'pipe' | 'ignore' | number;
  /** Whoever answers requests meanwhile comes first on a busy processor. */
  yields?: boolean | undefined;
}

/** A third of the weight of others: enough for those who wait for an answer, and it costs nothing where nobody does. */
const priorityOfPatient = 5;

/** Beyond the heap: 512 that V8 sets aside for compiled code, then buffers, stacks of threads, and what native code needs. */
const moreMemoryMegabytes = 512 + 512;
/** Node itself has eleven, and starts some more while it compiles and compresses. */
const threadsOfProcess = 24;
/**
 * Threads that compress and read beside the one that thinks, as many as there are cores. Node has four: on two cores they take most of
 * both from it while it makes the last files, and 1,000 pages take 1 % longer.
 */
const leastHelpers = 2;
const mostHelpers = 8;
const mostFileBytes = 16 * 1024 ** 3;
const mostOpenFiles = 16_384;
/** A job has its own deadline; this ends what nobody is left to end. */
const mostCpuSeconds = 6 * 3600;

/** Nobody, where a namespace of users makes that possible. */
const nobody = 65_534;
let usersGiven = 0;

/** Leads a process group, which is to be killed when it is done. */
export function launch({ confinement, own }: Shelter, order: Launch): ChildProcess {
  const filter = confinement.walls && confinement.filter ? seccompFilter() : undefined;
  const filterDescriptor = firstFileDescriptor + order.files.length;
  const [command, ...args] = [
    ...(confinement.walls
      ? walled({ confinement, own }, order, filter === undefined ? undefined : filterDescriptor)
      : []),
    ...(confinement.limits && own.prlimit !== undefined ? limited(own.prlimit, order, confinement) : []),
    process.execPath,
    ...heapFlags(order.memoryMegabytes),
    order.program,
  ];
  const child = spawn(command, args, {
    // Behind walls bubblewrap clears it and sets another.
    env: environment,
    stdio: withoutInherited([
      ...(['ignore', 'ignore', 'pipe', 'pipe', order.output] as const),
      ...order.files,
      ...(filter === undefined ? [] : (['pipe'] as const)),
    ]),
    detached: true,
  });
  if (order.yields && child.pid !== undefined) giveWay(child.pid);
  if (filter !== undefined) {
    const pipe = child.stdio[filterDescriptor] as Writable;
    // Whoever could not be started does not read it.
    pipe.on('error', () => undefined).write(filter);
    // It is read to its end, and `end` would be told only when this program has time: while it loads code, 0.15 s later.
    if (pipe.writableLength === 0) pipe.destroy();
    else pipe.end();
  }
  return child;
}

/** What it starts, and its threads, take it over. It has hardly begun; where it was faster, it yields less. */
function giveWay(pid: number): void {
  try {
    setPriority(pid, priorityOfPatient);
  } catch {
    // It has ended by now, or this system knows no such thing.
  }
}

/** Root starts bubblewrap with rights that it then gives up for ever, together with its user. */
export function givesUpRoot({ confinement, own }: Shelter): boolean {
  return confinement.walls && process.getuid?.() === 0 && own.setpriv !== undefined;
}

function walled(shelter: Shelter, order: Launch, filterDescriptor: number | undefined): string[] {
  const { own } = shelter;
  const fromRoot = givesUpRoot(shelter);
  const user = fromRoot ? ownUser() : nobody;
  const places = [...own.paths, order.program].map((path) => ({ source: path, place: path }));
  const shown = [...places, ...order.readable];
  return [
    bubblewrap,
    ...wallsOf({
      users: fromRoot ? 'of this machine' : 'own',
      isFiltered: filterDescriptor !== undefined,
      environment,
    }),
    ...(fromRoot ? rightsToGiveUp : ['--uid', String(user), '--gid', String(user)]),
    ...show(withoutRepeats(shown), order.hidden),
    ...nothingElse,
    ...(filterDescriptor === undefined ? [] : ['--seccomp', String(filterDescriptor)]),
    '--',
    ...(fromRoot ? asUser(own.setpriv ?? '', user) : []),
  ];
}

/** Nothing can be written, not even into memory: what would lie there has no limit. */
const nothingElse = [
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

const rightsToGiveUp = ['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP'].flatMap((name) => ['--cap-add', name]);

/**
 * A number that nobody else has: the kernel counts the processes of each, so two sites must not share one. Where a container
 * knows 65,536 users only, they come from those that Debian and systemd leave free, and servers may meet by chance.
 */
function ownUser(): number {
  const given = (usersGiven += 1) % 256;
  const [, , count = 0] = readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/).map(Number);
  return count > 2 ** 32 - 2
    ? 3_000_000_000 + process.pid * 256 + given
    : 60_600 + ((process.pid * 97 + given) % 500);
}

function asUser(setpriv: string, user: number): string[] {
  const identity = ['--reuid', String(user), '--regid', String(user), '--clear-groups'];
  return [setpriv, ...identity, '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'];
}

/** What lies in a folder that is shown anyway needs no place of its own. */
function withoutRepeats(shown: readonly Shown[]): Shown[] {
  return shown.filter(
    ({ source, place }) =>
      source !== place ||
      !shown.some(
        (other) =>
          other.source === other.place &&
          other.place !== place &&
          // Asked for every pair: the whole answer takes 15 ms without this.
          place.startsWith(other.place) &&
          contains(other.place, place),
      ),
  );
}

function limited(prlimit: string, { memoryMegabytes, processes }: Launch, { walls }: Confinement): string[] {
  const dataBytes = (memoryMegabytes + moreMemoryMegabytes) * 1024 ** 2;
  return [
    prlimit,
    `--data=${dataBytes}`,
    `--fsize=${mostFileBytes}`,
    `--nofile=${Math.min(mostOpenFiles, openFilesAllowed())}`,
    `--cpu=${mostCpuSeconds}`,
    '--core=0',
    // Without walls it would count every process that this user has on the machine.
    ...(walls ? [`--nproc=${mostThreads(processes)}`] : []),
    '--',
  ];
}

/** One process may be ending while the next is started. */
export function mostThreads(processes: number): number {
  return threadsOfProcess * (processes + 2);
}

function openFilesAllowed(): number {
  const [, hard = ''] = /^Max open files +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return hard === '' ? mostOpenFiles : Number(hard);
}

const environment: Record<string, string> = {
  // Node's own channel for messages, one JSON text a line. The other end is `channel.ts`, which limits what it reads.
  NODE_CHANNEL_FD: String(messageDescriptor),
  NODE_CHANNEL_SERIALIZATION_MODE: 'json',
  // The zone of this machine is in a file that is not shown.
  TZ: 'UTC',
  UV_THREADPOOL_SIZE: String(Math.min(mostHelpers, Math.max(leastHelpers, availableParallelism()))),
  ...mallocSettings,
};

type Stream = 'ignore' | 'pipe' | number;

/** Files that somebody left open when this program was started would stay open in every process it starts. */
function withoutInherited(streams: readonly Stream[]): Stream[] {
  const all: Stream[] = [...streams];
  for (const descriptor of (inherited ??= inheritedDescriptors())) {
    while (all.length <= descriptor) all.push('ignore');
    // What is ignored stays open as it is; only another file takes its place.
    if (all[descriptor] === 'ignore') all[descriptor] = nowhere ??= openSync('/dev/null', 'r');
  }
  return all;
}

let nowhere: number | undefined;
let inherited: number[] | undefined;

/** Node closes its own by itself, so only those are left that were open before. */
function inheritedDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fdinfo')
      .map(Number)
      .filter((descriptor) => descriptor > 2 && !closesByItself(descriptor))
      .toSorted((a, b) => a - b);
  } catch {
    return [];
  }
}

const closeOnExec = 0o2000000;

function closesByItself(descriptor: number): boolean {
  try {
    const [, flags = ''] =
      /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & closeOnExec) !== 0;
  } catch {
    // It was that of the list itself.
    return true;
  }
}
