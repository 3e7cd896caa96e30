/**
 * Starts a process that reads strangers' files, hands it one order, and listens until it has answered. It is killed when the
 * signal says so, with everything it started. What the messages mean is the caller's business, and so is checking them.
 */
import { constants } from 'node:os';
import type { Duplex, Readable } from 'node:stream';
import { openChannel, usualChannelLimits, type ChannelLimits } from './channel.ts';
import type { Shelter } from './launch.ts';
import { watchMemory } from './memory-watch.ts';
import { messageDescriptor, outputDescriptor } from './protocol.ts';
import { areReadable, looksReadable, readableFor } from './readable.ts';
import { startProcess, type Beginning, type Started } from './started.ts';

export interface Conversation<Answer> {
  /** The file that the process runs. */
  program: string;
  /** What it is to do. One that is still being worked out is waited for while the process starts. */
  order: object | Promise<object>;
  memoryMegabytes: number;
  signal: AbortSignal;
  /** Folders and files that it may read. It sees nothing else of this machine but the program itself. */
  readable?: readonly string[];
  /** A folder of ours where a copy may stay that must be made of them, for the next conversation about the same ones. */
  keepCopyIn?: string | undefined;
  /** Folders that it must not see although they may lie in one of those. */
  hidden?: readonly string[];
  /** Files that it finds open, the first one as `firstFileDescriptor`; those to write are made for it. */
  files?: Beginning['files'];
  /** How many processes it may have at work besides itself. */
  processes?: number;
  yields?: Beginning['yields'];
  /** Hears every message, unchecked; what it gives back is the answer, what it throws fails the conversation. */
  hear(raw: unknown, send: (message: object) => void): { answer: Answer } | undefined;
  /**
   * Takes what the process writes to `outputDescriptor`. The stream also ends when the process dies, so only `answered`
   * tells whether it was whole. The conversation ends when this has, and fails when it does.
   */
  takeOutput?: (output: Readable, answered: Promise<Answer>) => Promise<unknown>;
  /** A file that is made for what it writes there, if nobody takes it. When this ends, nobody writes to it any more. */
  outputFile?: string;
  /** One that was started for this beforehand, with all of the above. */
  started?: Started | undefined;
  /** Told when the process is on its way, or files are copied for it: the time to work out the order, which is waited for. */
  onPreparing?: () => void;
  /** What it says before this has settled is heard then. */
  heardAfter?: Promise<unknown>;
  channelLimits?: ChannelLimits;
}

/** The process ended without an answer. */
export class ProcessDied extends Error {
  override name = 'ProcessDied';
  readonly outOfMemory: boolean;
  /** Killed from outside, not ended by itself. */
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
  const { readable: paths = [], keepCopyIn: keepIn, hidden, started, order } = conversation;
  // It may fail while the files are being looked at.
  if (order instanceof Promise) order.catch(() => undefined);
  if (started !== undefined) return talk(started, conversation);
  if (order instanceof Promise && looksReadable(paths, shelter)) {
    // Not before the process has its order: until then everything that starts needs the processors.
    const isReadable = order.then(() => areReadable(paths, shelter, hidden));
    // Nobody may be waiting for it when it fails.
    isReadable.catch(() => undefined);
    conversation.signal.throwIfAborted();
    const shown = paths.map((place) => ({ source: place, place }));
    // Outside of the try: the order is worked out once the process runs, so nothing may wait for it when none was started.
    const process = startProcess(shelter, beginningOf(conversation), shown);
    try {
      return await talk(process, conversation, isReadable);
    } catch (error) {
      if (await isReadable.catch(() => true)) throw error;
    }
  }
  conversation.onPreparing?.();
  const lookAgain = () => readableFor(paths, shelter, { keepIn, hidden });
  let readable = await lookAgain();
  // What is copied before the order is there may have been files of another commit.
  if (order instanceof Promise && readable.shown.some(({ source, place }) => source !== place)) {
    await readable.remove();
    await order;
    readable = await lookAgain();
  }
  try {
    // From here to the listener nothing waits, so that no word of the signal is missed.
    conversation.signal.throwIfAborted();
    return await talk(startProcess(shelter, beginningOf(conversation), readable.shown), conversation);
  } finally {
    await readable.remove();
  }
}

function beginningOf<Answer>(conversation: Conversation<Answer>): Beginning {
  const { program, memoryMegabytes, hidden, files, processes, yields, takeOutput, outputFile } = conversation;
  const output = outputFile === undefined ? (takeOutput ? 'pipe' : 'ignore') : { file: outputFile };
  return { program, memoryMegabytes, hidden, files, processes, yields, output };
}

/**
 * Looking at 10,000 files takes 0.1 s, and a process need not wait for that: until it is known that it can read all of them it is
 * not listened to, and where it cannot, it is killed unheard.
 */
async function talk<Answer>(
  started: Started,
  conversation: Conversation<Answer>,
  isReadable: Promise<boolean> = Promise.resolve(true),
): Promise<Answer> {
  const { order, signal, hear, takeOutput } = conversation;
  const { child } = started;
  conversation.onPreparing?.();
  const kill = () => started.kill();
  if (signal.aborted) kill();
  signal.throwIfAborted();
  started.isAwaited = true;
  signal.addEventListener('abort', kill, { once: true });
  let unwatch = () => {};
  const answered = new Promise<Answer>((resolve, reject) => {
    const mayBeHeard = Promise.all([isReadable, conversation.heardAfter]).then(([canRead]) => {
      if (!canRead) throw new Error('The files have to be copied first.');
    });
    mayBeHeard.catch(reject);
    const channel = openChannel(
      child.stdio[messageDescriptor] as Duplex,
      (message) => {
        const take = (): void => {
          const heard = hear(message, channel.send);
          if (heard !== undefined) resolve(heard.answer);
        };
        mayBeHeard.then(take).catch(reject);
      },
      conversation.channelLimits ?? usualChannelLimits,
    );
    channel.ended.catch(reject);
    child.once('error', reject);
    child.once('exit', (code, by) => {
      // Its end can be seen before its last words, which are still on the way until the channel closes.
      const last = channel.ended.then(() => mayBeHeard);
      last.then(() => reject(deathOf(code, by, started.complaint())), reject);
    });
    if (order instanceof Promise) order.then((ready: object) => channel.send(ready), reject);
    else channel.send(order);
    unwatch = watchMemory(child.pid ?? 0, familyBytes(conversation), () =>
      reject(new ProcessDied(null, 'SIGKILL', 'out of memory, together with what it has started')),
    );
  });
  const taken = takeOutput?.(child.stdio[outputDescriptor] as Readable, answered);
  // Neither side is left waiting for the other: a process whose output nobody takes would write for ever.
  for (const side of [answered, taken]) side?.catch(kill);
  try {
    const [output, answer] = await Promise.allSettled([taken, answered]);
    // Whoever could not take the output knows better why than the process that was killed for it.
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
