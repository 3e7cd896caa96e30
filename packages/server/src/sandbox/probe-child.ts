/**
 * The sandboxed process that attempts escapes without doing harm and reports which ones succeed. It imports
 * little, because the start of the service waits for it.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import type { Escape, ProbeOrder } from './probe.ts';

/** Thousands of attempts throw, and their stacks are not read. */
Error.stackTraceLimit = 0;

process.once('message', (order: ProbeOrder) => {
  void attempt(order).then((escapes) => process.send?.({ escapes }, () => process.disconnect()));
});
// The parent has ended.
process.once('disconnect', () => process.exit());

async function attempt(order: ProbeOrder): Promise<Escape[]> {
  const overNetwork = await tryConnect({ host: '127.0.0.1', port: order.port });
  const overFile = await tryConnect({ path: order.socketFile });
  const succeeded: Record<Escape, boolean> = {
    files: works(() => readFileSync(order.secretFile)),
    writing: writablePlaces().some((place) => canWrite(place)),
    processes: works(() => readFileSync(`/proc/${order.processId}/environ`)),
    network: overNetwork === 'connected' || overFile === 'connected',
    descriptors: hasForeignDescriptor(),
    calls: overNetwork !== 'EPERM',
    memory: works(() => takeMemory(order.tooManyBytes)),
    forks: !isForkRefused(order),
  };
  return (Object.keys(succeeded) as Escape[]).filter((name) => succeeded[name]);
}

function works(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

function tryConnect(place: { host: string; port: number } | { path: string }): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(place);
    socket.once('connect', () => resolve('connected'));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    socket.once('close', () => resolve('closed'));
  });
}

function writablePlaces(): string[] {
  return ['/', '/tmp/', '/dev/', '/dev/shm/', '/var/tmp/', `${import.meta.dirname}/`];
}

function canWrite(folder: string): boolean {
  const file = `${folder}docyard-probe-${process.pid}`;
  return works(() => {
    closeSync(openSync(file, 'wx'));
    unlinkSync(file);
  });
}

/** Own descriptors are contiguous from zero and are neither files nor folders. */
function hasForeignDescriptor(): boolean {
  let hasGap = false;
  for (let descriptor = 0; descriptor < 4096; descriptor += 1) {
    const found = open(descriptor);
    if (found === undefined) hasGap = true;
    else if (found.isFile() || found.isDirectory() || (hasGap && !found.isCharacterDevice())) return true;
  }
  return false;
}

function open(descriptor: number): ReturnType<typeof fstatSync> | undefined {
  try {
    return fstatSync(descriptor);
  } catch {
    return undefined;
  }
}

/** Growing a buffer fails fast; a failing allocation would trigger garbage collection first. */
function takeMemory(bytes: number): void {
  new ArrayBuffer(1, { maxByteLength: bytes }).resize(bytes);
}

/**
 * Checks the configured limit, and that the kernel enforces one: a process limited to a single thread cannot
 * fork.
 */
function isForkRefused({ prlimit, maxThreads }: ProbeOrder): boolean {
  if (prlimit === undefined) return false;
  const { stdout } = spawnSync(prlimit, ['--nproc', '--raw', '--noheadings', '--output=SOFT']);
  if (!(Number.parseInt(String(stdout), 10) <= maxThreads)) return false;
  const { status } = spawnSync(prlimit, ['--pid', String(process.pid), '--nproc=1']);
  const { error } = spawnSync(prlimit, ['--version']);
  return status === 0 && (error as { code?: string } | undefined)?.code === 'EAGAIN';
}
