/**
 * The only module that holds the key of a model: calls the endpoint, retries temporary failures and classifies
 * the others. The key never appears in results or errors.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { EgressError, type EgressPolicy } from '../../egress/addresses.ts';
import { guardedFetch } from '../../egress/guarded-fetch.ts';
import { ModelError, type Model, type ModelAnswer, type ModelRequest } from '../contract.ts';
import { ProviderError, type ModelSettings } from './endpoint.ts';
import { estimatedTokens } from './tokens.ts';

export interface GatewayOptions {
  egress: EgressPolicy;
  limits?: Partial<GatewayLimits>;
}

export interface GatewayLimits {
  attempts: number;
  /** The first pause without `Retry-After`; doubles with each attempt. */
  pauseSeconds: number;
  /** Also limits `Retry-After`. */
  maxPauseSeconds: number;
  callSeconds: number;
  idleSeconds: number;
  bytes: number;
}

export const defaultGatewayLimits: GatewayLimits = {
  attempts: 5,
  pauseSeconds: 1,
  maxPauseSeconds: 60,
  callSeconds: 300,
  idleSeconds: 60,
  bytes: 20_000_000,
};

export function createModel(settings: ModelSettings, options: GatewayOptions): Model {
  const limits = { ...defaultGatewayLimits, ...options.limits };
  const fetch = guardedFetch(options.egress, limits);
  return {
    name: settings.name,
    contextTokens: settings.contextTokens ?? null,
    maxOutputTokens: settings.maxOutputTokens ?? null,
    answer: (request) =>
      withRetries(settings, limits, request.signal, async () =>
        metered(await attemptOnce(settings, fetch, request, limits.callSeconds), request),
      ),
  };
}

/** Sends a request of an external agent and resolves with the start of the response. Throws only ModelError. */
export type Forward = (body: string, signal: AbortSignal) => Promise<Response>;

export function createForwarder(settings: ModelSettings, options: GatewayOptions): Forward {
  const limits = { ...defaultGatewayLimits, ...options.limits };
  const fetch = guardedFetch(options.egress, limits);
  const { provider, key } = settings;
  const path = provider === 'anthropic' ? 'messages' : 'chat/completions';
  const url = `${settings.url.replace(/(?<!\/)\/+$/, '')}/${path}`;
  const headers = {
    'content-type': 'application/json',
    ...(provider === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {}),
    ...(key === null
      ? {}
      : provider === 'anthropic'
        ? { 'x-api-key': key }
        : { authorization: `Bearer ${key}` }),
  };
  return (body, signal) =>
    withRetries(settings, limits, signal, async () => {
      const stop = AbortSignal.any([signal, AbortSignal.timeout(limits.callSeconds * 1000)]);
      const response = await fetch(url, { method: 'POST', headers, body, signal: stop });
      if (response.ok) return response;
      const errorText = (await response.text()).slice(0, maxErrorCharacters);
      throw new ProviderError(errorText, response.status, response.headers.get('retry-after'));
    });
}

const maxErrorCharacters = 10_000;

async function withRetries<Answer>(
  settings: ModelSettings,
  limits: GatewayLimits,
  signal: AbortSignal,
  work: () => Promise<Answer>,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) throw new ModelError('cancelled', 'The call was stopped.');
      if (attempt >= limits.attempts || !isRetryable(error)) throw failureOf(error, settings);
      await pause(error, attempt, limits, signal);
    }
  }
}

async function attemptOnce(
  settings: ModelSettings,
  fetch: typeof globalThis.fetch,
  request: ModelRequest,
  callSeconds: number,
): Promise<ModelAnswer> {
  // Loads the AI library only when an agent job needs it.
  const { answerOnce } = await import('./providers.ts');
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(callSeconds * 1000)]);
  return answerOnce(settings, fetch, { ...request, signal });
}

/** Estimates missing usage, so that budgets stay effective. */
function metered(answer: ModelAnswer, { messages }: ModelRequest): ModelAnswer {
  if (answer.usage.inputTokens > 0 || answer.usage.outputTokens > 0) return answer;
  const own = { role: 'assistant' as const, ...answer };
  const usage = {
    inputTokens: estimatedTokens(messages),
    outputTokens: estimatedTokens([own]),
    cacheReadTokens: 0,
  };
  return { ...answer, usage };
}

/** 529 is Anthropic's "overloaded". */
const retryableStatuses = new Set([408, 409, 429, 500, 502, 503, 504, 529]);

function isRetryable(error: unknown): boolean {
  if (error instanceof EgressError) return error.problem === 'unavailable';
  if (error instanceof ProviderError && error.status !== null) {
    return retryableStatuses.has(error.status) && !isTooLong(error.message);
  }
  // A broken connection or an error event in the stream.
  return !(error instanceof Error && (isTooLong(error.message) || isRefusal(error.message)));
}

async function pause(
  fault: unknown,
  attempt: number,
  limits: GatewayLimits,
  signal: AbortSignal,
): Promise<void> {
  const retryAfter = fault instanceof ProviderError ? fault.retryAfter : null;
  const seconds = pauseSecondsFor(retryAfter, attempt, limits, Date.now());
  await delay(seconds * 1000, undefined, { signal }).catch(() => {
    throw new ModelError('cancelled', 'The call was stopped.');
  });
}

/** `Retry-After` is a number of seconds or a date. */
export function pauseSecondsFor(
  retryAfter: string | null,
  attempt: number,
  { pauseSeconds, maxPauseSeconds }: Pick<GatewayLimits, 'pauseSeconds' | 'maxPauseSeconds'>,
  nowMilliseconds: number,
): number {
  const given = retryAfter ?? '';
  const requested = /^\d+(\.\d+)?$/.test(given)
    ? Number(given)
    : (Date.parse(given) - nowMilliseconds) / 1000;
  const seconds = Number.isNaN(requested) ? pauseSeconds * 2 ** (attempt - 1) : Math.max(0, requested);
  return Math.min(seconds, maxPauseSeconds);
}

function failureOf(error: unknown, settings: ModelSettings): ModelError {
  const { host } = new URL(settings.url);
  if (error instanceof EgressError) {
    return new ModelError('model_unavailable', [error.message, error.hint].filter(Boolean).join(' '));
  }
  const status = error instanceof ProviderError ? error.status : null;
  const errorText = error instanceof Error ? error.message : '';
  // Endpoints quote parts of a wrong key, so their message is not passed on.
  if (status === 401 || status === 403) {
    return new ModelError('model_auth', `The model endpoint ${host} refused the key with status ${status}.`);
  }
  if (isTooLong(errorText)) {
    return new ModelError('context_overflow', `The conversation is too long for the model ${settings.name}.`);
  }
  if (isRefusal(errorText)) return new ModelError('refused', 'The model endpoint refused the content.');
  const what = status === null ? 'did not answer' : `answered with status ${status}`;
  return new ModelError(
    'model_unavailable',
    `The model endpoint ${host} ${what}: ${maskKey(errorText, settings)}`,
  );
}

/** As worded by OpenAI, Anthropic, vLLM, llama.cpp and Ollama. */
function isTooLong(errorText: string): boolean {
  return /context[ _](?:length|window|size)|prompt is too long|input is too long|too many (?:input )?tokens|request_too_large/i.test(
    errorText,
  );
}

function isRefusal(errorText: string): boolean {
  return /content[ _](?:filter|policy)|content management policy/i.test(errorText);
}

function maskKey(errorText: string, { key }: ModelSettings): string {
  const text = key ? errorText.replaceAll(key, '***') : errorText;
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
