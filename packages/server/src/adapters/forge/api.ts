/**
 * JSON client for the API of a forge: applies egress rules and limits, retries safe requests and classifies
 * failures. Errors never contain a secret.
 */
import type { z } from 'zod';
import { EgressError, type EgressPolicy } from '../../egress/addresses.ts';
import { type OutboundAnswer, sendRequest } from '../../egress/request.ts';
import type { Clock } from '../../ports/clock.ts';
import { ForgeError, type ForgeProblem, type GitCredential } from '../../ports/forge.ts';

export interface Connection {
  policy: EgressPolicy;
  clock: Clock;
  /** Replaceable, so that tests do not wait. */
  pause: (seconds: number, signal: AbortSignal) => Promise<void>;
  limits: { bytes: number; seconds: number };
}

export interface Authority {
  current(signal: AbortSignal): Promise<GitCredential | null>;
  /** Discards a refused credential; true if a new one may succeed. */
  renew?(): boolean;
}

export interface ApiOptions {
  name: string;
  base: URL;
  authority: Authority;
  headers?: Record<string, string>;
  errorText(body: unknown): string | undefined;
  isDuplicate?(status: number, errorText: string): boolean;
}

export interface Call<Answer> {
  /** Relative to the base, with encoded segments. */
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  answer: z.ZodType<Answer>;
  /** A failed POST may have taken effect, so it is repeated only if this is set. */
  isRepeatable?: boolean;
  signal: AbortSignal;
}

export interface Received<Answer> {
  value: Answer;
  /** Lowercase names. */
  headers: ReadonlyMap<string, string>;
}

export interface Api {
  readonly connection: Connection;
  get<Answer>(call: Call<Answer>): Promise<Answer>;
  getWithHeaders<Answer>(call: Call<Answer>): Promise<Received<Answer>>;
  post<Answer>(call: Call<Answer>): Promise<Answer>;
  put<Answer>(call: Call<Answer>): Promise<Answer>;
  patch<Answer>(call: Call<Answer>): Promise<Answer>;
  delete<Answer>(call: Call<Answer>): Promise<Answer>;
}

export const defaultLimits = { bytes: 4_000_000, seconds: 30 };
export const maxTries = 3;
/** A worker does not wait longer for a rate limit. */
export const maxPauseSeconds = 60;

export function connectApi(connection: Connection, options: ApiOptions): Api {
  const call =
    (method: string) =>
    async <Answer>(wanted: Call<Answer>): Promise<Answer> =>
      (await callWithRetries(connection, options, method, wanted)).value;
  return {
    connection,
    get: call('GET'),
    getWithHeaders: (wanted) => callWithRetries(connection, options, 'GET', wanted),
    post: call('POST'),
    put: call('PUT'),
    patch: call('PATCH'),
    delete: call('DELETE'),
  };
}

async function callWithRetries<Answer>(
  connection: Connection,
  options: ApiOptions,
  method: string,
  call: Call<Answer>,
): Promise<Received<Answer>> {
  let hasRenewed = false;
  for (let attempt = 1; ; attempt++) {
    try {
      return await callOnce(connection, options, method, call);
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      if (error.problem === 'auth' && !hasRenewed && options.authority.renew?.() === true) {
        hasRenewed = true;
        continue;
      }
      const mayRepeat = call.isRepeatable ?? method !== 'POST';
      const isRetryable = error.problem === 'rate_limited' || (error.problem === 'unavailable' && mayRepeat);
      const seconds = error.retryAfterSeconds ?? attempt;
      if (!isRetryable || attempt === maxTries || seconds > maxPauseSeconds) throw error;
      await connection.pause(seconds, call.signal);
    }
  }
}

async function callOnce<Answer>(
  connection: Connection,
  options: ApiOptions,
  method: string,
  call: Call<Answer>,
): Promise<Received<Answer>> {
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
  const value = parseJson(answer.body);
  if (answer.status < 200 || answer.status > 299) {
    const errorText = clean(mask(options.errorText(value) ?? '', credential));
    throw failure(options, answer, errorText, connection.clock);
  }
  const checked = call.answer.safeParse(value);
  if (checked.success) return { value: checked.data, headers: answer.headers };
  throw new ForgeError('unavailable', `${options.name} returned an invalid API response.`, {
    hint: 'Check the API address in the settings of the project.',
  });
}

function unreachable(error: EgressError): ForgeError {
  const isRefused = error.problem === 'refused' || error.problem === 'offline';
  const problem: ForgeProblem = isRefused ? 'rejected' : 'unavailable';
  return new ForgeError(problem, error.message, { hint: error.hint });
}

function failure(options: ApiOptions, answer: OutboundAnswer, errorText: string, clock: Clock): ForgeError {
  const { status } = answer;
  const details = errorText === '' ? `status ${status}` : `status ${status}: ${errorText}`;
  const retryAfterSeconds = secondsToWait(answer, clock);
  const fail = (problem: ForgeProblem, sentence: string, hint?: string) =>
    new ForgeError(problem, `${options.name} ${sentence} (${details})`, { hint, retryAfterSeconds });
  if (options.isDuplicate?.(status, errorText) === true)
    return fail('already_exists', 'already has an open pull request.');
  if (status === 429 || (status === 403 && isRateLimit(answer, errorText))) {
    return fail('rate_limited', 'is rate limiting requests.', 'Try again later.');
  }
  if (status === 401) {
    return fail('auth', 'rejected the credential.', 'Check that the token is complete and has not expired.');
  }
  if (status === 403) {
    return fail('auth', 'denied access.', 'Give the token write access to contents and pull requests.');
  }
  if (status === 404) {
    return fail(
      'not_found',
      'cannot find the repository or denies access to it.',
      'Check the repository and the permissions of the token.',
    );
  }
  if (status >= 500) return fail('unavailable', 'failed.');
  if (status >= 300 && status <= 399) {
    return fail('rejected', 'redirects the request.', 'Use the current address of the repository.');
  }
  return fail('rejected', 'rejected the request.');
}

/**
 * GitHub uses 403 for both rate limits: the primary one empties a counter, the secondary one sends Retry-After.
 */
function isRateLimit(answer: OutboundAnswer, errorText: string): boolean {
  return (
    answer.headers.get('x-ratelimit-remaining') === '0' ||
    answer.headers.has('retry-after') ||
    /rate limit/i.test(errorText)
  );
}

/** From Retry-After (seconds or a date), otherwise from the reset time of the limit. */
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

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

const maxMessageCharacters = 300;

/** One line without control characters, because it is logged and shown. */
function clean(errorText: string): string {
  const line = errorText
    .slice(0, 10 * maxMessageCharacters)
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  return line.length > maxMessageCharacters ? `${line.slice(0, maxMessageCharacters)}…` : line;
}

/** Some proxies echo requests. Masks before truncating, because part of a secret would not be recognized. */
function mask(errorText: string, credential: GitCredential | null): string {
  if (credential === null) return errorText;
  const encoded = credential.authorization.split(' ').at(-1) ?? '';
  return [credential.secret, encoded]
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '***'), errorText);
}
