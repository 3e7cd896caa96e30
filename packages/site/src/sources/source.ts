/** Sources of bundles. `look` is cheap; only new content is fetched. Content is not inspected here. */
import type { peerFetch } from '../network/peers.ts';

/** A fetch that respects the offline setting. */
export type Fetch = ReturnType<typeof peerFetch>;

export interface Offer {
  /** Identifies the content at the origin; null if only a download can tell. */
  fingerprint: string | null;
  /** Of the archive, if the origin announces it. */
  sha256: string | null;
  /** Undefined if the origin does not announce it. */
  version: string | null | undefined;
  /** The export, if a Docyard server offers it. */
  jobId: string | null;
  /** The path of the archive: a new file in `folder`, or the origin's file, which must not be changed. */
  fetch(folder: string, signal: AbortSignal): Promise<string>;
  /** Fetches the delta since another export. Undefined if the origin has none. */
  fetchDelta?(since: string, folder: string, signal: AbortSignal): Promise<string | undefined>;
}

export interface Source {
  /** The address without secrets. */
  origin: string;
  /** `known` is the fingerprint of the last installed bundle of this source. */
  look(known: string | null, signal: AbortSignal): Promise<Offer | 'unchanged'>;
}

/** A closed table, because failures are counted. */
export const sourceFailures = {
  link_expired: 'The link has expired or is incomplete.',
  denied: 'The server rejected the API key.',
  not_found: 'There is nothing at the address.',
  not_ready: 'The bundle is not ready yet.',
  unreachable: 'The origin cannot be reached.',
  broken_off: 'The download was interrupted.',
  too_large: 'The archive is too large.',
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
