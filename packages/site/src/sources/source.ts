/**
 * Where bundles come from. A source is first asked what it offers, which costs next to nothing; only what is new is
 * fetched. Whether that is a bundle at all is for others to find out: nothing here looks inside.
 */
import type { peerFetch } from '../network/peers.ts';

/** How other machines are reached: the operator has named them, and may have turned that off. */
export type Fetch = ReturnType<typeof peerFetch>;

export interface Offer {
  /** What the origin calls exactly this content; null when it has no name for it, so that only fetching tells. */
  fingerprint: string | null;
  /** Of the archive, when the origin says it beforehand. */
  sha256: string | null;
  /** Undefined when the origin does not say it beforehand. */
  version: string | null | undefined;
  /** The export that made it, when a Docyard server offers it. */
  jobId: string | null;
  /** A file with the archive: a new one in `folder`, or the origin's own, which is left alone. */
  fetch(folder: string, signal: AbortSignal): Promise<string>;
  /** The same as changes to the content of another export. Undefined when the origin makes none. */
  fetchDelta?(since: string, folder: string, signal: AbortSignal): Promise<string | undefined>;
}

export interface Source {
  /** For people and for the record: the address without anything secret. */
  origin: string;
  /** `known` is the fingerprint of what was last taken from here. */
  look(known: string | null, signal: AbortSignal): Promise<Offer | 'unchanged'>;
}

/** Why nothing could be had: a closed table, since these are counted. */
export const sourceFailures = {
  link_expired: 'The link has expired, or was cut off.',
  denied: 'The server wants another API key.',
  not_found: 'There is nothing at the address.',
  not_ready: 'What is there is still being made.',
  unreachable: 'The origin cannot be reached.',
  broken_off: 'The download broke off.',
  too_large: 'The archive is larger than one may be.',
  disk_full: 'The disk is full.',
} as const satisfies Record<string, string>;
export type SourceFailure = keyof typeof sourceFailures;

export class SourceError extends Error {
  override name = 'SourceError';
  readonly failure: SourceFailure;

  constructor(failure: SourceFailure, detail: string) {
    super(`${sourceFailures[failure]} ${detail}`);
    this.failure = failure;
  }
}
