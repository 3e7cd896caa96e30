/**
 * A `fetch` for libraries that make their own requests: checks and pins the address, streams the response and
 * follows no redirects.
 */
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { EgressError, type EgressPolicy, addressesFor, hostName } from './addresses.ts';
import { abortable, send } from './fetch.ts';

export interface StreamLimits {
  bytes: number;
  /** Maximum time without data during the response, and before it unless `firstByteSeconds` is set. */
  idleSeconds: number;
  firstByteSeconds?: number;
}

export class SilentHostError extends EgressError {
  readonly limit: 'firstByteSeconds' | 'idleSeconds';

  constructor(limit: SilentHostError['limit'], message: string) {
    super('unavailable', message);
    this.name = 'SilentHostError';
    this.limit = limit;
  }
}

/** Throws an EgressError, or the reason of the signal. */
export function guardedFetch(policy: EgressPolicy, limits: StreamLimits): typeof fetch {
  return async (input, { method = 'GET', headers, body, signal } = {}) => {
    if (body !== undefined && body !== null && typeof body !== 'string') {
      throw new TypeError('Only text can be sent.');
    }
    const url = new URL(input instanceof Request ? input.url : input);
    const silence = silenceTimer(hostName(url), limits);
    const stop = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
    try {
      const addresses = await abortable(addressesFor(url, policy), stop);
      const answer = await send(url, addresses, stop, {
        method,
        headers: Object.fromEntries(new Headers(headers)),
        body: body ?? undefined,
      });
      answer.once('close', () => silence.end());
      return responseOf(answer, limits.bytes, stop, () => silence.onData());
    } catch (error) {
      silence.end();
      stop.throwIfAborted();
      throw error instanceof EgressError
        ? error
        : new EgressError('unavailable', `The host ${hostName(url)} cannot be reached.`);
    }
  };
}

function silenceTimer(host: string, limits: StreamLimits) {
  const { idleSeconds, firstByteSeconds } = limits;
  const controller = new AbortController();
  const start = (limit: SilentHostError['limit'], seconds: number, what: string) =>
    setTimeout(
      () => controller.abort(new SilentHostError(limit, `The host ${host} ${what} ${seconds} seconds.`)),
      seconds * 1000,
    );
  const startIdle = () => start('idleSeconds', idleSeconds, 'sent nothing for');
  let timer =
    firstByteSeconds === undefined
      ? startIdle()
      : start('firstByteSeconds', firstByteSeconds, 'did not start its answer within');
  let hasData = false;
  return {
    signal: controller.signal,
    end: () => clearTimeout(timer),
    onData() {
      if (hasData) return void timer.refresh();
      hasData = true;
      clearTimeout(timer);
      timer = startIdle();
    },
  };
}

const statusesWithoutBody = new Set([204, 205, 304]);

function responseOf(
  answer: IncomingMessage,
  maxBytes: number,
  stop: AbortSignal,
  onData: () => void,
): Response {
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
  const decoded = decodedBody(answer);
  headers.delete('content-encoding');
  headers.delete('content-length');
  const parts = bounded(decoded, maxBytes, stop, onData);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    // Ending the generator would wait for the next part, which some servers never send.
    cancel: () => void answer.destroy(),
  });
  return new Response(body, { status, headers });
}

/** Some proxies compress although the request does not accept it. */
function decodedBody(answer: IncomingMessage): Readable {
  const create = decoders[answer.headers['content-encoding']?.toLowerCase() ?? ''];
  // The stream that is read fails with the error of either one.
  return create === undefined ? answer : pipeline(answer, create(), () => {});
}

const decoders: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

async function* bounded(
  answer: Readable,
  maxBytes: number,
  stop: AbortSignal,
  onData: () => void,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      onData();
      size += part.length;
      if (size > maxBytes) {
        throw new EgressError('too_large', `The response is larger than ${maxBytes / 1e6} MB.`);
      }
      yield new Uint8Array(part);
    }
  } catch (error) {
    // The stream fails with a general error; the signal knows which limit was reached.
    stop.throwIfAborted();
    throw error;
  }
}
