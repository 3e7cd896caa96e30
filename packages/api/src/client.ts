/**
 * The typed client: one call per operation of the table, with retries that are safe because every POST carries
 * an idempotency key. It uses only `fetch`, so it runs in Node and in a bundler for browsers alike.
 */
import { errorTable, type ErrorCode } from './errors.ts';
import {
  operation,
  type Operation,
  type OperationId,
  type OperationInput,
  type OperationResult,
  type Operations,
} from './routes.ts';
import type { ErrorBody } from './schemas.ts';

export interface ClientOptions {
  baseUrl: string;
  /** Left out in a browser, where the cookie of a session counts. */
  apiKey?: string;
  /** Tries in all, the first one included. */
  tries?: number;
  /** Give up on one try after this long. */
  timeoutSeconds?: number;
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** One of your own for a POST, so that the same request of another process counts as a repeat. */
  idempotencyKey?: string;
}

/** Every operation with one answer; a stream of events or a file has none. */
export type CallableId = {
  [Id in OperationId]: Operations[Id]['success'] extends { kind: 'events' | 'file' } ? never : Id;
}[OperationId];

/** The parts an operation has: those that may be left out, and those that may not. */
type Parts<Id extends OperationId> = {
  [K in keyof OperationInput<Id>]: OperationInput<Id>[K] extends undefined ? never : K;
}[keyof OperationInput<Id>];
type OptionalParts<Id extends OperationId> =
  | (Operations[Id] extends { bodyOptional: true } ? 'body' : never)
  | (Record<string, never> extends OperationInput<Id>['query'] ? 'query' : never);
type RequiredParts<Id extends OperationId> = Exclude<Parts<Id>, OptionalParts<Id>>;

type CallInput<Id extends OperationId> = {
  [K in RequiredParts<Id>]: OperationInput<Id>[K];
} & {
  [K in OptionalParts<Id>]?: OperationInput<Id>[K] | undefined;
};

type CallArguments<Id extends OperationId> = [Parts<Id>] extends [never]
  ? [input?: Record<string, never>, options?: CallOptions]
  : [RequiredParts<Id>] extends [never]
    ? [input?: CallInput<Id>, options?: CallOptions]
    : [input: CallInput<Id>, options?: CallOptions];

/** Every operation that answers with a part of a list. */
export type ListId = {
  [Id in CallableId]: OperationResult<Id> extends { data: unknown[]; nextCursor: string | null } ? Id : never;
}[CallableId];
type ItemOf<Id extends ListId> =
  OperationResult<Id> extends { data: (infer Item)[]; nextCursor: string | null } ? Item : never;

/** As much of an error body as can be understood: a newer server may send codes this client does not know. */
interface ReadableError {
  error: string;
  code?: ErrorCode | 'unknown';
  requestId?: string | undefined;
  details?: ErrorBody['details'];
}

/** An answer that is not what was asked for: an error of the table, or something no Docyard server says. */
export class DocyardError extends Error {
  readonly status: number;
  readonly code: NonNullable<ReadableError['code']>;
  readonly requestId: string | undefined;
  readonly details: ErrorBody['details'];
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, body: ReadableError | undefined, retryAfterSeconds: number | undefined) {
    super(body?.error ?? `The server answered ${status}.`);
    this.name = 'DocyardError';
    this.status = status;
    this.code = body?.code ?? 'unknown';
    this.requestId = body?.requestId;
    this.details = body?.details;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** `body` is undefined for a 304, which only a caller that sends `If-None-Match` sees. */
export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

export class DocyardClient {
  readonly #options: ClientOptions;
  /** How long one try may last; whoever asks the server to hold an answer must ask for less. */
  readonly timeoutSeconds: number;

  constructor(options: ClientOptions) {
    // `fetch` would quote the whole key in its complaint.
    if (/[^\x21-\x7e]/.test((options.apiKey ?? '').trim())) {
      throw new TypeError('The API key holds characters that no key has. Was it copied whole and alone?');
    }
    this.#options = options;
    this.timeoutSeconds = options.timeoutSeconds ?? 70;
  }

  /** Calls one operation and returns the body of its answer. */
  async call<Id extends CallableId>(id: Id, ...args: CallArguments<Id>): Promise<OperationResult<Id>> {
    return (await this.answer(id, ...args)).body;
  }

  /** The same with status and headers, for a caller that needs `ETag`, `Retry-After` or `Location`. */
  async answer<Id extends CallableId>(
    id: Id,
    ...[input, options]: CallArguments<Id>
  ): Promise<Answer<OperationResult<Id>>> {
    const request = buildRequest(id, input ?? {}, this.#options, options);
    return (await this.#send(request, options?.signal)) as Answer<OperationResult<Id>>;
  }

  /** Every item of a list, however many requests that takes; `query.limit` is how many come with one. */
  async *each<Id extends ListId>(
    id: Id,
    ...[input, options]: CallArguments<Id>
  ): AsyncGenerator<ItemOf<Id>, void, undefined> {
    const parts: RequestParts = input ?? {};
    let cursor: string | undefined;
    do {
      const query = { ...parts.query, ...(cursor === undefined ? {} : { cursor }) };
      const request = buildRequest(id, { ...parts, query }, this.#options, options);
      const { body } = await this.#send(request, options?.signal);
      const page = body as { data: ItemOf<Id>[]; nextCursor: string | null };
      yield* page.data;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  async #send(request: BuiltRequest, signal: AbortSignal | undefined): Promise<Answer<unknown>> {
    const tries = this.#options.tries ?? clientRetries.tries;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#try(request, signal);
      if (!(outcome instanceof Error)) return outcome;
      if (attempt >= tries || !mayRetry(outcome)) throw outcome;
      await pause(delaySeconds(outcome, attempt), signal);
    }
  }

  /** The body is read in here, so that a connection cut in the middle of it counts as a failed try. */
  async #try(request: BuiltRequest, signal: AbortSignal | undefined): Promise<Answer<unknown> | Error> {
    const deadline = AbortSignal.timeout(this.timeoutSeconds * 1000);
    try {
      const response = await (this.#options.fetch ?? fetch)(request.url, {
        ...request.init,
        redirect: 'manual',
        signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      });
      return await readAnswer(request.operation, response);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

interface RequestParts {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
}

interface BuiltRequest {
  operation: Operation;
  url: URL;
  init: RequestInit;
}

function buildRequest(
  id: OperationId,
  parts: RequestParts,
  client: ClientOptions,
  options: CallOptions | undefined,
): BuiltRequest {
  const described = operation(id);
  const path = described.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = parts.params?.[name] ?? '';
    // These would silently address something else: a dot segment is resolved before the request is sent.
    if (['', '.', '..'].includes(value))
      throw new TypeError(`${id} needs a ${name}; '${value}' cannot be one.`);
    return encodeURIComponent(value);
  });
  const url = new URL(client.baseUrl.replace(/(?<!\/)\/+$/, '') + path);
  for (const [name, value] of Object.entries(parts.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  const headers = new Headers({
    ...(client.apiKey === undefined ? {} : { authorization: `Bearer ${client.apiKey.trim()}` }),
    accept: 'application/json',
  });
  if (described.method === 'post' && !described.keepsNoAnswer) {
    headers.set('idempotency-key', options?.idempotencyKey ?? crypto.randomUUID());
  }
  if (parts.body !== undefined) headers.set('content-type', 'application/json');
  for (const [name, value] of Object.entries(options?.headers ?? {})) headers.set(name, value);
  return {
    operation: described,
    url,
    init: {
      method: described.method.toUpperCase(),
      headers,
      // A key speaks for itself: with one, no cookie goes along.
      credentials: client.apiKey === undefined ? 'same-origin' : 'omit',
      ...(parts.body === undefined ? {} : { body: JSON.stringify(parts.body) }),
    },
  };
}

/** Sorts what came back into an answer of this operation and everything else. Fails only with the connection. */
async function readAnswer(described: Operation, response: Response): Promise<Answer<unknown> | DocyardError> {
  const { status, headers } = response;
  const { success } = described;
  const redirects = status >= 300 && status < 400;
  const succeeded = success.kind === 'redirect' ? redirects : response.ok;
  if (status === 304 || (succeeded && success.kind !== 'json')) {
    await response.body?.cancel();
    return { status, headers, body: undefined };
  }
  const body = parseJson(await response.text());
  if (succeeded && body !== undefined) return { status, headers, body };
  if (status === described.alsoStatus && 'schema' in success && success.schema.safeParse(body).success) {
    return { status, headers, body };
  }
  const error = succeeded
    ? `The server answered ${status}, but not with JSON. Is the base address that of a Docyard server?`
    : `The server answered ${status} and points to ${headers.get('location')}. Is the base address right?`;
  const readable = succeeded || redirects ? { error } : readError(body);
  return new DocyardError(status, readable, retryAfterSeconds(headers));
}

/** By hand, because the client also runs where nothing else of this package does. */
function readError(body: unknown): ReadableError | undefined {
  const { error, code, requestId, details } = (body ?? {}) as Record<string, unknown>;
  if (typeof error !== 'string') return undefined;
  return {
    error,
    code: typeof code === 'string' && Object.hasOwn(errorTable, code) ? (code as ErrorCode) : 'unknown',
    requestId: typeof requestId === 'string' ? requestId : undefined,
    details: Array.isArray(details) && details.every(isDetail) ? details : undefined,
  };
}

function isDetail(value: unknown): value is { path: string; message: string } {
  const { path, message } = (value ?? {}) as Record<string, unknown>;
  return typeof path === 'string' && typeof message === 'string';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How a client repeats a request. A longer `Retry-After` than `maxRetryAfterSeconds` is left to the caller. */
export const clientRetries = { tries: 5, firstSeconds: 0.25, maxSeconds: 8, maxRetryAfterSeconds: 60 };

/** Network failures, overload and restarts pass; a wrong request stays wrong. */
function mayRetry(failure: Error): boolean {
  if (!(failure instanceof DocyardError)) return true;
  if ((failure.retryAfterSeconds ?? 0) > clientRetries.maxRetryAfterSeconds) return false;
  return [408, 429, 502, 503, 504].includes(failure.status) || failure.code === 'idempotency_in_progress';
}

/** What the server asks for, else doubling from a quarter second, with jitter so that clients do not march in step. */
function delaySeconds(failure: Error, attempt: number): number {
  if (failure instanceof DocyardError && failure.retryAfterSeconds !== undefined)
    return failure.retryAfterSeconds;
  const { firstSeconds, maxSeconds } = clientRetries;
  return Math.min(firstSeconds * 2 ** (attempt - 1), maxSeconds) * (0.5 + Math.random() / 2);
}

/** The `Retry-After` header, a number of seconds or a date; undefined when there is none that can be read. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}

/** Rejects with the reason of the signal as soon as it is aborted. */
export function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.max(0, seconds) * 1000,
    );
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}
