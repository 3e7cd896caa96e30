/**
 * Starts a process that reads files of authors, sends it one order, and listens until it has answered. The signal kills it
 * together with everything it started. The caller validates the messages.
 */
import { constants } from 'node:os';
import type { Duplex, Readable } from 'node:stream';
import { openChannel, usualChannelLimits, type ChannelLimits } from './channel.ts';
import type { Shelter } from './launch.ts';
import { watchMemory } from './memory-watch.ts';
import { type ProcessOptions, type RenderingProcess, startProcess } from './process.ts';
import { messageDescriptor, outputDescriptor } from './protocol.ts';
import { readableFor } from './readable.ts';

export interface Conversation<Answer> {
  /** The file that the process runs. */
  program: string;
  order: object;
  memoryMegabytes: number;
  signal: AbortSignal;
  /** Folders and files that it may read. It sees nothing else of this machine but the program itself. */
  readable?: readonly string[];
  /** Where a copy of them may stay that must be made, for the next conversation about the same ones. */
  keepCopyIn?: string | undefined;
  /** Folders that it must not see although they may lie in one of those. */
  hidden?: readonly string[];
  /** Files that it finds open, the first one as `firstFileDescriptor`; those to write are created. */
  files?: ProcessOptions['files'];
  /** How many processes it may have at work besides itself. */
  processes?: number;
  yields?: ProcessOptions['yields'];
  /** Receives every message, unchecked. Its result is the answer; an exception fails the conversation. */
  hear(raw: unknown, send: (message: object) => void): { answer: Answer } | undefined;
  /**
   * Reads what the process writes to `outputDescriptor`. The stream also ends when the process dies, so only `answered`
   * tells whether it is complete. The conversation ends when this has, and fails when it does.
   */
  takeOutput?: (output: Readable, answered: Promise<Answer>) => Promise<unknown>;
  /** A file that is created for the output instead. The process has ended when the conversation has. */
  outputFile?: string;
  channelLimits?: ChannelLimits;
}

/** The process ended without an answer. */
export class ProcessDied extends Error {
  override name = 'ProcessDied';
  readonly outOfMemory: boolean;
  /** A signal ended it, from outside or after a crash. */
  readonly wasKilled: boolean;

  constructor(code: number | null, signal: string | null, complaint: string) {
    super(`The rendering process ended early (${signal ?? code}): ${complaint}`);
    this.outOfMemory = outOfMemory.test(complaint);
    this.wasKilled = signal !== null;
  }
}

/** What Node and native code say when the heap is full, or when the limit of the process is reached. */
const outOfMemory =
  /out of memory|allocation failed|failed to allocate|memory allocation of|bad_alloc|cannot allocate memory/i;

export async function converseIn<Answer>(
  shelter: Shelter,
  conversation: Conversation<Answer>,
): Promise<Answer> {
  const { readable: paths = [], keepCopyIn: keepIn, hidden, signal } = conversation;
  const readable = await readableFor(paths, shelter, { keepIn, hidden });
  try {
    signal.throwIfAborted();
    return await talk(startProcess(shelter, processOptions(conversation), readable.shown), conversation);
  } finally {
    await readable.remove();
  }
}

function processOptions<Answer>(conversation: Conversation<Answer>): ProcessOptions {
  const { program, memoryMegabytes, hidden, files, processes, yields, takeOutput, outputFile } = conversation;
  const output = outputFile === undefined ? (takeOutput ? 'pipe' : 'ignore') : { file: outputFile };
  return { program, memoryMegabytes, hidden, files, processes, yields, output };
}

async function talk<Answer>(started: RenderingProcess, conversation: Conversation<Answer>): Promise<Answer> {
  const { order, signal, hear, takeOutput } = conversation;
  const { child } = started;
  const kill = () => started.kill();
  signal.addEventListener('abort', kill, { once: true });
  let unwatch = () => {};
  const answered = new Promise<Answer>((resolve, reject) => {
    const channel = openChannel(
      child.stdio[messageDescriptor] as Duplex,
      (message) => {
        const heard = hear(message, channel.send);
        if (heard !== undefined) resolve(heard.answer);
      },
      conversation.channelLimits ?? usualChannelLimits,
    );
    channel.ended.catch(reject);
    child.once('error', reject);
    child.once('exit', (code, by) => {
      // Its last messages may still be on the way until the channel closes.
      channel.ended.then(() => reject(deathOf(code, by, started.complaint())), reject);
    });
    channel.send(order);
    unwatch = watchMemory(child.pid ?? 0, familyBytes(conversation), () =>
      reject(new ProcessDied(null, 'SIGKILL', 'out of memory, together with what it has started')),
    );
  });
  const taken = takeOutput?.(child.stdio[outputDescriptor] as Readable, answered);
  // A process whose output is not read would write forever.
  for (const side of [answered, taken]) side?.catch(kill);
  try {
    const [output, answer] = await Promise.allSettled([taken, answered]);
    // The reader of the output knows the cause; the process was only killed because of it.
    if (output.status === 'rejected') throw output.reason;
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  } finally {
    signal.removeEventListener('abort', kill);
    unwatch();
    kill();
    if (conversation.outputFile !== undefined) await started.ended();
  }
}

/** Each process has a heap, and besides it what the parser and compression need. */
function familyBytes({
  memoryMegabytes,
  processes = 0,
}: Pick<Conversation<unknown>, 'memoryMegabytes' | 'processes'>): number {
  return (memoryMegabytes + 512 + 768 * processes) * 1024 ** 2;
}

/** Whoever stands between tells of a signal by a status, as a shell does. */
function deathOf(code: number | null, by: NodeJS.Signals | null, complaint: string): ProcessDied {
  const told = Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0];
  return new ProcessDied(code, by ?? told ?? null, complaint);
}
