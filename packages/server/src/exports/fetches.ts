/**
 * Fetches API descriptions, images and fonts for a sandboxed process: the server answers its requests within limits;
 * the process never opens a connection.
 */
import { EgressError } from '../egress/addresses.ts';
import { fetchDocument } from '../egress/fetch.ts';
import { fetchFont } from '../egress/font.ts';
import { fetchPicture } from '../egress/picture.ts';
import { policyFor, type EgressRules, type Tenant } from '../egress/rules.ts';
import type { Fetched, FetchedKind, Message } from './messages.ts';

type FetchMessage = Message & { type: 'fetch' };
export type Fetch = (address: string, signal: AbortSignal, kind: FetchedKind) => Promise<Uint8Array>;

/** The renderer has lower limits; these stop a compromised process. */
const maxPerKind: Record<FetchedKind, { number: number; bytes: number }> = {
  description: { number: 100, bytes: 100_000_000 },
  picture: { number: 500, bytes: 110_000_000 },
  font: { number: 100, bytes: 10_000_000 },
};
const maxConcurrent = 12;

export function fetchWithin(rules: EgressRules, tenant?: Tenant): Fetch {
  return (address, signal, kind) => {
    if (kind === 'picture') return fetchPicture(address, policyFor(rules, 'picture', tenant), signal);
    if (kind === 'font') return fetchFont(address, policyFor(rules, 'font', tenant), signal);
    return fetchDocument(address, policyFor(rules, 'spec', tenant), { signal });
  };
}

/** For sites of strangers, which could send requests to other hosts from here. */
export const refuseFetches: Fetch = async () => {
  throw new EgressError('refused', 'Previews of forks fetch nothing from other hosts.');
};

export function answerFetches(
  fetch: Fetch,
  signal: AbortSignal,
  send: (answer: Fetched) => void,
): (message: FetchMessage) => void {
  const waiting: FetchMessage[] = [];
  const requested: Record<FetchedKind, number> = { description: 0, picture: 0, font: 0 };
  const bytes: Record<FetchedKind, number> = { description: 0, picture: 0, font: 0 };
  let running = 0;
  const run = async ({ id, address, kind }: FetchMessage): Promise<void> => {
    running += 1;
    try {
      const content = await fetch(address, signal, kind);
      bytes[kind] += content.length;
      if (bytes[kind] > maxPerKind[kind].bytes)
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
    requested[message.kind] += 1;
    if (requested[message.kind] > maxPerKind[message.kind].number) {
      const problem = `the site requests too many ${message.kind}s`;
      send({ type: 'fetched', id: message.id, problem, hasAnswered: true });
    } else if (running < maxConcurrent) void run(message);
    else waiting.push(message);
  };
}

function explain(error: unknown): string {
  if (!(error instanceof EgressError)) return 'the fetch failed';
  return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
}
