/** Streams the answer of an OpenAI-compatible or Anthropic endpoint that the operator configures. */
import { createParser } from 'eventsource-parser';
import { z } from 'zod';
import type { ModelSettings } from './answer-settings.ts';
import { bearer, checkedData, dataIn, ModelError, postJson, textOf, textPieces } from './model-endpoint.ts';
import type { Prompt } from './prompt.ts';
import type { TokenUsage } from './question.ts';

export type ModelEvent = { text: string } | { usage: Partial<TokenUsage> };

interface Asking {
  maxAnswerTokens: number;
  signal: AbortSignal;
  offline: boolean;
}

const anthropicVersion = '2023-06-01';

const tokens = z.number().int().min(0).catch(0);
const OpenAiUsage = z.object({ prompt_tokens: tokens, completion_tokens: tokens }).nullish();
const OpenAiChoice = z.object({
  delta: z.object({ content: z.string().nullish() }).nullish(),
  message: z.object({ content: z.string().nullish() }).nullish(),
});
const OpenAi = z.object({
  choices: z.array(OpenAiChoice).default([]),
  usage: OpenAiUsage,
  error: z.unknown().optional(),
});
const AnthropicUsage = z
  .object({ input_tokens: tokens.optional(), output_tokens: tokens.optional() })
  .nullish();
const Anthropic = z.object({
  type: z.string(),
  delta: z.object({ text: z.string().nullish() }).nullish(),
  content: z.array(z.object({ text: z.string().nullish() })).nullish(),
  message: z.object({ usage: AnthropicUsage }).nullish(),
  usage: AnthropicUsage,
});

export async function* askModel(
  model: ModelSettings,
  prompt: Prompt,
  { maxAnswerTokens, signal, offline }: Asking,
): AsyncGenerator<ModelEvent> {
  const { path, headers, body, read } = wireOf(model, prompt, maxAnswerTokens);
  const response = await postJson(`${model.url}${path}`, {
    headers,
    body,
    signal,
    offline,
    settings: {
      key: 'assistant.keyFile',
      request: 'assistant.modelUrl, assistant.model and assistant.provider',
    },
  });
  const isStream = (response.headers.get('content-type') ?? '').includes('text/event-stream');
  if (isStream) for await (const data of eventsOf(response)) yield* read(dataIn(data));
  else yield* read(dataIn(await textOf(response)));
}

interface Wire {
  path: string;
  headers: Record<string, string>;
  body: object;
  read(data: unknown): ModelEvent[];
}

function wireOf({ provider, name, key }: ModelSettings, prompt: Prompt, maxAnswerTokens: number): Wire {
  const common = { model: name, max_tokens: maxAnswerTokens, stream: true };
  if (provider === 'anthropic')
    return {
      path: '/messages',
      headers: { 'anthropic-version': anthropicVersion, ...(key === null ? {} : { 'x-api-key': key }) },
      body: { ...common, system: prompt.system, messages: prompt.messages },
      read: readAnthropic,
    };
  return {
    path: '/chat/completions',
    headers: bearer(key),
    body: {
      ...common,
      stream_options: { include_usage: true },
      messages: [{ role: 'system', content: prompt.system }, ...prompt.messages],
    },
    read: readOpenAi,
  };
}

function readOpenAi(data: unknown): ModelEvent[] {
  const { choices, usage, error } = checkedData(OpenAi, data);
  if (error !== undefined && error !== null) throw new ModelError('it reported an error in its stream');
  const [choice] = choices;
  const text = choice?.delta?.content ?? choice?.message?.content ?? '';
  const used = usage && { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens };
  return [...(text === '' ? [] : [{ text }]), ...(used ? [{ usage: used }] : [])];
}

function readAnthropic(data: unknown): ModelEvent[] {
  const { type, delta, content, message, usage: ofEvent } = checkedData(Anthropic, data);
  if (type === 'error') throw new ModelError('it reported an error in its stream');
  const text = delta?.text ?? content?.map((block) => block.text ?? '').join('') ?? '';
  const usage = ofEvent ?? message?.usage;
  const used: Partial<TokenUsage> = {
    ...(usage?.input_tokens === undefined ? {} : { inputTokens: usage.input_tokens }),
    ...(usage?.output_tokens === undefined ? {} : { outputTokens: usage.output_tokens }),
  };
  return [...(text === '' ? [] : [{ text }]), ...(usage ? [{ usage: used }] : [])];
}

/** The data of each event. A stream that ends early is an error. */
async function* eventsOf(response: Response): AsyncGenerator<string> {
  const waiting: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => waiting.push(data) });
  let isComplete = false;
  for await (const piece of textPieces(response)) {
    parser.feed(piece);
    for (const data of waiting.splice(0)) {
      isComplete ||=
        data === '[DONE]' || data.includes('"message_stop"') || /"finish_reason":\s?"/.test(data);
      if (data !== '[DONE]') yield data;
    }
  }
  if (!isComplete) throw new ModelError('its response ended early');
}
