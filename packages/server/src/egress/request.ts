/**
 * Sends one request to another host and returns the complete response. Addresses are checked and pinned.
 * Redirects are not followed, because the headers may contain secrets.
 */
import { EgressError, type EgressPolicy, addressesFor, hostName } from './addresses.ts';
import { type FetchLimits, abortable, readBody, readBodyStart, send } from './fetch.ts';

export interface OutboundRequest {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface OutboundAnswer {
  status: number;
  /** Lowercase names; of repeated headers the first. */
  headers: ReadonlyMap<string, string>;
  body: Uint8Array;
}

export interface RequestOptions {
  signal: AbortSignal;
  limits: FetchLimits;
  /** Accepts a truncated body, for callers that need only the status. */
  cutBody?: boolean;
}

/** The EgressError contains nothing of the request. */
export async function sendRequest(
  { url, method, headers, body }: OutboundRequest,
  policy: EgressPolicy,
  { signal, limits, cutBody = false }: RequestOptions,
): Promise<OutboundAnswer> {
  const deadline = AbortSignal.timeout(limits.seconds * 1000);
  const stop = AbortSignal.any([signal, deadline]);
  try {
    const addresses = await abortable(addressesFor(url, policy), stop);
    const answer = await send(url, addresses, stop, { method, headers, body });
    const received = Object.entries(answer.headersDistinct).map(
      ([name, values]) => [name, values?.[0] ?? ''] as const,
    );
    return {
      status: answer.statusCode ?? 0,
      headers: new Map(received),
      body: await (cutBody ? readBodyStart : readBody)(answer, limits.bytes),
    };
  } catch (error) {
    if (error instanceof EgressError) throw error;
    signal.throwIfAborted();
    const late = deadline.aborted ? `did not answer within ${limits.seconds} seconds` : 'cannot be reached';
    throw new EgressError('unavailable', `The host ${hostName(url)} ${late}.`);
  }
}
