/**
 * The only module that holds the key of a model: calls the endpoint, retries temporary failures and classifies
 * the others. The key never appears in results or errors.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { EgressPolicy } from '../../egress/addresses.ts';
import { guardedFetch } from '../../egress/guarded-fetch.ts';
import { ModelError, type Model, type ModelAnswer, type ModelRequest } from '../contract.ts';
import { failureOf, maxAttemptsAfter } from './endpoint-errors.ts';
import { ProviderError, withExtras, type ModelSettings } from './endpoint.ts';
import type { EndpointRequest } from './external-request.ts';
import { tolerantFetch } from './tolerant-fetch.ts';
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
  /** Ends an answer that never ends. Slow answers are limited by the next two. */
  callSeconds: number;
  /** Covers the time in which a server processes the prompt. */
  firstByteSeconds: number;
  /** Maximum time between two pieces of an answer. */
  idleSeconds: number;
  bytes: number;
}

export const defaultGatewayLimits: GatewayLimits = {
  attempts: 5,
  pauseSeconds: 1,
  maxPauseSeconds: 60,
  callSeconds: 7200,
  firstByteSeconds: 600,
  idleSeconds: 60,
  bytes: 20_000_000,
};

export function createModel(settings: ModelSettings, options: GatewayOptions): Model {
  const limits = limitsOf(settings, options);
  const fetch = tolerantFetch(settings.provider, endpointFetch(settings, options, limits));
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

function limitsOf({ firstByteSeconds, idleSeconds }: ModelSettings, options: GatewayOptions): GatewayLimits {
  return {
    ...defaultGatewayLimits,
    ...(firstByteSeconds === undefined ? {} : { firstByteSeconds }),
    ...(idleSeconds === undefined ? {} : { idleSeconds }),
    ...options.limits,
  };
}

function endpointFetch(
  settings: ModelSettings,
  { egress }: GatewayOptions,
  limits: GatewayLimits,
): typeof globalThis.fetch {
  return withExtras(settings, guardedFetch(egress, limits));
}

/** Sends a request of an external agent and resolves with the start of the response. Throws only ModelError. */
export type Forward = (request: EndpointRequest, signal: AbortSignal) => Promise<Response>;

export function createForwarder(settings: ModelSettings, options: GatewayOptions): Forward {
  const limits = limitsOf(settings, options);
  const fetch = endpointFetch(settings, options, limits);
  const base = settings.url.replace(/(?<!\/)\/+$/, '');
  return ({ path, headers, body }, signal) =>
    withRetries(settings, limits, signal, async () => {
      const stop = AbortSignal.any([signal, AbortSignal.timeout(limits.callSeconds * 1000)]);
      const response = await fetch(`${base}/${path}`, {
        method: 'POST',
        headers: { ...headers, ...headersOf(settings) },
        body,
        signal: stop,
      });
      if (response.ok) return response;
      const errorText = (await response.text()).slice(0, maxErrorCharacters);
      if (response.status === 404 && path === 'responses') throw new ProviderError(noResponses, 404);
      throw new ProviderError(errorText, response.status, response.headers.get('retry-after'));
    });
}

const maxErrorCharacters = 10_000;
const noResponses =
  'It does not serve /responses. Use an endpoint that does, or an agent that sends chat completions.';

function headersOf({ provider, key }: ModelSettings): Record<string, string> {
  const version = provider === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {};
  return {
    'content-type': 'application/json',
    ...version,
    ...(key === null ? {} : keyHeaders[provider](key)),
  };
}

const keyHeaders: Record<ModelSettings['provider'], (key: string) => Record<string, string>> = {
  openai: (key) => ({ authorization: `Bearer ${key}` }),
  anthropic: (key) => ({ 'x-api-key': key }),
  gemini: (key) => ({ 'x-goog-api-key': key }),
};

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
      if (attempt >= maxAttemptsAfter(error, limits.attempts)) throw failureOf(error, settings);
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
  const own = { role: 'assistant' as const, ...answer };
  const usage = {
    ...answer.usage,
    inputTokens: answer.usage.inputTokens || estimatedTokens(messages),
    outputTokens: answer.usage.outputTokens || estimatedTokens([own]),
  };
  return { ...answer, usage };
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
