/** Classifies the failures of model endpoints by the wording of their messages. */
import { EgressError } from '../../egress/addresses.ts';
import { SilentHostError } from '../../egress/guarded-fetch.ts';
import { ModelError } from '../contract.ts';
import { ProviderError, secretsOf, type ModelSettings } from './endpoint.ts';
import { toolCallAdvice } from './text-calls.ts';

/** Of the request itself. TGI answers 424 when the generation fails. */
const retryableStatuses = new Set([408, 409, 424, 425, 429]);
/** 529 is Anthropic's "overloaded". Their messages may mention tokens or lengths although only the rate is exceeded. */
const rateStatuses = new Set([429, 529]);

/** A silent server takes as long for each attempt, so it gets only a second one. */
export function maxAttemptsAfter(error: unknown, maxAttempts: number): number {
  if (!isRetryable(error)) return 1;
  const isSilent = error instanceof SilentHostError && error.limit === 'firstByteSeconds';
  return isSilent ? Math.min(2, maxAttempts) : maxAttempts;
}

function isRetryable(error: unknown): boolean {
  if (error instanceof EgressError) return error.problem === 'unavailable';
  if (!(error instanceof Error)) return true;
  const status = error instanceof ProviderError ? error.status : null;
  if (status !== null && isRefusedFor(status)) return false;
  const isRate = status !== null && rateStatuses.has(status);
  return isRate || !(isTooLong(error.message) || isRefusal(error.message) || isToolRefusal(error.message));
}

/** A success that is no answer comes from a proxy in front of a server that starts. */
function isRefusedFor(status: number): boolean {
  return status === 501 || (status >= 300 && status < 500 && !retryableStatuses.has(status));
}

export function failureOf(error: unknown, settings: ModelSettings): ModelError {
  const { host } = new URL(settings.url);
  if (error instanceof SilentHostError) {
    return new ModelError('model_unavailable', `${error.message} ${limitAdvice[error.limit]}`);
  }
  if (error instanceof EgressError) {
    return new ModelError('model_unavailable', [error.message, error.hint].filter(Boolean).join(' '));
  }
  const status = error instanceof ProviderError ? error.status : null;
  const errorText = error instanceof Error ? error.message : '';
  // Endpoints quote parts of a wrong key, so their message is not passed on.
  if (status === 401 || status === 403) {
    return new ModelError('model_auth', `The model endpoint ${host} refused the key with status ${status}.`);
  }
  if (!(status !== null && rateStatuses.has(status)) && isTooLong(errorText)) {
    return new ModelError(
      'context_overflow',
      `The conversation is too long for the model ${settings.name}.`,
      { maxContextTokens: maxContextTokensIn(errorText) },
    );
  }
  if (isRefusal(errorText)) return new ModelError('refused', 'The model endpoint refused the content.');
  if (isToolRefusal(errorText)) {
    return new ModelError(
      'model_unavailable',
      `The model endpoint ${host} does not accept tools for the model ${settings.name}. ${toolCallAdvice()}`,
    );
  }
  const what = status === null || status < 400 ? 'did not answer' : `answered with status ${status}`;
  return new ModelError(
    'model_unavailable',
    `The model endpoint ${host} ${what}: ${withoutSecrets(errorText, settings)}`,
  );
}

const limitAdvice = {
  firstByteSeconds: 'Raise firstByteSeconds of the model, in the project or in MODEL_OPTIONS.',
  idleSeconds: 'Raise idleSeconds of the model, in the project or in MODEL_OPTIONS.',
};

const tooLongPhrases = [
  'context length',
  'context limit',
  'context size',
  'context window',
  'context_length',
  'context_size',
  'context_window',
  'contextwindow',
  'exceed context',
  'exceeds the maximum allowed length',
  'input is too long',
  'input token count',
  'max_new_tokens` must be <=',
  'max_tokens must be at least 1, got -',
  'maximum model length',
  'maximum number of tokens allowed',
  'maximum prompt length',
  'inputs` must have less than',
  'prompt is too long',
  'prompt too long',
  'reduce the length of the messages',
  'request_too_large',
  'too many input tokens',
  'too many tokens',
];

function isTooLong(errorText: string): boolean {
  return includesAny(errorText, tooLongPhrases);
}

/** The limit follows the phrase. */
const limitPhrases = [
  'n_ctx',
  'maximum context length is',
  'maximum context length of',
  'context length of only',
  'context length (',
  'available context size (',
  'context window of',
  'context window (',
  'tokens >',
  'must be <=',
  'must have less than',
  'maximum number of tokens allowed (',
  'maximum allowed length (',
  'maximum model length of',
  'maximum prompt length is',
  'too large for model with',
];
const maxGapCharacters = 8;
/** Some versions of vLLM report what is left instead of the limit. */
const minContextTokens = 256;

export function maxContextTokensIn(errorText: string): number | undefined {
  const text = errorText.toLowerCase();
  const found = limitPhrases.flatMap((phrase) => {
    const at = text.indexOf(phrase);
    return at === -1 ? [] : numberAt(text, at + phrase.length);
  });
  // "190000 + 20000 > 200000"
  const sum = text.includes('context limit') ? numberAt(text, text.lastIndexOf('>') + 1) : [];
  return [...found, ...sum].find((count) => count >= minContextTokens);
}

function numberAt(text: string, start: number): number[] {
  const match = /\d[\d,]*/.exec(text.slice(start, start + maxGapCharacters + 12));
  if (!match || match.index > maxGapCharacters) return [];
  return [Number(match[0].replaceAll(',', ''))];
}

function isRefusal(errorText: string): boolean {
  return includesAny(errorText, [
    'content filter',
    'content_filter',
    'content policy',
    'content_policy',
    'content management policy',
  ]);
}

const toolRefusalPhrases = [
  '--enable-auto-tool-choice',
  '--tool-call-parser',
  '--jinja',
  'does not support tool',
  'does not support function',
  "doesn't support tool",
  'function calling is not',
  'support tool use',
  'tool calling is not',
  'tool use is not supported',
  'tools are not supported',
  'unsupported param: tools',
];

function isToolRefusal(errorText: string): boolean {
  return includesAny(errorText, toolRefusalPhrases);
}

function includesAny(errorText: string, phrases: readonly string[]): boolean {
  const text = errorText.toLowerCase();
  return phrases.some((phrase) => text.includes(phrase));
}

const maxErrorCharacters = 300;

function withoutSecrets(errorText: string, settings: ModelSettings): string {
  const text = secretsOf(settings)
    .filter((secret) => secret !== '')
    .reduce((clean, secret) => clean.replaceAll(secret, '***'), errorText);
  return text.length > maxErrorCharacters ? `${text.slice(0, maxErrorCharacters)}…` : text;
}
