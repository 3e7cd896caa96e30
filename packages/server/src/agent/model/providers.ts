/**
 * Adapter for the `ai` library: sends one request and returns one answer or throws. It runs no tools and does
 * not retry.
 */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  jsonSchema,
  streamText,
  tool,
  type JSONSchema7,
  type LanguageModel,
  type ModelMessage,
  type ToolSet,
} from 'ai';
import { z } from 'zod';
import type { Message, ModelAnswer, ModelRequest, ToolCall } from '../contract.ts';
import { completeAnswer } from './complete-answer.ts';
import { limitFieldOf, ProviderError, type ModelSettings } from './endpoint.ts';
import { isDeeper } from './json-fields.ts';

// The warnings of the library are for developers, not for the operator's log.
globalThis.AI_SDK_LOG_WARNINGS = false;

export async function answerOnce(
  settings: ModelSettings,
  fetch: typeof globalThis.fetch,
  request: ModelRequest,
): Promise<ModelAnswer> {
  try {
    return await readAnswer(settings, fetch, request);
  } catch (error) {
    throw faultOf(error);
  }
}

async function readAnswer(
  settings: ModelSettings,
  fetch: typeof globalThis.fetch,
  { messages, tools, maxOutputTokens, signal, onText }: ModelRequest,
): Promise<ModelAnswer> {
  const [system, conversation] = promptOf(messages, settings.provider);
  const { stream } = streamText({
    model: languageModel(settings, fetch),
    ...(system ? { instructions: system } : {}),
    messages: conversation,
    tools: toolSet(tools),
    maxOutputTokens,
    maxRetries: 0,
    abortSignal: signal,
    // Errors arrive as stream parts; the default handler also prints them.
    onError: () => {},
  });
  const answer: ModelAnswer = {
    text: '',
    calls: [],
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 },
    stopReason: 'other',
  };
  let reasoning = '';
  let isComplete = false;
  for await (const part of stream) {
    switch (part.type) {
      case 'text-delta':
        answer.text += part.text;
        onText?.(part.text);
        break;
      case 'reasoning-delta':
        reasoning += part.text;
        break;
      case 'tool-call':
        answer.calls.push(callOf(part));
        break;
      case 'finish-step':
        isComplete = part.rawFinishReason !== undefined;
        answer.stopReason = stopReasons[part.finishReason] ?? 'other';
        answer.usage = {
          inputTokens: part.usage.inputTokens ?? 0,
          outputTokens: part.usage.outputTokens ?? 0,
          cacheReadTokens: part.usage.inputTokenDetails.cacheReadTokens ?? 0,
        };
        break;
      case 'error':
        throw part.error;
      case 'abort':
        throw signal.reason;
      default:
    }
  }
  if (!isComplete) throw new ProviderError('The answer was interrupted.');
  return completeAnswer(reasoning === '' ? answer : { ...answer, reasoning }, tools);
}

const stopReasons: Record<string, ModelAnswer['stopReason']> = {
  stop: 'end',
  'tool-calls': 'tool-calls',
  length: 'length',
  'content-filter': 'refused',
};

/** Never pass a bare model name: the library would send the request to its vendor's gateway. */
function languageModel(
  { provider, url, key, name }: ModelSettings,
  fetch: typeof globalThis.fetch,
): LanguageModel {
  if (provider === 'anthropic') {
    // Without a key the library reads the environment; endpoints without authentication ignore the header.
    return createAnthropic({ baseURL: url, apiKey: key ?? 'none', fetch })(name);
  }
  if (provider === 'gemini') {
    return createGoogleGenerativeAI({ baseURL: url, apiKey: key ?? 'none', fetch })(name);
  }
  return createOpenAICompatible({
    name: 'openai',
    baseURL: url,
    fetch,
    includeUsage: true,
    ...(key === null ? {} : { apiKey: key }),
    transformRequestBody: ({ max_tokens: limit, ...body }: Record<string, unknown>) => ({
      ...body,
      [limitFieldOf({ provider, url })]: limit,
    }),
  })(name);
}

/** The loop validates arguments with messages for the model; here they only have to be JSON. */
function toolSet(tools: ModelRequest['tools']): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, input }) => {
      const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' });
      return [name, tool({ description, inputSchema: jsonSchema(schema as JSONSchema7) })];
    }),
  );
}

interface Prompted {
  (
    messages: readonly Message[],
    provider: ModelSettings['provider'],
  ): [system: Extract<ModelMessage, { role: 'system' }> | undefined, conversation: ModelMessage[]];
}

/**
 * Anthropic caches up to a mark. The first mark covers the constant part, the others the end of this request
 * and of the previous one, so that each request reads the cache of the last.
 */
const promptOf: Prompted = (messages, provider) => {
  const mark =
    provider === 'anthropic'
      ? { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } }
      : {};
  const system = messages.flatMap((message) => (message.role === 'system' ? message.text : []));
  const rest = messages.filter((message) => message.role !== 'system');
  const marked = new Set([rest.length - 1, rest.findLastIndex(({ role }) => role === 'assistant') - 1]);
  return [
    system.length > 0 ? { role: 'system', content: system.join('\n\n'), ...mark } : undefined,
    rest.map((message, index) => ({
      ...modelMessage(message, provider),
      ...(marked.has(index) ? mark : {}),
    })),
  ];
};

function modelMessage(
  message: Exclude<Message, { role: 'system' }>,
  provider: ModelSettings['provider'],
): ModelMessage {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.text };
    case 'assistant': {
      const { text, reasoning, calls } = message;
      // Some OpenAI-compatible models need their reasoning back between calls; Anthropic requires a signature
      // that is not stored.
      const thoughts = provider === 'openai' && calls.length > 0 ? (reasoning ?? '') : '';
      return {
        role: 'assistant',
        content: [
          ...(thoughts === '' ? [] : [{ type: 'reasoning' as const, text: thoughts }]),
          // Anthropic rejects empty text and empty answers.
          ...(text.trim() === '' && calls.length > 0
            ? []
            : [{ type: 'text' as const, text: text.trim() || '…' }]),
          ...calls.map(({ id, name, input }) => ({
            type: 'tool-call' as const,
            toolCallId: id,
            toolName: name,
            input: objectOf(input),
          })),
        ],
      };
    }
    case 'tool': {
      const type = message.isError ? 'error-text' : 'text';
      return {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: message.callId,
            toolName: message.name,
            output: { type, value: message.text },
          },
        ],
      };
    }
  }
}

/** Both formats accept only objects as arguments. */
function objectOf(input: unknown): unknown {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? input
    : { malformed: typeof input === 'string' ? input.slice(0, 2000) : input };
}

const maxArgumentDepth = 50;

function callOf(part: {
  toolCallId: string;
  toolName: string;
  input: unknown;
  invalid?: boolean | undefined;
}): ToolCall {
  const { toolCallId: id, toolName: name, input } = part;
  // Deeply nested values cannot be serialized.
  if (isDeeper(input, maxArgumentDepth)) return { id, name, input: 'nested too deeply', isMalformed: true };
  // The library also marks calls of unknown tools as invalid.
  return part.invalid && typeof input === 'string'
    ? { id, name, input, isMalformed: true }
    : { id, name, input };
}

function faultOf(error: unknown): unknown {
  if (APICallError.isInstance(error)) {
    const { statusCode, cause } = error;
    // `fetch` itself failed, or the stream of an answer that had begun.
    if (statusCode === undefined || statusCode < 400) return cause === undefined ? error : faultOf(cause);
    const text = error.responseBody === undefined ? error.message : `${error.message} ${error.responseBody}`;
    return new ProviderError(text, statusCode, error.responseHeaders?.['retry-after'] ?? null);
  }
  if (error instanceof Error) return error;
  // The text of an error event is its only common part among endpoints.
  return new ProviderError(JSON.stringify(error) ?? 'The answer contained an error.');
}
