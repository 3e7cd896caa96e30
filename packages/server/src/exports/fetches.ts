/**
 * API descriptions and pictures of other hosts for a rendering process: the server's side answers its messages within
 * bounds, the process's side asks. The process itself never opens a connection.
 */
import { EgressError } from '../egress/addresses.ts';
import { fetchDocument } from '../egress/fetch.ts';
import { fetchPicture } from '../egress/picture.ts';
import { policyFor, type EgressRules, type Tenant } from '../egress/rules.ts';
import type { Fetched, Message } from './messages.ts';

type FetchMessage = Message & { type: 'fetch' };
export type FetchedKind = FetchMessage['kind'];
export type Fetch = (address: string, signal: AbortSignal, kind: FetchedKind) => Promise<Uint8Array>;

/** The renderer asks for less; these hold a process that is not itself any more. */
const most: Record<FetchedKind, { number: number; bytes: number }> = {
  description: { number: 100, bytes: 100_000_000 },
  picture: { number: 500, bytes: 110_000_000 },
};
const mostAtOnce = 12;

export function fetchWithin(rules: EgressRules, tenant?: Tenant): Fetch {
  return (address, signal, kind) =>
    kind === 'picture'
      ? fetchPicture(address, policyFor(rules, 'picture', tenant), signal)
      : fetchDocument(address, policyFor(rules, 'spec', tenant), { signal });
}

/** What to do with each `fetch` message of one process. */
export function answerFetches(
  fetch: Fetch,
  signal: AbortSignal,
  send: (answer: Fetched) => void,
): (message: FetchMessage) => void {
  const waiting: FetchMessage[] = [];
  const asked: Record<FetchedKind, number> = { description: 0, picture: 0 };
  const bytes: Record<FetchedKind, number> = { description: 0, picture: 0 };
  let running = 0;
  const run = async ({ id, address, kind }: FetchMessage): Promise<void> => {
    running += 1;
    try {
      const content = await fetch(address, signal, kind);
      bytes[kind] += content.length;
      if (bytes[kind] > most[kind].bytes)
        throw new EgressError('too_large', `The ${kind}s of this site are too large together.`);
      send({ type: 'fetched', id, bytes: content });
    } catch (error) {
      send({
        type: 'fetched',
        id,
        problem: explain(error),
        hasAnswered: error instanceof EgressError && error.hasAnswered,
      });
    } finally {
      running -= 1;
      const next = waiting.shift();
      if (next) void run(next);
    }
  };
  return (message) => {
    asked[message.kind] += 1;
    if (asked[message.kind] > most[message.kind].number) {
      const problem = `the site asks for too many ${message.kind}s`;
      send({ type: 'fetched', id: message.id, problem, hasAnswered: true });
    } else if (running < mostAtOnce) void run(message);
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

  fetch = (address: string, kind: FetchedKind = 'description'): Promise<Uint8Array> => {
    const id = this.#next++;
    const answer = Promise.withResolvers<Uint8Array>();
    this.#waiting.set(id, answer);
    this.#send({ type: 'fetch', id, kind, address: address.slice(0, 2000) });
    return answer.promise;
  };

  settle(answer: Fetched): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('bytes' in answer) waiting?.resolve(answer.bytes);
    else waiting?.reject(Object.assign(new Error(answer.problem), { hasAnswered: answer.hasAnswered }));
  }
}
