/**
 * Starts the rendering process, hands it one order, and gives back its answer. The process gets an empty
 * environment and is killed when the signal says so, with everything it started.
 */
import { spawn } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { fileURLToPath } from 'node:url';
import { JobFailure, RunnerLost } from '../jobs/worker.ts';
import { type Fetch, answerFetches } from './fetches.ts';
import { Message, type Order } from './messages.ts';

const program = fileURLToPath(new URL('child.ts', import.meta.url));

export type Answer<Type extends Message['type']> = Message & { type: Type };

/** Rejects with a JobFailure when the process reports one, dies, or says something it must not. */
export async function runInProcess<Type extends 'exported' | 'unknown-paths'>(
  order: Order,
  wanted: Type,
  options: {
    signal: AbortSignal;
    memoryMegabytes: number;
    /** Gets documents of other hosts for it. */
    fetch: Fetch;
    onProgress?: (message: Answer<'progress'>) => void;
  },
): Promise<Answer<Type>> {
  options.signal.throwIfAborted();
  const child = spawn(process.execPath, [`--max-old-space-size=${options.memoryMegabytes}`, program], {
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: getCompileCacheDir() ?? '' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    detached: true,
  });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-4000);
  });
  const kill = () => killGroup(child.pid);
  const answer = answerFetches(options.fetch, options.signal, (fetched) => {
    if (child.connected) child.send(fetched);
  });
  options.signal.addEventListener('abort', kill, { once: true });
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => reject(died(code, signal, complaint)));
      child.on('message', (raw) => {
        const parsed = Message.safeParse(raw);
        if (!parsed.success)
          reject(new JobFailure('internal', 'The rendering process sent a malformed message.'));
        else if (parsed.data.type === 'progress') options.onProgress?.(parsed.data);
        else if (parsed.data.type === 'fetch') answer(parsed.data);
        else if (parsed.data.type === 'failed') reject(failureFrom(parsed.data));
        else if (parsed.data.type === wanted) resolve(parsed.data as Answer<Type>);
      });
      child.send(order, (error) => {
        if (error !== null) reject(error);
      });
    });
  } finally {
    options.signal.removeEventListener('abort', kill);
    kill();
  }
}

/** The process leads a group of its own, so that the page renderers it started go with it. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function failureFrom({ code, message, file, line, hint }: Answer<'failed'>): Error {
  if (code === 'internal') return new Error(`The rendering process failed: ${message}`);
  return new JobFailure(code, message, {
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(hint === undefined ? {} : { hint }),
  });
}

function died(code: number | null, signal: NodeJS.Signals | null, complaint: string): Error {
  if (/heap out of memory/.test(complaint)) {
    return new JobFailure('too_large', 'The site needs more memory than an export may use.');
  }
  const message = `The rendering process ended early (${signal ?? code}): ${complaint}`;
  return signal === null ? new Error(message) : new RunnerLost(message);
}
