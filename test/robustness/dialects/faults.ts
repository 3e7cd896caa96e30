/** Servers that fail once and answer the next request: overload, restarts, proxies, cut connections. */
import { jsonResponse, type Json, type WireRequest, type WireResponse } from '../wire-server.ts';
import { chatChunks, chatStream, eventResponse, eventTexts } from './chat-stream.ts';
import type { Answering, Dialect, ModelTurn } from './dialect.ts';

/** The second request fails: it follows the first tool result, so a lost answer would lose work. */
function failingOnce(
  failure: (turn: ModelTurn, request: WireRequest) => WireResponse,
  answer: Answering = chatStream(),
): Answering {
  return (turn, request) => (request.number === 1 ? failure(turn, request) : answer(turn, request));
}

function row(
  server: string,
  quirk: string,
  failure: (turn: ModelTurn, request: WireRequest) => WireResponse,
): Dialect {
  return { server, quirk, provider: 'openai', answer: failingOnce(failure) };
}

const error = (status: number, body: unknown, headers?: Record<string, string>) => () =>
  jsonResponse(body, status, headers);
const html = (status: number, title: string) => (): WireResponse => ({
  status,
  headers: { 'content-type': 'text/html' },
  parts: [`<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`],
});
const events =
  (...chunks: Json[]) =>
  (): WireResponse =>
    eventResponse(chunks);
const chunk = (delta: Json, finish: string | null = null): Json => ({
  id: 'x',
  object: 'chat.completion.chunk',
  created: 0,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
/** The stream stops after this part of its events. */
const cutAt =
  (share: number) =>
  (turn: ModelTurn, request: WireRequest): WireResponse => {
    const whole = eventTexts(chatChunks(turn, request, {}));
    return {
      headers: { 'content-type': 'text/event-stream' },
      parts: whole.slice(0, Math.ceil(whole.length * share)),
      end: 'broken',
    };
  };

export const faultDialects: readonly Dialect[] = [
  row(
    'OpenAI',
    'answers 429 with Retry-After in seconds',
    error(
      429,
      { error: { message: 'Rate limit reached', code: 'rate_limit_exceeded' } },
      { 'retry-after': '1' },
    ),
  ),
  row('Azure OpenAI', 'answers 429 with Retry-After as a date', () =>
    jsonResponse({ error: { code: '429', message: 'Requests have exceeded the rate limit.' } }, 429, {
      'retry-after': new Date(Date.now() + 1000).toUTCString(),
    }),
  ),
  row(
    'Groq',
    'answers 429 without Retry-After',
    error(429, { error: { message: 'Rate limit reached for model', type: 'tokens' } }),
  ),
  row(
    'OpenAI',
    'answers 500',
    error(500, {
      error: { message: 'The server had an error while processing your request.', type: 'server_error' },
    }),
  ),
  row(
    'llama.cpp',
    'answers 503 while it loads the model',
    error(503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }),
  ),
  row(
    'TGI',
    'answers 429 while it is overloaded',
    error(429, { error: 'Model is overloaded', error_type: 'overloaded' }),
  ),
  row(
    'TGI',
    'answers 424 when the generation fails',
    error(424, {
      error: 'Request failed during generation: Server error: CUDA out of memory',
      error_type: 'generation',
    }),
  ),
  row(
    'Ollama',
    'answers 500 when its runner stops',
    error(500, {
      error: {
        message: 'model runner has unexpectedly stopped, this may be due to resource limitations',
        type: 'api_error',
      },
    }),
  ),
  row(
    'LM Studio',
    'answers 500 with an error as text',
    error(500, { error: 'The model has crashed without additional information.' }),
  ),
  row('nginx', 'answers 502 with HTML', html(502, '502 Bad Gateway')),
  row('nginx', 'answers 504 with HTML', html(504, '504 Gateway Time-out')),
  row('Cloudflare', 'answers 524 with HTML', html(524, 'A timeout occurred')),
  row('any proxy', 'answers 200 with HTML', html(200, 'Starting')),
  row('any proxy', 'answers 408', error(408, { error: { message: 'Request timeout' } })),
  row('any proxy', 'answers 200 with an empty body', () => ({
    headers: { 'content-type': 'text/event-stream' },
    parts: [],
  })),
  row('any proxy', 'breaks the connection before the answer', () => ({ parts: [], end: 'broken' })),
  row(
    'OpenRouter',
    'sends an error as JSON with status 200',
    error(200, {
      error: { code: 502, message: 'Provider returned error', metadata: { raw: 'upstream error' } },
    }),
  ),
  row(
    'OpenRouter',
    'sends an error in a chunk',
    events(chunk({ role: 'assistant', content: 'I ' }), {
      ...chunk({ content: '' }, 'error'),
      error: { code: 502, message: 'Provider disconnected' },
    }),
  ),
  row(
    'vLLM',
    'sends an error event in the stream',
    events(chunk({ role: 'assistant', content: 'I ' }), {
      error: {
        object: 'error',
        message: 'EngineCore encountered an issue',
        type: 'InternalServerError',
        code: 500,
      },
    }),
  ),
  row('llama.cpp', 'sends an error in an error field of the stream', () => ({
    headers: { 'content-type': 'text/event-stream' },
    parts: ['error: {"code":500,"message":"failed to process","type":"server_error"}\n\n'],
  })),
  row('any server', 'breaks the connection at the start of the stream', cutAt(0.2)),
  row('any server', 'breaks the connection inside the arguments', cutAt(0.6)),
  row('any server', 'sends an event that is not JSON', () => ({
    headers: { 'content-type': 'text/event-stream' },
    parts: ['data: {"choices": [{"del\n\n', 'data: [DONE]\n\n'],
  })),
  row('vLLM', 'sends an empty answer', events(chunk({ role: 'assistant', content: '' }), chunk({}, 'stop'))),
  row(
    'Gemini',
    'sends an answer without choices',
    events({
      id: 'x',
      object: 'chat.completion.chunk',
      created: 0,
      model: 'm',
      choices: [],
      usage: { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 },
    }),
  ),
  row(
    'Ollama',
    'sends only thoughts',
    events(chunk({ role: 'assistant', content: '', reasoning: 'I need the page.' }), chunk({}, 'stop')),
  ),
];
