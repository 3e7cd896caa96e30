/**
 * Starts a sandboxed process, sends it one order and reads messages until it has answered. The signal kills
 * the process group. The caller validates the messages.
 */
import { constants } from 'node:os';
import type { Duplex, Readable } from 'node:stream';
import { openChannel, defaultChannelLimits, type ChannelLimits } from './channel.ts';
import type { SandboxSetup } from './launch.ts';
import { watchMemory } from './memory-watch.ts';
import { type ProcessOptions, type RenderingProcess, startProcess } from './process.ts';
import { messageDescriptor, outputDescriptor } from './protocol.ts';
import { readableMounts } from './readable-mounts.ts';

export interface SandboxedRun<Answer> {
  /** The module that the process runs. */
  program: string;
  order: object;
  memoryMegabytes: number;
  signal: AbortSignal;
  /** Files and folders that the process may read. Nothing else is visible except the program. */
  readable?: readonly string[];
  /** Where a readable copy of them may be kept for the next run. */
  keepCopyIn?: string | undefined;
  /** Folders that stay invisible even inside a readable one. */
  hidden?: readonly string[];
  /** Files that the process inherits open, starting at `firstFileDescriptor`; those to write are created. */
  files?: ProcessOptions['files'];
  /** How many child processes it may run. */
  processes?: number;
  yields?: ProcessOptions['yields'];
  /** Receives every message, unvalidated. Its result is the answer; an exception fails the run. */
  onMessage(raw: unknown, send: (message: object) => void): { answer: Answer } | undefined;
  /**
   * Reads what the process writes to `outputDescriptor`. The stream also ends when the process dies, so only
   * `answered` shows whether it is complete. The run waits for it.
   */
  takeOutput?: (output: Readable, answered: Promise<Answer>) => Promise<unknown>;
  /** A file that receives the output instead. The process has ended when the run has. */
  outputFile?: string;
  channelLimits?: ChannelLimits;
}

/** The process ended without an answer. */
export class ProcessDiedError extends Error {
  override name = 'ProcessDiedError';
  readonly outOfMemory: boolean;
  /** A signal ended it. */
  readonly wasKilled: boolean;

  constructor(code: number | null, signal: string | null, complaint: string) {
    super(`The rendering process ended early (${signal ?? code}): ${complaint}`);
    this.outOfMemory = outOfMemory.test(complaint);
    this.wasKilled = signal !== null;
  }
}

/** Messages of Node and native code when memory runs out. */
const outOfMemory =
  /out of memory|allocation failed|failed to allocate|memory allocation of|bad_alloc|cannot allocate memory/i;

export async function runInSandbox<Answer>(setup: SandboxSetup, run: SandboxedRun<Answer>): Promise<Answer> {
  const { readable: paths = [], keepCopyIn: keepIn, hidden, signal } = run;
  const readable = await readableMounts(paths, setup, { keepIn, hidden });
  try {
    signal.throwIfAborted();
    return await exchange(startProcess(setup, processOptions(run), readable.mounts), run);
  } finally {
    await readable.remove();
  }
}

function processOptions<Answer>(run: SandboxedRun<Answer>): ProcessOptions {
  const { program, memoryMegabytes, hidden, files, processes, yields, takeOutput, outputFile } = run;
  const output = outputFile === undefined ? (takeOutput ? 'pipe' : 'ignore') : { file: outputFile };
  return { program, memoryMegabytes, hidden, files, processes, yields, output };
}

async function exchange<Answer>(started: RenderingProcess, run: SandboxedRun<Answer>): Promise<Answer> {
  const { order, signal, onMessage, takeOutput } = run;
  const { child } = started;
  const kill = () => started.kill();
  signal.addEventListener('abort', kill, { once: true });
  let unwatch = () => {};
  const answered = new Promise<Answer>((resolve, reject) => {
    const channel = openChannel(
      child.stdio[messageDescriptor] as Duplex,
      (message) => {
        const result = onMessage(message, channel.send);
        if (result !== undefined) resolve(result.answer);
      },
      run.channelLimits ?? defaultChannelLimits,
    );
    channel.ended.catch(reject);
    child.once('error', reject);
    child.once('exit', (code, by) => {
      // The last messages may arrive after the exit.
      channel.ended.then(() => reject(deathOf(code, by, started.complaint())), reject);
    });
    channel.send(order);
    unwatch = watchMemory(child.pid ?? 0, maxTreeBytes(run), () =>
      reject(new ProcessDiedError(null, 'SIGKILL', 'out of memory, including child processes')),
    );
  });
  const output = takeOutput?.(child.stdio[outputDescriptor] as Readable, answered);
  // A process whose output is not read would block forever.
  for (const side of [answered, output]) side?.catch(kill);
  try {
    const [outputResult, answer] = await Promise.allSettled([output, answered]);
    // The error of the reader is the cause; the process was only killed because of it.
    if (outputResult.status === 'rejected') throw outputResult.reason;
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  } finally {
    signal.removeEventListener('abort', kill);
    unwatch();
    kill();
    if (run.outputFile !== undefined) await started.ended();
  }
}

/** Each process needs a heap and memory for the parser and compression. */
function maxTreeBytes({
  memoryMegabytes,
  processes = 0,
}: Pick<SandboxedRun<unknown>, 'memoryMegabytes' | 'processes'>): number {
  return (memoryMegabytes + 512 + 768 * processes) * 1024 ** 2;
}

/** bubblewrap reports a signal as exit status 128 + number, as a shell does. */
function deathOf(code: number | null, by: NodeJS.Signals | null, complaint: string): ProcessDiedError {
  const signalName = Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0];
  return new ProcessDiedError(code, by ?? signalName ?? null, complaint);
}
