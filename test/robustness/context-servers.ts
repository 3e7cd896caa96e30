/** What model servers do with a request that exceeds their context, with the texts that they really send. */
import { wires } from '../fakes/model-wire.ts';
import { jsonResponse, type Json, type WireRequest, type WireResponse } from './wire-server.ts';

export interface ContextServer {
  name: string;
  /** The limit holds for the prompt and the requested output together. */
  countsOutput: boolean;
  /** Undefined for a server that drops the oldest messages silently. */
  refuse?: (size: RequestSize) => WireResponse;
}

export interface RequestSize {
  contextTokens: number;
  promptTokens: number;
  outputTokens: number;
}

/** A usual average for prose and JSON. */
const charactersPerToken = 4;

const error = (message: string, more: Json = {}, status = 400): WireResponse =>
  jsonResponse(
    { error: { message, type: 'invalid_request_error', param: null, code: null, ...more } },
    status,
  );

export const contextServers: readonly ContextServer[] = [
  {
    name: 'vLLM',
    countsOutput: true,
    refuse: ({ contextTokens, promptTokens, outputTokens }) =>
      jsonResponse(
        {
          object: 'error',
          message: `This model's maximum context length is ${contextTokens} tokens. However, you requested ${promptTokens + outputTokens} tokens (${promptTokens} in the messages, ${outputTokens} in the completion). Please reduce the length of the messages or completion.`,
          type: 'BadRequestError',
          param: null,
          code: 400,
        },
        400,
      ),
  },
  { name: 'Ollama', countsOutput: false },
  {
    name: 'llama.cpp',
    countsOutput: false,
    refuse: ({ contextTokens, promptTokens }) =>
      error(
        `request (${promptTokens} tokens) exceeds the available context size (${contextTokens} tokens), try increasing it`,
        {
          code: 400,
          type: 'exceed_context_size_error',
          n_prompt_tokens: promptTokens,
          n_ctx: contextTokens,
        },
      ),
  },
  {
    name: 'LM Studio',
    countsOutput: false,
    refuse: ({ contextTokens, promptTokens }) =>
      jsonResponse(
        {
          error: `Trying to keep the first ${promptTokens} tokens when context the overflows. However, the model is loaded with context length of only ${contextTokens} tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input`,
        },
        400,
      ),
  },
  {
    name: 'SGLang',
    countsOutput: true,
    refuse: ({ contextTokens, promptTokens, outputTokens }) =>
      jsonResponse(
        {
          object: 'error',
          message: `Requested token count exceeds the model's maximum context length of ${contextTokens} tokens. You requested a total of ${promptTokens + outputTokens} tokens: ${promptTokens} tokens from the input messages and ${outputTokens} tokens for the completion.`,
          type: 'BadRequestError',
          code: 400,
        },
        400,
      ),
  },
  {
    name: 'TGI',
    countsOutput: true,
    refuse: ({ contextTokens, promptTokens, outputTokens }) =>
      jsonResponse(
        {
          error: `Input validation error: \`inputs\` tokens + \`max_new_tokens\` must be <= ${contextTokens}. Given: ${promptTokens} \`inputs\` tokens and ${outputTokens} \`max_new_tokens\``,
          error_type: 'validation',
        },
        422,
      ),
  },
  {
    name: 'LiteLLM',
    countsOutput: true,
    refuse: ({ contextTokens, promptTokens, outputTokens }) =>
      error(
        `litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - This model's maximum context length is ${contextTokens} tokens. However, your messages resulted in ${promptTokens + outputTokens} tokens.`,
        { code: '400' },
      ),
  },
];

export function sizeOf({ body }: WireRequest, contextTokens: number): RequestSize {
  return {
    contextTokens,
    promptTokens: tokensOf([body['messages'], body['tools']]),
    outputTokens: Number(body['max_tokens'] ?? body['max_completion_tokens'] ?? 0),
  };
}

export function isTooLong({ countsOutput }: ContextServer, size: RequestSize): boolean {
  return size.promptTokens + (countsOutput ? size.outputTokens : 0) > size.contextTokens;
}

/** The system message stays; the oldest of the others are dropped until the rest fits. */
export function truncated({ body }: WireRequest, contextTokens: number): Json[] {
  const messages = body['messages'] as Json[];
  const system = messages.filter(({ role }) => role === 'system');
  const rest = messages.filter(({ role }) => role !== 'system');
  while (rest.length > 1 && tokensOf([...system, ...rest, body['tools']]) > contextTokens) rest.shift();
  return [...system, ...rest];
}

export function tokensOf(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / charactersPerToken);
}

/** The answers of the tools to the last turn of the model, oldest first. */
export function lastResults(request: WireRequest, messages: readonly Json[]): string[] {
  const wire = wires.find(({ path }) => request.path.endsWith(path));
  const read = wire?.conversation({ ...request.body, messages }).messages ?? [];
  const last = read.findLastIndex(({ role }) => role === 'assistant');
  return read.slice(last + 1).flatMap((message) => (message.role === 'tool' ? message.text : []));
}
