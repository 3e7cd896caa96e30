/**
 * JSON calls to the API of a forge: through the egress rules, within limits of size and time, repeated where that is
 * harmless, every failure typed. Knows no forge by name. What it throws holds the forge's words, never a secret.
 */
import type { z } from 'zod';
import { EgressError, type EgressPolicy } from '../../egress/addresses.ts';
import { type OutboundAnswer, sendRequest } from '../../egress/request.ts';
import type { Clock } from '../../ports/clock.ts';
import { ForgeError, type ForgeProblem, type GitCredential } from '../../ports/forge.ts';

/** What every adapter is given by the composition. */
export interface Connection {
  policy: EgressPolicy;
  clock: Clock;
  /** Waits; tests do not. */
  pause: (seconds: number, signal: AbortSignal) => Promise<void>;
  limits: { bytes: number; seconds: number };
}

export interface Authority {
  /** What the next request is sent with. */
  current(signal: AbortSignal): Promise<GitCredential | null>;
  /** Drops what was refused; true when a fresh one may do better. */
  renew?(): boolean;
}

export interface ApiOptions {
  /** Of the forge, as people write it. */
  name: string;
  base: URL;
  authority: Authority;
  headers?: Record<string, string>;
  /** The forge's own sentence in the body of a failure. */
  words(body: unknown): string | undefined;
  /** Whether a refusal means that there is an open pull request already. */
  isDuplicate?(status: number, words: string): boolean;
}

export interface Call<Answer> {
  /** Below the base, each part encoded. */
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  answer: z.ZodType<Answer>;
  /** A POST is not repeated when the forge may have done it though it failed to say so, unless this is set. */
  isRepeatable?: boolean;
  signal: AbortSignal;
}

export interface Api {
  readonly connection: Connection;
  get<Answer>(call: Call<Answer>): Promise<Answer>;
  post<Answer>(call: Call<Answer>): Promise<Answer>;
  put<Answer>(call: Call<Answer>): Promise<Answer>;
  patch<Answer>(call: Call<Answer>): Promise<Answer>;
}

/** A pull request of GitHub with two whole repositories in it is about 25 kB. */
export const usualLimits = { bytes: 4_000_000, seconds: 30 };
export const maxTries = 3;
/** A worker waits no longer than this for a limit to pass; the job says when to come back. */
export const longestPauseSeconds = 60;

export function connectApi(connection: Connection, options: ApiOptions): Api {
  const call =
    (method: string) =>
    <Answer>(wanted: Call<Answer>): Promise<Answer> =>
      callWithRetries(connection, options, method, wanted);
  return { connection, get: call('GET'), post: call('POST'), put: call('PUT'), patch: call('PATCH') };
}

async function callWithRetries<Answer>(
  connection: Connection,
  options: ApiOptions,
  method: string,
  call: Call<Answer>,
): Promise<Answer> {
  let renewed = false;
  for (let attempt = 1; ; attempt++) {
    try {
      return await callOnce(connection, options, method, call);
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      if (error.problem === 'auth' && !renewed && options.authority.renew?.() === true) {
        renewed = true;
        continue;
      }
      const mayRepeat = call.isRepeatable ?? method !== 'POST';
      const harmless = error.problem === 'rate_limited' || (error.problem === 'unavailable' && mayRepeat);
      const seconds = error.retryAfterSeconds ?? attempt;
      if (!harmless || attempt === maxTries || seconds > longestPauseSeconds) throw error;
      await connection.pause(seconds, call.signal);
    }
  }
}

async function callOnce<Answer>(
  connection: Connection,
  options: ApiOptions,
  method: string,
  call: Call<Answer>,
): Promise<Answer> {
  const credential = await options.authority.current(call.signal);
  const url = new URL(`${options.base.href.replace(/\/$/, '')}${call.path}`);
  url.search = new URLSearchParams(call.query).toString();
  const headers: Record<string, string> = { accept: 'application/json', ...options.headers };
  if (credential !== null) headers['authorization'] = credential.authorization;
  if (call.body !== undefined) headers['content-type'] = 'application/json';
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const { policy, limits } = connection;
  const answer = await sendRequest({ url, method, headers, body }, policy, {
    signal: call.signal,
    limits,
  }).catch((error: unknown) => {
    throw error instanceof EgressError ? unreachable(error) : error;
  });
  const value = parsed(answer.body);
  if (answer.status < 200 || answer.status > 299) {
    const words = clean(mask(options.words(value) ?? '', credential));
    throw failure(options, answer, words, connection.clock);
  }
  const checked = call.answer.safeParse(value);
  if (checked.success) return checked.data;
  throw new ForgeError('unavailable', `${options.name} answered with something that is not its API.`, {
    hint: 'Check the address of the API in the settings of the project.',
  });
}

function unreachable(error: EgressError): ForgeError {
  const isOurs = error.problem === 'refused' || error.problem === 'offline';
  const problem: ForgeProblem = isOurs ? 'rejected' : 'unavailable';
  return new ForgeError(problem, error.message, { hint: error.hint });
}

function failure(options: ApiOptions, answer: OutboundAnswer, words: string, clock: Clock): ForgeError {
  const { status } = answer;
  const said = words === '' ? `status ${status}` : `status ${status}: ${words}`;
  const retryAfterSeconds = secondsToWait(answer, clock);
  const fail = (problem: ForgeProblem, sentence: string, hint?: string) =>
    new ForgeError(problem, `${options.name} ${sentence} (${said})`, { hint, retryAfterSeconds });
  if (options.isDuplicate?.(status, words) === true) return fail('already_exists', 'has it already.');
  if (status === 429 || (status === 403 && isRateLimit(answer, words))) {
    return fail('rate_limited', 'wants fewer requests.', 'Try again later.');
  }
  if (status === 401) {
    return fail(
      'auth',
      'does not know the credential.',
      'Check that the token is complete and has not expired.',
    );
  }
  if (status === 403) {
    return fail('auth', 'does not allow this.', 'Give the token write access to contents and pull requests.');
  }
  if (status === 404) {
    return fail(
      'not_found',
      'does not have it, or hides it.',
      'Check the repository and what the token may see.',
    );
  }
  if (status >= 500) return fail('unavailable', 'has a fault.');
  if (status >= 300 && status <= 399) {
    return fail('rejected', 'sends the request elsewhere.', 'Use the present address of the repository.');
  }
  return fail('rejected', 'refused the request.');
}

/** GitHub says 403 for both limits of it: the hourly one empties a counter, the other sends Retry-After. */
function isRateLimit(answer: OutboundAnswer, words: string): boolean {
  return (
    answer.headers.get('x-ratelimit-remaining') === '0' ||
    answer.headers.has('retry-after') ||
    /rate limit/i.test(words)
  );
}

/** From Retry-After (seconds or a date), else from the moment at which the limit begins anew. */
function secondsToWait({ headers, status }: OutboundAnswer, clock: Clock): number | undefined {
  const nowSeconds = clock.now().getTime() / 1000;
  const after = headers.get('retry-after');
  if (after !== undefined) {
    const seconds = /^\d{1,9}$/.test(after) ? Number(after) : Date.parse(after) / 1000 - nowSeconds;
    return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
  }
  const reset = headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset');
  if ((status !== 403 && status !== 429) || reset === undefined || !/^\d{1,12}$/.test(reset))
    return undefined;
  return Math.max(0, Math.ceil(Number(reset) - nowSeconds));
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

const mostWords = 300;

/** One line without control and direction characters, because it ends up in logs and on pages. */
function clean(words: string): string {
  const line = words
    .slice(0, 10 * mostWords)
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  return line.length > mostWords ? `${line.slice(0, mostWords)}…` : line;
}

/** Some proxies repeat what they were sent. Done before the text is cut, or half a secret would stay. */
function mask(words: string, credential: GitCredential | null): string {
  if (credential === null) return words;
  const encoded = credential.authorization.split(' ').at(-1) ?? '';
  return [credential.secret, encoded]
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '***'), words);
}
