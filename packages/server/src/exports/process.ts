/** Runs one order in a sandboxed rendering process and returns its answer. */
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { JobFailure, RunnerLost } from '../jobs/failure.ts';
import { ChannelAbused, converse, ProcessDied, type Conversation } from '../rendering/sandbox.ts';
import { type Fetch, answerFetches } from './fetches.ts';
import { Message, type Order, type Signed } from './messages.ts';

export const program = fileURLToPath(new URL('child.ts', import.meta.url));
/** Of the heap of a process that exports. */
export const exportMemoryMegabytes = 768;

export type Answer<Type extends Message['type']> = Message & { type: Type };

/** The process failed unexpectedly. The cause may be a corrupt cache. */
export class RenderingFailed extends Error {
  override name = 'RenderingFailed';
}

/**
 * Rejects with a JobFailure when the process reports one, runs out of memory or breaks the protocol, with RenderingFailed when it
 * reports an internal error, with RunnerLost when a signal ended it, and with ProcessDied when it ended otherwise.
 */
export async function runInProcess<Type extends 'exported' | 'unknown-paths' | 'described'>(
  order: Order,
  wanted: Type,
  options: {
    signal: AbortSignal;
    memoryMegabytes: number;
    /** The data folder, which a folder on this machine may happen to hold. */
    hidden?: string;
    /** Where a copy of the folder may stay, if one must be made. */
    keepCopyIn?: string | undefined;
    /** Files that it finds open. */
    files?: Conversation<unknown>['files'];
    yields?: Conversation<unknown>['yields'];
    /** Gets documents of other hosts for it. */
    fetch: Fetch;
    onProgress?: (message: Answer<'progress'>) => void;
    /** Signs the manifest of a bundle, or throws when it is not one to be signed. */
    sign?: (manifest: Uint8Array) => string;
    /** Either of them gets the bundle. */
    takeOutput?: (output: Readable, answered: Promise<Answer<Type>>) => Promise<unknown>;
    outputFile?: string;
  },
): Promise<Answer<Type>> {
  const { signal, memoryMegabytes } = options;
  let answerFetch: ReturnType<typeof answerFetches> | undefined;
  try {
    return await converse<Answer<Type>>({
      program,
      order,
      signal,
      memoryMegabytes,
      readable: [order.folder],
      keepCopyIn: options.keepCopyIn,
      hidden: options.hidden === undefined ? [] : [options.hidden],
      processes: 'renderProcesses' in order ? order.renderProcesses : 0,
      yields: options.yields,
      ...(options.files === undefined ? {} : { files: options.files }),
      ...(options.takeOutput === undefined ? {} : { takeOutput: options.takeOutput }),
      ...(options.outputFile === undefined ? {} : { outputFile: options.outputFile }),
      hear(raw, send) {
        const { data: message } = Message.safeParse(raw);
        if (message === undefined)
          throw new JobFailure('internal', 'The rendering process sent a malformed message.');
        if (message.type === 'failed') throw failureFrom(message);
        if (message.type === 'progress') options.onProgress?.(message);
        if (message.type === 'sign' && options.sign !== undefined) {
          const signed: Signed = { type: 'signed', signature: options.sign(message.manifest) };
          send(signed);
        }
        if (message.type === 'fetch') {
          answerFetch ??= answerFetches(options.fetch, signal, send);
          answerFetch(message);
        }
        return message.type === wanted ? { answer: message as Answer<Type> } : undefined;
      },
    });
  } catch (error) {
    if (error instanceof ChannelAbused) throw new JobFailure('internal', error.message);
    throw error instanceof ProcessDied ? failureOfDeath(error) : error;
  }
}

function failureFrom({ code, message, file, line, hint }: Answer<'failed'>): Error {
  if (code === 'internal') return new RenderingFailed(`The rendering process failed: ${message}`);
  return new JobFailure(code, message, {
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(hint === undefined ? {} : { hint }),
  });
}

function failureOfDeath(death: ProcessDied): Error {
  if (death.outOfMemory)
    return new JobFailure('too_large', 'The site needs more memory than an export may use.');
  return death.wasKilled ? new RunnerLost(death.message) : death;
}
