/**
 * A `fetch` for libraries that make their own requests: checks and pins the address, streams the response and
 * follows no redirects.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { EgressError, type EgressPolicy, addressesFor, hostName } from './addresses.ts';
import { abortable, send } from './fetch.ts';

export interface StreamLimits {
  bytes: number;
  /** Maximum time without data, before and during the response. */
  idleSeconds: number;
}

/** Throws an EgressError, or the reason of the signal. */
export function guardedFetch(policy: EgressPolicy, limits: StreamLimits): typeof fetch {
  return async (input, { method = 'GET', headers, body, signal } = {}) => {
    if (body !== undefined && body !== null && typeof body !== 'string') {
      throw new TypeError('Only text can be sent.');
    }
    const url = new URL(input instanceof Request ? input.url : input);
    const silence = new AbortController();
    const timer = setTimeout(() => {
      const message = `The host ${hostName(url)} sent nothing for ${limits.idleSeconds} seconds.`;
      silence.abort(new EgressError('unavailable', message));
    }, limits.idleSeconds * 1000);
    const stop = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    try {
      const addresses = await abortable(addressesFor(url, policy), stop);
      const answer = await send(url, addresses, stop, {
        method,
        headers: Object.fromEntries(new Headers(headers)),
        body: body ?? undefined,
      });
      answer.once('close', () => clearTimeout(timer));
      return responseOf(answer, limits.bytes, () => timer.refresh());
    } catch (error) {
      clearTimeout(timer);
      stop.throwIfAborted();
      throw error instanceof EgressError
        ? error
        : new EgressError('unavailable', `The host ${hostName(url)} cannot be reached.`);
    }
  };
}

const statusesWithoutBody = new Set([204, 205, 304]);

function responseOf(answer: IncomingMessage, maxBytes: number, onData: () => void): Response {
  const status = answer.statusCode ?? 0;
  const headers = new Headers(
    Object.entries(answer.headersDistinct).flatMap(([name, values]) =>
      (values ?? []).map((value): [string, string] => [name, value]),
    ),
  );
  if (statusesWithoutBody.has(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  // Node and the DOM declare different types for the same stream.
  const body = Readable.toWeb(Readable.from(bounded(answer, maxBytes, onData))) as unknown as ReadableStream;
  return new Response(body, { status, headers });
}

async function* bounded(
  answer: IncomingMessage,
  maxBytes: number,
  onData: () => void,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    onData();
    size += part.length;
    if (size > maxBytes) {
      throw new EgressError('too_large', `The response is larger than ${maxBytes / 1e6} MB.`);
    }
    yield new Uint8Array(part);
  }
}
