/**
 * Documents of other hosts for a rendering process: the server's side answers its messages within bounds, the
 * process's side asks. The process itself never opens a connection.
 */
import { EgressError, type EgressPolicy } from '../egress/addresses.ts';
import { fetchDocument } from '../egress/fetch.ts';
import type { Fetched, Message } from './messages.ts';

export type Fetch = (address: string, signal: AbortSignal) => Promise<Uint8Array>;
type FetchMessage = Message & { type: 'fetch' };

/** One site has a handful of descriptions; these only hold a runaway one. */
const most = { documents: 100, bytes: 100_000_000, atOnce: 4 };

export function fetchWithin(policy: EgressPolicy): Fetch {
  return (address, signal) => fetchDocument(address, policy, { signal });
}

/** What to do with each `fetch` message of one process. */
export function answerFetches(
  fetch: Fetch,
  signal: AbortSignal,
  send: (answer: Fetched) => void,
): (message: FetchMessage) => void {
  const waiting: FetchMessage[] = [];
  let documents = 0;
  let bytes = 0;
  let running = 0;
  const run = async ({ id, address }: FetchMessage): Promise<void> => {
    running += 1;
    try {
      const content = await fetch(address, signal);
      bytes += content.length;
      if (bytes > most.bytes) throw new EgressError('too_large', 'The documents of this site are too large.');
      send({ type: 'fetched', id, bytes: content });
    } catch (error) {
      send({ type: 'fetched', id, problem: explain(error) });
    } finally {
      running -= 1;
      const next = waiting.shift();
      if (next) void run(next);
    }
  };
  return (message) => {
    documents += 1;
    if (documents > most.documents) {
      send({ type: 'fetched', id: message.id, problem: 'the site asks for too many documents' });
    } else if (running < most.atOnce) void run(message);
    else waiting.push(message);
  };
}

function explain(error: unknown): string {
  if (!(error instanceof EgressError)) return 'it cannot be fetched';
  return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
}

/** The process's side: a promise for each message that was sent. */
export class Fetches {
  readonly #send: (message: FetchMessage) => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<Uint8Array>>();
  #next = 0;

  constructor(send: (message: FetchMessage) => void) {
    this.#send = send;
  }

  fetch = (address: string): Promise<Uint8Array> => {
    const id = this.#next++;
    const answer = Promise.withResolvers<Uint8Array>();
    this.#waiting.set(id, answer);
    this.#send({ type: 'fetch', id, address: address.slice(0, 2000) });
    return answer.promise;
  };

  settle(answer: Fetched): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('bytes' in answer) waiting?.resolve(answer.bytes);
    else waiting?.reject(new Error(answer.problem));
  }
}
