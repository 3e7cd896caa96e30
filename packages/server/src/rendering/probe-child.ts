/**
 * The process that tries to get out. It is started like any that reads strangers' files, does no harm when it succeeds, and
 * tells what it could do. It loads nothing, so that a start of the service is not kept waiting.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';
import type { Escape, ProbeOrder } from './probe.ts';

/** Four thousand attempts fail by an error each, which nobody reads: half of their time. */
Error.stackTraceLimit = 0;

process.once('message', (order: ProbeOrder) => {
  void attempt(order).then((escapes) => process.send?.({ escapes }, () => process.disconnect()));
});
// Without a parent there is nobody to work for.
process.once('disconnect', () => process.exit());

async function attempt(order: ProbeOrder): Promise<Escape[]> {
  const overNetwork = await connecting({ host: '127.0.0.1', port: order.port });
  const overFile = await connecting({ path: order.socketFile });
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

function connecting(place: { host: string; port: number } | { path: string }): Promise<string> {
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

/** Its own are counted up from zero without a gap, and are neither files nor folders. */
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

/** What cannot grow is refused at once; for what cannot be made, V8 would look three times for what else could go, 20 ms. */
function takeMemory(bytes: number): void {
  new ArrayBuffer(1, { maxByteLength: bytes }).resize(bytes);
}

/** It has the limit that it should have; and the kernel holds to one: who may have a single thread can start nothing. */
function isForkRefused({ prlimit, mostThreads }: ProbeOrder): boolean {
  if (prlimit === undefined) return false;
  const { stdout } = spawnSync(prlimit, ['--nproc', '--raw', '--noheadings', '--output=SOFT']);
  if (!(Number.parseInt(String(stdout), 10) <= mostThreads)) return false;
  const { status } = spawnSync(prlimit, ['--pid', String(process.pid), '--nproc=1']);
  const { error } = spawnSync(prlimit, ['--version']);
  return status === 0 && (error as { code?: string } | undefined)?.code === 'EAGAIN';
}
