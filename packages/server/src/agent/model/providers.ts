/**
 * One step of a model over the `ai` library: our conversation in, one answer out, or a fault that says what happened.
 * The only file that knows the library. It never runs a tool, never repeats a request and decides nothing.
 */
import { createAnthropic } from '@ai-sdk/anthropic';
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
import { limitFieldOf, ProviderFault, type ModelSettings } from './endpoint.ts';

// What the library has to say about settings is for developers; the log is for operators.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Throws a ProviderFault, or whatever `fetch` threw. */
export async function answerOnce(
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
    // Faults arrive as parts of the stream; without this they are also printed.
    onError: () => {},
  });
  const answer: ModelAnswer = {
    text: '',
    calls: [],
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 },
    stopReason: 'other',
  };
  let reasoning = '';
  let isWhole = false;
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
        isWhole = part.rawFinishReason !== undefined;
        answer.stopReason = stopReasons[part.finishReason] ?? 'other';
        answer.usage = {
          inputTokens: part.usage.inputTokens ?? 0,
          outputTokens: part.usage.outputTokens ?? 0,
          cacheReadTokens: part.usage.inputTokenDetails.cacheReadTokens ?? 0,
        };
        break;
      case 'error':
        throw faultOf(part.error);
      case 'abort':
        throw signal.reason;
      default:
    }
  }
  if (!isWhole) throw new ProviderFault('The answer broke off.');
  return reasoning === '' ? answer : { ...answer, reasoning };
}

const stopReasons: Record<string, ModelAnswer['stopReason']> = {
  stop: 'end',
  'tool-calls': 'tool-calls',
  length: 'length',
  'content-filter': 'refused',
};

/** Never a name alone: the library would send that to its maker's own service. */
function languageModel(
  { provider, url, key, name }: ModelSettings,
  fetch: typeof globalThis.fetch,
): LanguageModel {
  if (provider === 'anthropic') {
    // Without a key the library would look into the environment; such an endpoint ignores the header.
    return createAnthropic({ baseURL: url, apiKey: key ?? 'none', fetch })(name);
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

/** Arguments are checked by the loop, with words that a model can act on; here they only have to be JSON. */
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
 * Anthropic caches up to a mark. The first mark covers what never changes, the others the end of this request and the
 * end of the one before, so that each request reads what the last one wrote.
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
      // Some OpenAI-compatible models want their thoughts back between calls; Anthropic's need a signature we lack.
      const thoughts = provider === 'openai' && calls.length > 0 ? (reasoning ?? '') : '';
      return {
        role: 'assistant',
        content: [
          ...(thoughts === '' ? [] : [{ type: 'reasoning' as const, text: thoughts }]),
          // An empty text is refused by Anthropic, and so is an answer of nothing.
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

/** Both formats take only objects as arguments, so what was none goes back inside one. */
function objectOf(input: unknown): unknown {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? input
    : { malformed: typeof input === 'string' ? input.slice(0, 2000) : input };
}

const deepestArguments = 50;

function callOf(part: {
  toolCallId: string;
  toolName: string;
  input: unknown;
  invalid?: boolean | undefined;
}): ToolCall {
  const { toolCallId: id, toolName: name, input } = part;
  // What is nested by the thousand cannot be written down, and no tool wants it.
  if (isDeeper(input, deepestArguments)) return { id, name, input: 'nested too deeply', isMalformed: true };
  // The library also marks calls of tools that do not exist; those have arguments like all others.
  return part.invalid && typeof input === 'string'
    ? { id, name, input, isMalformed: true }
    : { id, name, input };
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function faultOf(error: unknown): unknown {
  if (APICallError.isInstance(error)) {
    // Without a status `fetch` itself failed, and what it threw says more.
    if (error.statusCode === undefined) return error.cause ?? error;
    const words = error.responseBody === undefined ? error.message : `${error.message} ${error.responseBody}`;
    return new ProviderFault(words, error.statusCode, error.responseHeaders?.['retry-after'] ?? null);
  }
  if (error instanceof Error) return error;
  // An error event: its text is the only thing all endpoints have in common.
  return new ProviderFault(JSON.stringify(error) ?? 'The answer held an error.');
}
