/**
 * Has one order carried out by the rendering process and gives back its answer. It knows what its messages and its ends
 * mean for a job; how a process is started and ended is `rendering/process`.
 */
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  ChannelAbused,
  converse,
  ProcessDied,
  type Conversation,
  type Started,
} from '../rendering/process.ts';
import { type Fetch, answerFetches } from './fetches.ts';
import type * as Failures from '../jobs/failure.ts';
import type * as Messages from './messages.ts';
import type { ExportOrder, Message, Order, Signed } from './messages.ts';

/** What such a process runs: when it exports, and when it only answers a question about a site. */
export const program = fileURLToPath(new URL('export-child.ts', import.meta.url));
const answering = fileURLToPath(new URL('child.ts', import.meta.url));
/** For its heap, when it exports. */
export const exportMemoryMegabytes = 768;

export type Answer<Type extends Message['type']> = Message & { type: Type };

/** An order that is worked out as soon as the process for it, and for this folder, is on its way. */
export interface ComingOrder {
  type: 'coming';
  folder: string;
  renderProcesses: number;
  order: () => Promise<ExportOrder>;
}

/** Something went wrong in the process that nobody expected. Of what it was handed, only what is remembered can be damaged. */
export class RenderingFailed extends Error {
  override name = 'RenderingFailed';
}

/** Rejects with a JobFailure when the process reports one, dies, or says something it must not. */
export async function runInProcess<Type extends 'exported' | 'unknown-paths' | 'described'>(
  order: Order | ComingOrder,
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
    /** One that was started for it beforehand. */
    started?: Started | undefined;
  },
): Promise<Answer<Type>> {
  const { signal, memoryMegabytes } = options;
  const onItsWay = Promise.withResolvers<void>();
  let answerFetch: ReturnType<typeof answerFetches> | undefined;
  const ready = order.type === 'coming' ? onItsWay.promise.then(order.order) : order;
  try {
    return await converse<Answer<Type>>({
      program: 'renderProcesses' in order ? program : answering,
      order: ready,
      // A turn later: loading code takes long, and whatever else is to be started has been by then.
      onPreparing: () => setImmediate(onItsWay.resolve),
      // Whoever fails to work out an order needs it too.
      heardAfter: Promise.allSettled([onItsWay.promise, ready]).then(loadWire),
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
      started: options.started,
      hear(raw, send) {
        if (wire === undefined) throw new Error('The rendering process was heard too early.');
        const { data: message } = wire.Message.safeParse(raw);
        if (message === undefined)
          throw new wire.JobFailure('internal', 'The rendering process sent a malformed message.');
        if (message.type === 'failed') throw failureFrom(wire, message);
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
    const loaded = await loadWire();
    if (error instanceof ChannelAbused) throw new loaded.JobFailure('internal', error.message);
    throw error instanceof ProcessDied ? failureOfDeath(loaded, error) : error;
  }
}

type Wire = Pick<typeof Messages, 'Message'> & typeof Failures;

let wire: Wire | undefined;

/** What messages mean, and failures. Where nothing has loaded them it takes 0.1 s, while the process is at work already. */
async function loadWire(): Promise<Wire> {
  const [{ Message }, failures] = await Promise.all([import('./messages.ts'), import('../jobs/failure.ts')]);
  return (wire ??= { Message, ...failures });
}

function failureFrom({ JobFailure }: Wire, { code, message, file, line, hint }: Answer<'failed'>): Error {
  if (code === 'internal') return new RenderingFailed(`The rendering process failed: ${message}`);
  return new JobFailure(code, message, {
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
    ...(hint === undefined ? {} : { hint }),
  });
}

function failureOfDeath({ JobFailure, RunnerLost }: Wire, death: ProcessDied): Error {
  if (death.outOfMemory)
    return new JobFailure('too_large', 'The site needs more memory than an export may use.');
  return death.wasKilled ? new RunnerLost(death.message) : death;
}
