import { describe, expect, test } from 'vitest';
import { SilentHostError } from '../../egress/guarded-fetch.ts';
import { failureOf, maxAttemptsAfter, maxContextTokensIn } from './endpoint-errors.ts';
import { ProviderError, type ModelSettings } from './endpoint.ts';

const settings: ModelSettings = {
  provider: 'openai',
  url: 'https://models.example.com/v1',
  key: 'sk-very-secret-1234',
  name: 'scribe-1',
  headers: { 'x-team': 'team-secret-5678' },
};

describe('a context error is recognized, with its limit', () => {
  test.each([
    [
      'vLLM',
      400,
      "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.",
      16_384,
    ],
    [
      'vLLM with input tokens',
      400,
      "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 5000 input tokens",
      32_768,
    ],
    [
      'vLLM with what is left instead of the limit',
      400,
      "This model's maximum context length is 3 tokens. However, your request has 8 input tokens.",
      undefined,
    ],
    [
      'vLLM for the prompt alone',
      400,
      'The decoder prompt (length 40000) is longer than the maximum model length of 32768. Make sure that `max_model_len` is no smaller than the number of text tokens.',
      32_768,
    ],
    ['vLLM without room for an answer', 400, 'max_tokens must be at least 1, got -186.', undefined],
    ['Ollama', 400, 'the input length exceeds the context length', undefined],
    ['Ollama natively', 400, 'prompt too long; exceeded max context length by 12 tokens', undefined],
    [
      'llama.cpp',
      400,
      '{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":14429,"n_ctx":8192}}',
      8192,
    ],
    [
      'llama.cpp with the limit in the message',
      400,
      'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
      8192,
    ],
    ['llama-cpp-python', 400, 'Requested tokens (2285) exceed context window of 2048', 2048],
    [
      'LM Studio',
      400,
      'Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
      4096,
    ],
    [
      'LM Studio, newer',
      400,
      'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.',
      4096,
    ],
    [
      'SGLang',
      400,
      "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
      40_960,
    ],
    [
      'SGLang with the answer',
      400,
      "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens",
      32_768,
    ],
    [
      'SGLang for its memory',
      400,
      'Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).',
      59_862,
    ],
    [
      'TGI',
      422,
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 500 `max_new_tokens`',
      4096,
    ],
    [
      'TGI for the prompt alone',
      422,
      'Input validation error: `inputs` must have less than 4095 tokens. Given: 5000',
      4095,
    ],
    [
      'LiteLLM',
      400,
      "litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - This model's maximum context length is 16384 tokens. However, your request has 19427 input tokens.",
      16_384,
    ],
    [
      'OpenAI',
      400,
      'This model\'s maximum context length is 128000 tokens. However, your messages resulted in 202868 tokens. "code": "context_length_exceeded"',
      128_000,
    ],
    [
      'OpenAI, newer',
      400,
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      undefined,
    ],
    ['Anthropic', 400, 'prompt is too long: 210000 tokens > 200000 maximum', 200_000],
    [
      'Anthropic with the answer',
      400,
      'input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000, decrease input length or `max_tokens` and try again',
      200_000,
    ],
    ['Anthropic for large requests', 413, '{"type":"request_too_large"}', undefined],
    ['Bedrock', 400, 'ValidationException: Input is too long for requested model.', undefined],
    [
      'Gemini',
      400,
      'The input token count (314175) exceeds the maximum number of tokens allowed (131072).',
      131_072,
    ],
    [
      'Mistral',
      400,
      'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      32_768,
    ],
    [
      'xAI',
      400,
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      131_072,
    ],
  ])('%s', (_, status, message, limit) => {
    const error = new ProviderError(message, status);
    expect(maxAttemptsAfter(error, 5)).toBe(1);
    expect(failureOf(error, settings)).toMatchObject({
      reason: 'context_overflow',
      maxContextTokens: limit,
    });
  });
});

test('a rate limit that counts tokens is retried and is not a context error', () => {
  const error = new ProviderError('Too many tokens, please wait before trying again.', 429);
  expect(maxAttemptsAfter(error, 5)).toBe(5);
  expect(failureOf(error, settings).reason).toBe('model_unavailable');
});

test.each([424, 429, 500, 524, 529, 200])('a response with status %s is requested again', (status) => {
  expect(maxAttemptsAfter(new ProviderError('Something failed.', status), 5)).toBe(5);
});

test.each([302, 400, 401, 404, 422, 501])('a response with status %s is final', (status) => {
  expect(maxAttemptsAfter(new ProviderError('Something failed.', status), 5)).toBe(1);
});

test('a number with separators is read', () => {
  expect(maxContextTokensIn('The maximum context length is 8,192 tokens.')).toBe(8192);
});

test.each([
  ['Ollama', 400, 'registry.ollama.ai/library/gemma:2b does not support tools'],
  ['vLLM', 400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  ['llama.cpp', 500, 'tools param requires --jinja flag'],
  ['llama.cpp, older', 500, 'Unsupported param: tools'],
  ['OpenRouter', 404, 'No endpoints found that support tool use.'],
])('a refusal of tools by %s is not retried and names the setting of the server', (_, status, message) => {
  const error = new ProviderError(message, status);
  expect(maxAttemptsAfter(error, 5)).toBe(1);
  const failure = failureOf(error, settings);
  expect(failure.reason).toBe('model_unavailable');
  expect(failure.message).toContain('--enable-auto-tool-choice --tool-call-parser');
});

test('a silent host is reported with the setting to change', () => {
  const first = new SilentHostError(
    'firstByteSeconds',
    'The host did not start its answer within 600 seconds.',
  );
  const idle = new SilentHostError('idleSeconds', 'The host sent nothing for 60 seconds.');
  expect(failureOf(first, settings).message).toContain('Raise firstByteSeconds of the model');
  expect(failureOf(idle, settings).message).toContain('Raise idleSeconds of the model');
  expect([maxAttemptsAfter(first, 5), maxAttemptsAfter(idle, 5)]).toEqual([2, 5]);
});

test('keys and header values are masked in errors', () => {
  const error = new ProviderError('Wrong sk-very-secret-1234 for team-secret-5678.', 400);
  expect(failureOf(error, settings).message).toMatch(/Wrong \*\*\* for \*\*\*\.$/);
});
