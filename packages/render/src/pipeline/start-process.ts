/**
 * Starts a process that renders pages, with a bounded heap and nothing of this process's environment. One may be started before
 * it is known what it is to render: it then loads its code, a tenth of a second of work, while the site is being read.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { heapFlags, mallocSettings, pageHeap } from './process-settings.ts';

const memoryLimitMb = 512;

const processFile = fileURLToPath(new URL('./page-process.ts', import.meta.url));

const prepared: ChildProcess[] = [];

/** A small site needs no more. */
const mostPrepared = 2;

/** One core is left to whoever reads the site. Those that nobody takes end with this process, and do not hold it. */
export function prepareRenderProcesses(most: number): void {
  const count = Math.max(1, Math.min(most, mostPrepared, availableParallelism() - 1));
  while (prepared.length < count) {
    putAside(begin(processFile));
  }
}

/** One that has rendered pages and has nothing left to do; the next one to be started is this one. */
export function giveBackRenderProcess(child: ChildProcess): void {
  for (const event of ['message', 'exit', 'error']) child.removeAllListeners(event);
  putAside(child);
}

function putAside(child: ChildProcess): void {
  child.on('error', () => undefined);
  child.unref();
  child.channel?.unref();
  prepared.push(child);
}

export function startRenderProcess(program?: string): ChildProcess {
  const ready = program === undefined ? prepared.shift() : undefined;
  if (ready?.connected !== true) return begin(program ?? processFile);
  ready.ref();
  ready.channel?.ref();
  return ready;
}

/** Whether it has ever said a word: the first one is that it is ready. */
export function hasLoaded(child: ChildProcess): boolean {
  return loaded.has(child);
}

const loaded = new WeakSet<ChildProcess>();

function begin(program: string): ChildProcess {
  const child = fork(program, [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Code of pages that asks for the time of day is answered the same wherever it runs.
    env: {
      PATH: process.env['PATH'] ?? '',
      TZ: 'UTC',
      ...mallocSettings,
    },
    execArgv: heapFlags(memoryLimitMb, pageHeap),
  });
  return child.once('message', () => loaded.add(child));
}
