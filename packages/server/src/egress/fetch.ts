/**
 * Fetches one document from another host within limits of size and time. The address is checked before it is
 * dialed, and redirects to other hosts are not followed.
 */
import type { IncomingMessage } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { EgressError, type EgressPolicy, UnreachableError, addressesFor, hostName } from './addresses.ts';

export interface FetchLimits {
  bytes: number;
  seconds: number;
  /** Until the first byte; defaults to `seconds`. */
  answerSeconds?: number;
}

/** Large enough for the API descriptions of real products. */
const defaultLimits: FetchLimits = { bytes: 20_000_000, seconds: 20, answerSeconds: 10 };
const maxRedirects = 3;

type Headers = Record<string, string>;
const defaultAccept = 'application/json, application/yaml, text/yaml, */*';

export interface FetchOptions {
  signal?: AbortSignal | undefined;
  limits?: FetchLimits;
  /** Only a preference; the response may have any type. */
  accept?: string;
  userAgent?: string;
}

/** The EgressError contains nothing of the response. */
export async function fetchDocument(
  address: string,
  policy: EgressPolicy,
  { signal, limits = defaultLimits, accept = defaultAccept, userAgent = 'docyard' }: FetchOptions = {},
): Promise<Uint8Array> {
  const deadline = AbortSignal.timeout(limits.seconds * 1000);
  const silence = new AbortController();
  const answerSeconds = limits.answerSeconds ?? limits.seconds;
  const timer = setTimeout(() => silence.abort(), answerSeconds * 1000);
  const stop = AbortSignal.any([deadline, silence.signal, ...(signal ? [signal] : [])]);
  let url = parsed(address);
  try {
    /** Resolved once, so that DNS rebinding between hops has no effect. */
    const addresses = await abortable(addressesFor(url, policy), stop);
    for (let hop = 0; hop <= maxRedirects; hop++) {
      const response = await send(url, addresses, stop, { headers: { accept, 'user-agent': userAgent } });
      clearTimeout(timer);
      const next = redirectOf(response, url);
      if (next === undefined) return await readBody(response, limits.bytes);
      response.destroy();
      url = next;
    }
  } catch (error) {
    if (error instanceof EgressError) throw error;
    signal?.throwIfAborted();
    const reason = deadline.aborted
      ? `did not answer within ${limits.seconds} seconds`
      : silence.signal.aborted
        ? `did not answer within ${answerSeconds} seconds`
        : 'cannot be reached';
    throw new UnreachableError(`The host ${hostName(url)} ${reason}.`);
  } finally {
    clearTimeout(timer);
  }
  throw new EgressError('unavailable', `The host ${hostName(url)} redirects too often.`);
}

function parsed(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url) throw new EgressError('refused', 'The address is not a valid URL.');
  if (url.username !== '' || url.password !== '') {
    throw new EgressError('refused', 'The address must not contain a user name or password.');
  }
  url.hash = '';
  return url;
}

/** One request on a new connection to a checked address. */
export async function send(
  url: URL,
  addresses: readonly string[],
  signal: AbortSignal,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Headers; body?: string | undefined } = {},
): Promise<IncomingMessage> {
  // Loaded lazily, because most sites need no other hosts.
  const { request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'));
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent: false,
      method,
      signal,
      lookup: pinned(addresses),
      headers: { 'user-agent': 'docyard', 'accept-encoding': 'identity', ...headers },
    });
    sent.once('response', resolve);
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Returns the checked addresses instead of resolving again. */
function pinned(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, options, answer) => {
    const [first] = found;
    if (options.all) answer(null, found);
    else answer(null, first?.address ?? '', first?.family ?? 4);
  };
}

function redirectOf(response: IncomingMessage, url: URL): URL | undefined {
  const status = response.statusCode ?? 0;
  const { location } = response.headers;
  if (status === 200) return undefined;
  if (status < 300 || status > 399 || location === undefined || !URL.canParse(location, url.href)) {
    response.destroy();
    throw new EgressError('unavailable', `The host ${hostName(url)} answered with status ${status}.`);
  }
  const next = new URL(location, url);
  if (next.origin !== url.origin || next.username !== '' || next.password !== '') {
    response.destroy();
    throw new EgressError(
      'refused',
      `The host ${hostName(url)} redirects to another one.`,
      'Use the final address.',
    );
  }
  return next;
}

export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = (): EgressError => {
    response.destroy();
    return new EgressError('too_large', `The document is larger than ${maxBytes / 1e6} MB.`);
  };
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) throw tooLarge();
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}

/** Reads the first bytes, regardless of how the body ends. */
export async function readBodyStart(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      size += part.length;
      if (size >= maxBytes) break;
    }
  } catch {
    // The bytes before the failure are kept.
  }
  response.destroy();
  return new Uint8Array(Buffer.concat(parts).subarray(0, maxBytes));
}

/** The system resolver cannot be aborted, only abandoned. */
export function abortable<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    work.then(resolve, reject);
  });
}
