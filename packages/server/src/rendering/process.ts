/**
 * Starts a process that reads strangers' files, hands it one order, and listens until it has answered. The process gets an
 * empty environment and is killed when the signal says so, with everything it started. What the messages mean is the
 * caller's business, and so is checking them.
 */
import { spawn } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { killGroup } from '../process-group.ts';

export interface Conversation<Answer> {
  /** The file that the process runs. */
  program: string;
  order: object;
  memoryMegabytes: number;
  signal: AbortSignal;
  /** Hears every message, unchecked; what it gives back ends the conversation, what it throws fails it. */
  hear(raw: unknown, send: (message: object) => void): { answer: Answer } | undefined;
}

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
}: Conversation<Answer>): Promise<Answer> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [`--max-old-space-size=${memoryMegabytes}`, program], {
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
  const send = (message: object): void => {
    if (child.connected) child.send(message);
  };
  signal.addEventListener('abort', kill, { once: true });
  try {
    return await new Promise((resolve, reject) => {
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
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
  }
}
