/** Dialects of servers that refuse a field of the request, need one, or answer whole although a stream was requested. */
import { jsonResponse, type Json, type WireRequest, type WireResponse } from '../wire-server.ts';
import { chatStream, chatWhole } from './chat-stream.ts';
import type { Answering, Dialect } from './dialect.ts';

const row = (server: string, quirk: string, answer: Answering, more: Partial<Dialect> = {}): Dialect => ({
  server,
  quirk,
  provider: 'openai',
  answer,
  ...more,
});

/** The refusal comes before everything else, as long as the request is like this. */
function refusing(
  isRefused: (request: WireRequest) => boolean,
  refusal: WireResponse,
  answer: Answering = chatStream(),
): Answering {
  return (turn, request) => (isRefused(request) ? refusal : answer(turn, request));
}

const openaiError = (message: string, status = 400, more: Json = {}): WireResponse =>
  jsonResponse(
    { error: { message, type: 'invalid_request_error', param: null, code: null, ...more } },
    status,
  );

const streams = ({ body }: WireRequest): boolean => body['stream'] === true;
const hasTools = ({ body }: WireRequest): boolean => Array.isArray(body['tools']) && body['tools'].length > 0;
const assistants = ({ body }: WireRequest): Json[] =>
  (body['messages'] as Json[]).filter(({ role }) => role === 'assistant');

export const wholeDialects: readonly Dialect[] = [
  row('any gateway', 'ignores stream and answers with JSON', chatWhole()),
  row(
    'any gateway',
    'answers with JSON and content as parts',
    chatWhole({}, { message: { content: [{ type: 'text', text: 'I look.' }] } }),
  ),
  row(
    'TGI',
    'answers with JSON and arguments as an object',
    chatWhole({ encode: (input) => input, id: () => '0' }),
  ),
  row(
    'any gateway',
    'answers with JSON without id and usage',
    chatWhole(
      {},
      {
        top: { id: undefined, created: undefined, usage: undefined, object: undefined },
      },
    ),
  ),
  row(
    'Ollama',
    'answers with JSON and two calls without ids',
    chatWhole({ id: () => undefined, finish: () => 'stop' }),
    {
      firstCalls: 'two reads',
    },
  ),
  row('DeepSeek', 'answers with empty lines before JSON', (turn, request) => {
    const whole = chatWhole()(turn, request);
    return { ...whole, parts: ['\n\n', '\n', ...whole.parts] };
  }),
];

export const refusalDialects: readonly Dialect[] = [
  row(
    'any gateway',
    'refuses stream',
    refusing(
      streams,
      openaiError('Streaming is not supported for this model. Set stream to false.'),
      chatWhole(),
    ),
  ),
  row(
    'llama.cpp',
    'refuses tools with stream',
    refusing(
      (request) => streams(request) && hasTools(request),
      jsonResponse(
        { error: { code: 500, message: 'Cannot use tools with stream', type: 'server_error' } },
        500,
      ),
      chatWhole(),
    ),
  ),
  row(
    'vLLM',
    'answers 501 to tools with stream',
    refusing(
      (request) => streams(request) && hasTools(request),
      jsonResponse(
        {
          object: 'error',
          message: 'tools are not supported in streaming mode',
          type: 'NotImplementedError',
          code: 501,
        },
        501,
      ),
      chatWhole(),
    ),
  ),
  row(
    'Mistral',
    'refuses stream_options with 422',
    refusing(
      ({ body }) => body['stream_options'] !== undefined,
      jsonResponse(
        {
          object: 'error',
          message: {
            detail: [
              {
                type: 'extra_forbidden',
                loc: ['body', 'stream_options'],
                msg: 'Extra inputs are not permitted',
              },
            ],
          },
        },
        422,
      ),
    ),
  ),
  row(
    'any gateway',
    'refuses stream_options with 400',
    refusing(
      ({ body }) => body['stream_options'] !== undefined,
      openaiError('Unrecognized request argument supplied: stream_options'),
    ),
  ),
  row('any gateway', 'refuses stream_options, then stream', (turn, request) => {
    if (request.body['stream_options'] !== undefined) return openaiError('Unknown field: stream_options');
    if (streams(request)) return openaiError('stream=true is not supported by this deployment');
    return chatWhole()(turn, request);
  }),
  row(
    'OpenAI',
    'refuses max_tokens behind a gateway',
    refusing(
      ({ body }) => body['max_tokens'] !== undefined,
      openaiError(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        400,
        { param: 'max_tokens', code: 'unsupported_parameter' },
      ),
    ),
  ),
  row(
    'any gateway',
    'refuses max_completion_tokens',
    refusing(
      ({ body }) => body['max_completion_tokens'] !== undefined,
      openaiError('Unrecognized request argument supplied: max_completion_tokens'),
    ),
  ),
  row(
    'OpenAI',
    'refuses any temperature',
    refusing(
      ({ body }) => body['temperature'] !== undefined,
      openaiError(
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
      ),
    ),
  ),
  row(
    'any gateway',
    'needs the temperature that is set',
    refusing(({ body }) => body['temperature'] !== 0.2, openaiError('temperature must be 0.2')),
    { settings: { temperature: 0.2 } },
  ),
  row(
    'any gateway',
    'refuses more than 4096 output tokens, as set',
    refusing(
      ({ body }) => Number(body['max_tokens'] ?? body['max_completion_tokens']) > 4096,
      openaiError('max_tokens is too large: 8192. This model supports at most 4096 completion tokens.'),
    ),
    { settings: { maxOutputTokens: 4096 } },
  ),
  row(
    'LiteLLM',
    'needs an extra header',
    refusing(({ headers }) => headers['x-team'] !== 'docs', openaiError('Missing header x-team')),
    { settings: { headers: { 'x-team': 'docs' } } },
  ),
  row(
    'vLLM',
    'needs an extra field of the body',
    refusing(
      ({ body }) => (body['chat_template_kwargs'] as Json | undefined)?.['enable_thinking'] !== false,
      openaiError('chat_template_kwargs.enable_thinking must be false'),
    ),
    { settings: { body: { chat_template_kwargs: { enable_thinking: false } } } },
  ),
  row(
    'Groq',
    'refuses reasoning_content in the conversation',
    refusing(
      (request) => assistants(request).some((message) => message['reasoning_content'] !== undefined),
      openaiError(
        "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
      ),
      chatStream({ reasoning: { field: 'reasoning' }, layout: 'calls' }),
    ),
  ),
  row(
    'DeepSeek',
    'needs its reasoning_content back',
    refusing(
      (request) => assistants(request).some((message) => typeof message['reasoning_content'] !== 'string'),
      openaiError('The reasoning_content in the thinking mode must be passed back to the API.'),
      chatStream({ reasoning: { field: 'reasoning_content' } }),
    ),
  ),
  row(
    'Mistral',
    'needs call ids of nine letters or digits',
    refusing(
      (request) =>
        assistants(request).some(({ tool_calls: calls }) =>
          ((calls ?? []) as Json[]).some(({ id }) => String(id).length !== 9 || String(id).includes('_')),
        ),
      openaiError('Tool call id has to be defined: a-z, A-Z, 0-9, with a length of 9.'),
      chatStream({
        id: ({ id }) => `x${id.replaceAll('call_', '').replaceAll('_', '').padStart(8, '0')}`,
        layout: 'one chunk',
      }),
    ),
    { firstCalls: 'two reads' },
  ),
];

/** Nothing can be done without another setting of the server, and the failure must say so. */
export const unreadableDialects: readonly Dialect[] = (
  [
    [
      'vLLM',
      'runs without a tool parser',
      400,
      '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    ],
    ['llama.cpp', 'runs without --jinja', 500, 'tools param requires --jinja flag'],
    [
      'Ollama',
      'has a model without tool support',
      400,
      'registry.ollama.ai/library/gemma3:4b does not support tools',
    ],
    ['OpenRouter', 'has no provider with tool support', 404, 'No endpoints found that support tool use.'],
  ] as const
).map(([server, quirk, status, message]) =>
  row(server, quirk, () => openaiError(message, status), { ending: 'unreadable' }),
);
