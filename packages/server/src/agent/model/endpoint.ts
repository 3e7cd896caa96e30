/**
 * Settings and errors of a model endpoint, separate from `providers.ts` so that importing them does not load
 * the AI library.
 */
import type { ModelOptions, modelProviders } from '@docyard/api';
import { objectOf, type Json } from './json-fields.ts';

export interface ModelSettings extends ModelOptions {
  provider: (typeof modelProviders)[number];
  url: string;
  key: string | null;
  name: string;
  /** Extra request headers. Their values are secret. */
  headers?: Record<string, string> | undefined;
}

/** The values that must not appear in results, errors or logs. */
export function secretsOf({ key, headers = {} }: Pick<ModelSettings, 'key' | 'headers'>): string[] {
  return [...(key === null ? [] : [key]), ...Object.values(headers)];
}

const limitFields = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'];

type Extras = Pick<ModelSettings, 'provider' | 'headers' | 'body' | 'temperature' | 'maxOutputTokens'>;

/** A `fetch` that adds the configured headers and body fields to every request. */
export function withExtras(settings: Extras, fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  const { provider, headers = {} } = settings;
  const completed = provider === 'gemini' ? geminiBody : plainBody;
  return (input, init) => {
    const sent = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) sent.set(name, value);
    return fetch(input, { ...init, headers: sent, body: JSON.stringify(completed(bodyOf(init), settings)) });
  };
}

function plainBody(given: Json, { body, ...settings }: Extras): Json {
  return { ...withLimits(given, settings), ...body };
}

/** Gemini has the settings of an answer in one field. */
function geminiBody(given: Json, { body = {}, ...settings }: Extras): Json {
  const generationConfig = withLimits(objectOf(given['generationConfig']) ?? {}, settings);
  const { maxOutputTokens } = generationConfig;
  const extra = { ...generationConfig, ...objectOf(body['generationConfig']) };
  return {
    ...given,
    ...body,
    generationConfig: { ...extra, ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }) },
  };
}

function withLimits(given: Json, { temperature, maxOutputTokens = Infinity }: Omit<Extras, 'body'>): Json {
  const limits = limitFields.flatMap((field): [string, number][] => {
    const limit = given[field];
    return typeof limit === 'number' ? [[field, Math.min(limit, maxOutputTokens)]] : [];
  });
  return {
    ...given,
    ...Object.fromEntries(limits),
    ...(temperature === undefined ? {} : { temperature }),
  };
}

export function bodyOf(init: RequestInit | undefined): Json {
  if (typeof init?.body !== 'string') throw new TypeError('Only JSON text can be sent.');
  return JSON.parse(init.body) as Json;
}

/** Newer OpenAI models reject `max_tokens`, the only name that compatible servers know. */
export function limitFieldOf({ provider, url }: Pick<ModelSettings, 'provider' | 'url'>): string {
  const isOwnHost = /(?:^|\.)openai\.(?:com|azure\.com)$/.test(new URL(url).hostname);
  return provider === 'openai' && isOwnHost ? 'max_completion_tokens' : 'max_tokens';
}

export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly status: number | null;
  readonly retryAfter: string | null;

  constructor(message: string, status: number | null = null, retryAfter: string | null = null) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}
