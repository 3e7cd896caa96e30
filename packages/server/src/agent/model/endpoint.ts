/**
 * Settings and errors of a model endpoint, separate from `providers.ts` so that importing them does not load
 * the AI library.
 */
export interface ModelSettings {
  provider: 'openai' | 'anthropic';
  url: string;
  key: string | null;
  name: string;
  contextTokens?: number | undefined;
  maxOutputTokens?: number | undefined;
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
