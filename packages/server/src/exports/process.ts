/** Runs one order in a sandboxed rendering process and returns its answer. */
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { SourceFacts } from '@docyard/render';
import { JobFailedError, RunnerLostError } from '../jobs/failure.ts';
import { ChannelError, runSandboxed, ProcessDiedError, type SandboxedRun } from '../sandbox/sandbox.ts';
import { type Fetch, answerFetches } from './fetches.ts';
import { type History, Message, type Order, type Signed } from './messages.ts';

export const program = fileURLToPath(new URL('child.ts', import.meta.url));
/** Heap limit of an export process. */
export const exportMemoryMegabytes = 768;

export type Answer<Type extends Message['type']> = Message & { type: Type };

/** The process failed unexpectedly. The cause may be a corrupt cache. */
export class RenderingError extends Error {
  override name = 'RenderingError';
}

/**
 * Rejects with a JobFailedError when the process reports one, runs out of memory or breaks the protocol, with RenderingError when it
 * reports an internal error, with RunnerLostError when a signal ended it, and with ProcessDiedError when it ended otherwise.
 */
export async function runInProcess<Type extends 'exported' | 'unknown-paths' | 'described'>(
  order: Order,
  wanted: Type,
  options: {
    signal: AbortSignal;
    memoryMegabytes: number;
    /** The data folder, which must stay invisible even if it is inside a local source folder. */
    hidden?: string;
    /** Where a readable copy of the source folder may be kept. */
    keepCopyIn?: string | undefined;
    /** Files that the process inherits open. */
    files?: SandboxedRun<unknown>['files'];
    yields?: SandboxedRun<unknown>['yields'];
    /** Fetches documents from other hosts. */
    fetch: Fetch;
    onProgress?: (message: Answer<'progress'>) => void;
    /** Reads the history of the source. */
    readHistory?: () => Promise<SourceFacts>;
    /** Signs the manifest, or throws when it does not match the order. */
    sign?: (manifest: Uint8Array) => string;
    /** One of the two receives the bundle. */
    takeOutput?: (output: Readable, answered: Promise<Answer<Type>>) => Promise<unknown>;
    outputFile?: string;
  },
): Promise<Answer<Type>> {
  const { signal, memoryMegabytes } = options;
  let answerFetch: ReturnType<typeof answerFetches> | undefined;
  let isHistoryRead = false;
  try {
    return await runSandboxed<Answer<Type>>({
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
      onMessage(raw, send) {
        const { data: message } = Message.safeParse(raw);
        if (message === undefined)
          throw new JobFailedError('internal', 'The rendering process sent a malformed message.');
        if (message.type === 'failed') throw failureFrom(message);
        if (message.type === 'progress') options.onProgress?.(message);
        if (message.type === 'sign' && options.sign !== undefined) {
          const signed: Signed = { type: 'signed', signature: options.sign(message.manifest) };
          send(signed);
        }
        if (message.type === 'history' && !isHistoryRead) {
          isHistoryRead = true;
          void historyMessage(options.readHistory).then(send);
        }
        if (message.type === 'fetch') {
          answerFetch ??= answerFetches(options.fetch, signal, send);
          answerFetch(message);
        }
        return message.type === wanted ? { answer: message as Answer<Type> } : undefined;
      },
    });
  } catch (error) {
    if (error instanceof ChannelError) throw new JobFailedError('internal', error.message);
    throw error instanceof ProcessDiedError ? failureOfDeath(error) : error;
  }
}

/** A site whose history cannot be read is exported without it. */
async function historyMessage(read?: () => Promise<SourceFacts>): Promise<History> {
  const { changedOn, links } = (await read?.().catch(() => undefined)) ?? {
    changedOn: new Map<string, string>(),
  };
  return { type: 'history', changedOn: [...changedOn], links };
}

function failureFrom({ code, message, file, line, hint }: Answer<'failed'>): Error {
  if (code === 'internal') return new RenderingError(`The rendering process failed: ${message}`);
  return new JobFailedError(code, message, {
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(hint === undefined ? {} : { hint }),
  });
}

function failureOfDeath(death: ProcessDiedError): Error {
  if (death.outOfMemory)
    return new JobFailedError('too_large', 'The site needs more memory than an export may use.');
  return death.wasKilled ? new RunnerLostError(death.message) : death;
}
