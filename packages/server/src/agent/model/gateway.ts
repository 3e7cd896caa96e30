/**
 * The only holder of a model's key: asks one endpoint, waits and repeats where that helps, and names every other ending.
 * Nothing it throws or returns holds the key.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { EgressError, type EgressPolicy } from '../../egress/addresses.ts';
import { guardedFetch } from '../../egress/guarded-fetch.ts';
import { ModelFailure, type Model, type ModelAnswer, type ModelRequest } from '../contract.ts';
import { ProviderFault, type ModelSettings } from './endpoint.ts';
import { estimatedTokens } from './tokens.ts';

export interface GatewayOptions {
  egress: EgressPolicy;
  limits?: Partial<GatewayLimits>;
}

export interface GatewayLimits {
  /** How often one answer is asked for. */
  attempts: number;
  /** The first pause when the endpoint names none; each further one is twice as long. */
  pauseSeconds: number;
  /** No pause is longer, whatever the endpoint names. */
  longestPauseSeconds: number;
  /** One attempt, from the first byte sent to the last one read. */
  callSeconds: number;
  idleSeconds: number;
  bytes: number;
}

export const usualLimits: GatewayLimits = {
  attempts: 5,
  pauseSeconds: 1,
  longestPauseSeconds: 60,
  callSeconds: 300,
  idleSeconds: 60,
  bytes: 20_000_000,
};

export function createModel(settings: ModelSettings, options: GatewayOptions): Model {
  const limits = { ...usualLimits, ...options.limits };
  const fetch = guardedFetch(options.egress, limits);
  return {
    name: settings.name,
    answer: (request) =>
      repeating(settings, limits, request.signal, async () =>
        metered(await attemptOnce(settings, fetch, request, limits.callSeconds), request),
      ),
  };
}

/** Sends what a foreign agent asks to the endpoint, and resolves when an answer begins. Throws ModelFailure only. */
export type Forward = (body: string, signal: AbortSignal) => Promise<Response>;

export function openForwarding(settings: ModelSettings, options: GatewayOptions): Forward {
  const limits = { ...usualLimits, ...options.limits };
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
    repeating(settings, limits, signal, async () => {
      const stop = AbortSignal.any([signal, AbortSignal.timeout(limits.callSeconds * 1000)]);
      const response = await fetch(url, { method: 'POST', headers, body, signal: stop });
      if (response.ok) return response;
      const words = (await response.text()).slice(0, mostErrorCharacters);
      throw new ProviderFault(words, response.status, response.headers.get('retry-after'));
    });
}

const mostErrorCharacters = 10_000;

async function repeating<Answer>(
  settings: ModelSettings,
  limits: GatewayLimits,
  signal: AbortSignal,
  work: () => Promise<Answer>,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) throw new ModelFailure('cancelled', 'The call was stopped.');
      if (attempt >= limits.attempts || !mayHelpToRepeat(error)) throw failureOf(error, settings);
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
  // The library takes 0.2 s and 48 MB to load, which a service without agent jobs need not pay.
  const { answerOnce } = await import('./providers.ts');
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(callSeconds * 1000)]);
  return answerOnce(settings, fetch, { ...request, signal });
}

/** An endpoint that tells no usage must not make budgets endless. */
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
const passingStatuses = new Set([408, 409, 429, 500, 502, 503, 504, 529]);

function mayHelpToRepeat(error: unknown): boolean {
  if (error instanceof EgressError) return error.problem === 'unavailable';
  if (error instanceof ProviderFault && error.status !== null) {
    return passingStatuses.has(error.status) && !isTooLong(error.message);
  }
  // A connection or an answer that broke, or an error event in the stream.
  return !(error instanceof Error && (isTooLong(error.message) || isRefusal(error.message)));
}

async function pause(
  fault: unknown,
  attempt: number,
  limits: GatewayLimits,
  signal: AbortSignal,
): Promise<void> {
  const retryAfter = fault instanceof ProviderFault ? fault.retryAfter : null;
  const seconds = pauseSecondsFor(retryAfter, attempt, limits, Date.now());
  await delay(seconds * 1000, undefined, { signal }).catch(() => {
    throw new ModelFailure('cancelled', 'The call was stopped.');
  });
}

/** `Retry-After` is a number of seconds or a date; anything else is as good as none. */
export function pauseSecondsFor(
  retryAfter: string | null,
  attempt: number,
  { pauseSeconds, longestPauseSeconds }: Pick<GatewayLimits, 'pauseSeconds' | 'longestPauseSeconds'>,
  nowMilliseconds: number,
): number {
  const given = retryAfter ?? '';
  const asked = /^\d+(\.\d+)?$/.test(given) ? Number(given) : (Date.parse(given) - nowMilliseconds) / 1000;
  const seconds = Number.isNaN(asked) ? pauseSeconds * 2 ** (attempt - 1) : Math.max(0, asked);
  return Math.min(seconds, longestPauseSeconds);
}

function failureOf(error: unknown, settings: ModelSettings): ModelFailure {
  const { host } = new URL(settings.url);
  if (error instanceof EgressError) {
    return new ModelFailure('model_unavailable', [error.message, error.hint].filter(Boolean).join(' '));
  }
  const status = error instanceof ProviderFault ? error.status : null;
  const words = error instanceof Error ? error.message : '';
  // Endpoints repeat parts of a wrong key, so nothing they say about it is passed on.
  if (status === 401 || status === 403) {
    return new ModelFailure(
      'model_auth',
      `The model endpoint ${host} refused the key with status ${status}.`,
    );
  }
  if (isTooLong(words)) {
    return new ModelFailure(
      'context_overflow',
      `The conversation is too long for the model ${settings.name}.`,
    );
  }
  if (isRefusal(words)) return new ModelFailure('refused', 'The model endpoint refused the content.');
  const what = status === null ? 'did not answer properly' : `answered with status ${status}`;
  return new ModelFailure(
    'model_unavailable',
    `The model endpoint ${host} ${what}: ${shown(words, settings)}`,
  );
}

/** How OpenAI, Anthropic, vLLM, llama.cpp and Ollama say it. */
function isTooLong(words: string): boolean {
  return /context[ _](?:length|window|size)|prompt is too long|input is too long|too many (?:input )?tokens|request_too_large/i.test(
    words,
  );
}

function isRefusal(words: string): boolean {
  return /content[ _](?:filter|policy)|content management policy/i.test(words);
}

function shown(words: string, { key }: ModelSettings): string {
  const text = key ? words.replaceAll(key, '***') : words;
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
