/**
 * Starts a process that reads strangers' files, hands it one order, and listens until it has answered. The process gets an
 * empty environment and is killed when the signal says so, with everything it started. What the messages mean is the
 * caller's business, and so is checking them.
 */
import { spawn } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import type { Readable } from 'node:stream';
import { killGroup } from '../process-group.ts';

export interface Conversation<Answer> {
  /** The file that the process runs. */
  program: string;
  order: object;
  memoryMegabytes: number;
  signal: AbortSignal;
  /** Hears every message, unchecked; what it gives back is the answer, what it throws fails the conversation. */
  hear(raw: unknown, send: (message: object) => void): { answer: Answer } | undefined;
  /**
   * Takes what the process writes to `outputDescriptor`. The stream also ends when the process dies, so only `answered`
   * tells whether it was whole. The conversation ends when this has, and fails when it does.
   */
  takeOutput?: (output: Readable, answered: Promise<Answer>) => Promise<unknown>;
}

/** After the usual three and the channel for messages. */
export const outputDescriptor = 4;

/** The process ended without an answer. */
export class ProcessDied extends Error {
  override name = 'ProcessDied';
  readonly outOfMemory: boolean;
  /** Killed from outside, not ended by itself. */
  readonly wasKilled: boolean;

  constructor(code: number | null, signal: NodeJS.Signals | null, complaint: string) {
    super(`The rendering process ended early (${signal ?? code}): ${complaint}`);
    this.outOfMemory = /heap out of memory/.test(complaint);
    this.wasKilled = signal !== null;
  }
}

export async function converse<Answer>({
  program,
  order,
  memoryMegabytes,
  signal,
  hear,
  takeOutput,
}: Conversation<Answer>): Promise<Answer> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [`--max-old-space-size=${memoryMegabytes}`, program], {
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: getCompileCacheDir() ?? '' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', takeOutput === undefined ? 'ignore' : 'pipe'],
    serialization: 'advanced',
    detached: true,
  });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-4000);
  });
  const kill = () => killGroup(child.pid);
  const send = (message: object): void => {
    if (child.connected) child.send(message);
  };
  signal.addEventListener('abort', kill, { once: true });
  const answered = new Promise<Answer>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, by) => {
      const fail = () => reject(new ProcessDied(code, by, complaint));
      // Its end can be seen before its last words, which are still on the way until the channel closes.
      if (child.connected) child.once('disconnect', fail);
      else fail();
    });
    child.on('message', (raw) => {
      try {
        const heard = hear(raw, send);
        if (heard !== undefined) resolve(heard.answer);
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    child.send(order, (error) => {
      if (error !== null) reject(error);
    });
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
    kill();
  }
}
