/**
 * The typed HTTP client. Retries are safe because every POST carries an idempotency key. It uses only `fetch`, so it runs in
 * Node and in browsers.
 */
import { errorTable, type ErrorCode } from './errors.ts';
import type { OperationRoute } from './operation-route.ts';
import { operationRoutes } from './operation-routes.ts';
import type { OperationId, OperationInput, OperationResult, Operations } from './routes.ts';
import type { ErrorBody } from './schemas.ts';

export interface ClientOptions {
  baseUrl: string;
  /** Omit it in a browser to use the session cookie. */
  apiKey?: string;
  /** Includes the first attempt. */
  tries?: number;
  /** Per attempt. */
  timeoutSeconds?: number;
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
  /** For a POST. Default: a random key per call. */
  idempotencyKey?: string;
}

/** Every operation except event streams and files. */
export type CallableId = {
  [Id in OperationId]: Operations[Id]['success'] extends { kind: 'events' | 'file' } ? never : Id;
}[OperationId];

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

/** Every paginated operation. */
export type ListId = {
  [Id in CallableId]: OperationResult<Id> extends { data: unknown[]; nextCursor: string | null } ? Id : never;
}[CallableId];
type ItemOf<Id extends ListId> =
  OperationResult<Id> extends { data: (infer Item)[]; nextCursor: string | null } ? Item : never;

/** A newer server may send codes that this client does not know. */
interface ReadableError {
  error: string;
  code?: ErrorCode | 'unknown';
  requestId?: string | undefined;
  details?: ErrorBody['details'];
}

/** An error response, or a response that no Docyard server sends. */
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

/** A path parameter is empty or a dot segment. */
export class InvalidParameterError extends TypeError {
  override name = 'InvalidParameterError';
}

/** `body` is undefined for a 304, which only a caller that sends `If-None-Match` sees. */
export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

export class DocyardClient {
  readonly #options: ClientOptions;
  /** Per attempt. `Prefer: wait` must ask for less. */
  readonly timeoutSeconds: number;

  constructor(options: ClientOptions) {
    // The error message of `fetch` would contain the key.
    if (/[^\x21-\x7e]/.test((options.apiKey ?? '').trim())) {
      throw new TypeError(
        'The API key contains invalid characters. Copy the complete key without surrounding text.',
      );
    }
    this.#options = options;
    this.timeoutSeconds = options.timeoutSeconds ?? 70;
  }

  /** Returns the body of the response. */
  async call<Id extends CallableId>(id: Id, ...args: CallArguments<Id>): Promise<OperationResult<Id>> {
    return (await this.answer(id, ...args)).body;
  }

  /** Returns status, headers and body. */
  async answer<Id extends CallableId>(
    id: Id,
    ...[input, options]: CallArguments<Id>
  ): Promise<Answer<OperationResult<Id>>> {
    const request = buildRequest(id, input ?? {}, this.#options, options);
    return (await this.#send(request, options?.signal)) as Answer<OperationResult<Id>>;
  }

  /** Yields every item of a list. `query.limit` is the page size. */
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

  /** Reads the body too, so that a connection lost while reading counts as a failed attempt. */
  async #try(request: BuiltRequest, signal: AbortSignal | undefined): Promise<Answer<unknown> | Error> {
    const deadline = AbortSignal.timeout(this.timeoutSeconds * 1000);
    try {
      const response = await (this.#options.fetch ?? fetch)(request.url, {
        ...request.init,
        redirect: 'manual',
        signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      });
      return await readAnswer(request.route, response);
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
  route: OperationRoute;
  url: URL;
  init: RequestInit;
}

function buildRequest(
  id: OperationId,
  parts: RequestParts,
  client: ClientOptions,
  options: CallOptions | undefined,
): BuiltRequest {
  const route = operationRoutes[id];
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = parts.params?.[name] ?? '';
    // URL parsing resolves dot segments, which would address another resource.
    if (['', '.', '..'].includes(value))
      throw new InvalidParameterError(`${id}: invalid ${name} '${value}'.`);
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
  if (route.method === 'post' && !route.keepsNoAnswer) {
    headers.set('idempotency-key', options?.idempotencyKey ?? crypto.randomUUID());
  }
  if (parts.body !== undefined) headers.set('content-type', 'application/json');
  for (const [name, value] of Object.entries(options?.headers ?? {})) headers.set(name, value);
  return {
    route,
    url,
    init: {
      method: route.method.toUpperCase(),
      headers,
      credentials: client.apiKey === undefined ? 'same-origin' : 'omit',
      ...(parts.body === undefined ? {} : { body: JSON.stringify(parts.body) }),
    },
  };
}

/** Rejects only when the connection fails. */
async function readAnswer(
  route: OperationRoute,
  response: Response,
): Promise<Answer<unknown> | DocyardError> {
  const { status, headers } = response;
  const redirects = status >= 300 && status < 400;
  const succeeded = route.success === 'redirect' ? redirects : response.ok;
  if (status === 304 || (succeeded && route.success !== 'json')) {
    await response.body?.cancel();
    return { status, headers, body: undefined };
  }
  const body = parseJson(await response.text());
  if (succeeded && body !== undefined) return { status, headers, body };
  const { alsoStatus } = route;
  if (status === alsoStatus?.status && hasFields(body, alsoStatus.fields)) return { status, headers, body };
  const error = succeeded
    ? `The server answered ${status} without JSON. Check that baseUrl is the address of a Docyard server.`
    : `The server answered ${status} and redirects to ${headers.get('location')}. Check baseUrl.`;
  const readable = succeeded || redirects ? { error } : readError(body);
  return new DocyardError(status, readable, retryAfterSeconds(headers));
}

function hasFields(body: unknown, names: readonly string[]): boolean {
  return typeof body === 'object' && body !== null && names.every((name) => name in body);
}

/** Validates without zod, which a bundle of the client does not contain. */
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

/** A `Retry-After` longer than `maxRetryAfterSeconds` is left to the caller. */
export const clientRetries = { tries: 5, firstSeconds: 0.25, maxSeconds: 8, maxRetryAfterSeconds: 60 };

function mayRetry(failure: Error): boolean {
  if (!(failure instanceof DocyardError)) return true;
  if ((failure.retryAfterSeconds ?? 0) > clientRetries.maxRetryAfterSeconds) return false;
  return [408, 429, 502, 503, 504].includes(failure.status) || failure.code === 'idempotency_in_progress';
}

/** `Retry-After`, or exponential backoff with jitter. */
function delaySeconds(failure: Error, attempt: number): number {
  if (failure instanceof DocyardError && failure.retryAfterSeconds !== undefined)
    return failure.retryAfterSeconds;
  const { firstSeconds, maxSeconds } = clientRetries;
  return Math.min(firstSeconds * 2 ** (attempt - 1), maxSeconds) * (0.5 + Math.random() / 2);
}

/** Undefined when the header is absent or invalid. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}

/** Rejects with the reason of the signal when it is aborted. */
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
