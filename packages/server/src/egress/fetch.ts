/**
 * Fetches one document of another host, within limits of size and time, from an address that was checked before it is
 * dialled. It follows no redirect to another host, sends nothing of ours and keeps nothing.
 */
import type { IncomingMessage } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { EgressError, type EgressPolicy, UnreachableError, addressesFor, hostName } from './addresses.ts';

export interface FetchLimits {
  bytes: number;
  seconds: number;
  /** Until the host begins to answer; all of `seconds` without it. */
  answerSeconds?: number;
}

/** The largest descriptions of real APIs are about 12 MB. */
const usualLimits: FetchLimits = { bytes: 20_000_000, seconds: 20, answerSeconds: 10 };
const mostRedirects = 3;

type Headers = Record<string, string>;
const usuallyAccepted = 'application/json, application/yaml, text/yaml, */*';

export interface FetchOptions {
  signal?: AbortSignal | undefined;
  limits?: FetchLimits;
  /** What the other side is asked for; what it sends may be anything. */
  accept?: string;
}

/** Throws an EgressError that says what is wrong and nothing of what the other side sent. */
export async function fetchDocument(
  address: string,
  policy: EgressPolicy,
  { signal, limits = usualLimits, accept = usuallyAccepted }: FetchOptions = {},
): Promise<Uint8Array> {
  const deadline = AbortSignal.timeout(limits.seconds * 1000);
  const silence = new AbortController();
  const answerSeconds = limits.answerSeconds ?? limits.seconds;
  const timer = setTimeout(() => silence.abort(), answerSeconds * 1000);
  const stop = AbortSignal.any([deadline, silence.signal, ...(signal ? [signal] : [])]);
  let url = parsed(address);
  try {
    /** Asked once for the whole fetch: a name that changes its answer in between changes nothing here. */
    const addresses = await abortable(addressesFor(url, policy), stop);
    for (let hop = 0; hop <= mostRedirects; hop++) {
      const response = await send(url, addresses, stop, { headers: { accept } });
      clearTimeout(timer);
      const next = redirectOf(response, url);
      if (next === undefined) return await readBody(response, limits.bytes);
      response.destroy();
      url = next;
    }
  } catch (error) {
    if (error instanceof EgressError) throw error;
    signal?.throwIfAborted();
    const late = deadline.aborted
      ? `did not answer within ${limits.seconds} seconds`
      : silence.signal.aborted
        ? `did not answer within ${answerSeconds} seconds`
        : 'cannot be reached';
    throw new UnreachableError(`The host ${hostName(url)} ${late}.`);
  } finally {
    clearTimeout(timer);
  }
  throw new EgressError('unavailable', `The host ${hostName(url)} redirects too often.`);
}

function parsed(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url) throw new EgressError('refused', 'The address is no URL.');
  if (url.username !== '' || url.password !== '') {
    throw new EgressError('refused', 'The address must not carry a user name or password.');
  }
  url.hash = '';
  return url;
}

/** One request on a connection of its own to an address that was checked. */
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
  // Most sites need nothing of other hosts; this takes 50 ms to load.
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

/** Answers with what was checked, whatever the name says by now. */
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

export async function readBody(response: IncomingMessage, mostBytes: number): Promise<Uint8Array> {
  const tooLarge = (): EgressError => {
    response.destroy();
    return new EgressError('too_large', `The document is larger than ${mostBytes / 1e6} MB.`);
  };
  if (Number(response.headers['content-length'] ?? 0) > mostBytes) throw tooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > mostBytes) throw tooLarge();
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}

/** The first bytes, however long the answer is and however it ends. */
export async function readBodyStart(response: IncomingMessage, mostBytes: number): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      size += part.length;
      if (size >= mostBytes) break;
    }
  } catch {
    // What came before the break is all there is.
  }
  response.destroy();
  return new Uint8Array(Buffer.concat(parts).subarray(0, mostBytes));
}

/** The system's resolver cannot be stopped, only left behind. */
export function abortable<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    work.then(resolve, reject);
  });
}
