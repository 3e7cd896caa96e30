/**
 * Starts render processes with a bounded heap and a minimal environment. Processes can be started ahead of
 * time, so that they load their code while the site is read.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { heapFlags, mallocSettings, pageHeap } from './process-settings.ts';

const memoryLimitMb = 512;

const processFile = fileURLToPath(new URL('./page-process.ts', import.meta.url));

const idle: ChildProcess[] = [];

const maxIdle = 2;

/**
 * Leaves one core to the process that reads the site. Unused processes are unreferenced and end with this
 * one.
 */
export function prepareRenderProcesses(maxProcesses: number): void {
  const count = Math.max(1, Math.min(maxProcesses, maxIdle, availableParallelism() - 1));
  while (idle.length < count) {
    keepIdle(forkProcess(processFile));
  }
}

/** Keeps an idle warm process for the next start. */
export function recycleRenderProcess(child: ChildProcess): void {
  for (const event of ['message', 'exit', 'error']) child.removeAllListeners(event);
  keepIdle(child);
}

function keepIdle(child: ChildProcess): void {
  child.on('error', () => undefined);
  child.unref();
  child.channel?.unref();
  idle.push(child);
}

export function startRenderProcess(program?: string): ChildProcess {
  const ready = program === undefined ? idle.shift() : undefined;
  if (ready?.connected !== true) return forkProcess(program ?? processFile);
  ready.ref();
  ready.channel?.ref();
  return ready;
}

export function hasLoaded(child: ChildProcess): boolean {
  return loaded.has(child);
}

const loaded = new WeakSet<ChildProcess>();

function forkProcess(program: string): ChildProcess {
  const child = fork(program, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // A fixed time zone makes dates in page code reproducible.
    env: {
      PATH: process.env['PATH'] ?? '',
      TZ: 'UTC',
      ...mallocSettings,
    },
    execArgv: heapFlags(memoryLimitMb, pageHeap),
  });
  return child.once('message', () => loaded.add(child));
}
