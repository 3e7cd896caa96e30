/**
 * What is known of a model's endpoint, and how it fails. Apart from `providers.ts`, so that naming them does not load
 * the library.
 */
export interface ModelSettings {
  provider: 'openai' | 'anthropic';
  /** The address that `/chat/completions` or `/messages` is put behind. */
  url: string;
  /** Null for an endpoint that wants none. */
  key: string | null;
  name: string;
}

/** OpenAI's own newer models refuse the old name of this field, which is the only one that others know. */
export function limitFieldOf({ provider, url }: Pick<ModelSettings, 'provider' | 'url'>): string {
  const isOwnHost = /(?:^|\.)openai\.(?:com|azure\.com)$/.test(new URL(url).hostname);
  return provider === 'openai' && isOwnHost ? 'max_completion_tokens' : 'max_tokens';
}

/** What the other side did instead of answering. */
export class ProviderFault extends Error {
  override name = 'ProviderFault';
  /** Null when there was no answer at all, or when it broke off. */
  readonly status: number | null;
  readonly retryAfter: string | null;

  constructor(message: string, status: number | null = null, retryAfter: string | null = null) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}
