/** The requests of a sandboxed process for documents of other hosts; `fetches.ts` answers them. */
import type { Fetched, FetchedKind, Message } from './messages.ts';

type FetchMessage = Message & { type: 'fetch' };

/** Resolves one promise per request. */
export class FetchRequests {
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
