/** Dialects of Anthropic and of gateways that speak its format. */
import { jsonResponse, type Json } from '../wire-server.ts';
import { characters } from './chat-stream.ts';
import type { Answering, Dialect } from './dialect.ts';
import { messageEvents, messageStream, messageTexts, messageWhole } from './messages-stream.ts';

const row = (server: string, quirk: string, answer: Answering, more: Partial<Dialect> = {}): Dialect => ({
  server,
  quirk,
  provider: 'anthropic',
  answer,
  ...more,
});
const two = { firstCalls: 'two reads' } as const;
const ping = { type: 'ping' };

const thinking = {
  block: { type: 'thinking', thinking: '', signature: '' },
  deltas: [
    { type: 'thinking_delta', thinking: 'I need the page.' },
    { type: 'signature_delta', signature: 'EqQBCgIYAhIM' },
  ],
};
const unknownBlock = {
  block: { type: 'gateway_trace', trace: 'x' },
  deltas: [{ type: 'trace_delta', trace: 'y' }],
};

const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
const once =
  (failure: Answering): Answering =>
  (turn, request) =>
    (request.number === 1 ? failure : messageStream())(turn, request);
const brokenAt =
  (share: number): Answering =>
  (turn, request) => {
    const texts = messageTexts(messageEvents(turn, request, {}));
    return {
      headers: { 'content-type': 'text/event-stream' },
      parts: texts.slice(0, Math.ceil(texts.length * share)),
      end: 'broken',
    };
  };
const errorInStream: Answering = (turn, request) => ({
  headers: { 'content-type': 'text/event-stream' },
  parts: [...messageTexts(messageEvents(turn, request, {})).slice(0, 3), ...messageTexts([overloaded])],
});
const failing =
  (status: number, error: Json, headers: Record<string, string> = {}): Answering =>
  () =>
    jsonResponse({ type: 'error', error }, status, headers);

export const messageDialects: readonly Dialect[] = [
  row('Anthropic', 'streams text and a call', messageStream({ text: 'I look at the page – first.' })),
  row('Anthropic', 'sends two calls in one answer', messageStream(), two),
  row('Anthropic', 'sends many pings', messageStream({ between: [ping, ping, ping] })),
  row('Anthropic', 'sends thinking with a signature', messageStream({ blocksBefore: [thinking] })),
  row(
    'Anthropic',
    'sends redacted thinking',
    messageStream({
      blocksBefore: [{ block: { type: 'redacted_thinking', data: 'EmwKAhgB' }, deltas: [] }],
    }),
  ),
  row('Anthropic', 'sends arguments one character at a time', messageStream({ split: characters })),
  row(
    'Anthropic',
    'sends an empty piece before the arguments',
    messageStream({ split: (text) => ['', text] }),
  ),
  row('Anthropic', 'sends no piece for empty arguments', messageStream(), { firstCalls: 'no arguments' }),
  row('Anthropic', 'sends an empty text block', messageStream({ text: '' })),
  row(
    'Anthropic',
    'sends an unknown event',
    messageStream({ before: [{ type: 'gateway_info', region: 'eu' }], after: [{ type: 'gateway_end' }] }),
  ),
  row(
    'any gateway',
    'sends unknown events between all others',
    messageStream({ between: [{ type: 'heartbeat', at: 1 }] }),
  ),
  row('any gateway', 'sends an unknown content block', messageStream({ blocksBefore: [unknownBlock] })),
  row('any gateway', 'leaves out message_stop', messageStream({ without: ['message_stop'] })),
  row('any gateway', 'leaves out message_delta', messageStream({ without: ['message_delta'] })),
  row('any gateway', 'leaves out content_block_stop of the last block', (turn, request) => {
    const events = messageEvents(turn, request, {});
    const last = events.findLastIndex(({ type }) => type === 'content_block_stop');
    return {
      headers: { 'content-type': 'text/event-stream' },
      parts: messageTexts(events.toSpliced(last, 1)),
    };
  }),
  row('any gateway', 'has the input at the start of the block', messageStream({ inputAtStart: true })),
  row('any gateway', 'leaves out usage', messageStream({ startUsage: null, endUsage: null })),
  row(
    'any gateway',
    'leaves out the fields of the cache',
    messageStream({ startUsage: { input_tokens: 1200, output_tokens: 1 } }),
  ),
  row(
    'any gateway',
    'reports input tokens at the end only',
    messageStream({
      startUsage: { input_tokens: 0, output_tokens: 0 },
      endUsage: { input_tokens: 1200, output_tokens: 30 },
    }),
  ),
  row(
    'any gateway',
    'finishes with end_turn although there are calls',
    messageStream({ stopReason: () => 'end_turn' }),
  ),
  row('any gateway', 'finishes with null', messageStream({ stopReason: () => null })),
  row('any gateway', 'leaves out the names of events', messageStream({}, { hasEventNames: false })),
  row('any gateway', 'ends lines with CRLF', messageStream({}, { newline: '\r\n' })),
  row(
    'any gateway',
    'splits the stream inside characters',
    messageStream(
      { text: 'Ein “Blick” – 👀.' },
      {
        packets: (text) =>
          Array.from({ length: Math.ceil(Buffer.byteLength(text) / 5) }, (_, index) =>
            Buffer.from(text).subarray(index * 5, index * 5 + 5),
          ),
      },
    ),
  ),
  row('any gateway', 'answers with JSON although a stream was requested', messageWhole({ text: 'I look.' })),
  row('any gateway', 'ends with [DONE]', (turn, request) => ({
    headers: { 'content-type': 'text/event-stream' },
    parts: [...messageTexts(messageEvents(turn, request, {})), 'data: [DONE]\n\n'],
  })),
  row(
    'Vertex AI',
    'sends vertex_event and its ids',
    messageStream({
      before: [
        { type: 'vertex_event', usage: { input_tokens: 9, output_tokens: 1, cache_read_input_tokens: null } },
      ],
      id: ({ id }) => `toolu_vrtx_${id}`,
    }),
  ),
  row(
    'Bedrock',
    'sends metrics in message_stop',
    messageStream({
      id: ({ id }) => `toolu_bdrk_${id}`,
      lastFields: { 'amazon-bedrock-invocationMetrics': { inputTokenCount: 1200, outputTokenCount: 30 } },
    }),
  ),
  row('LiteLLM', 'sends the message without model and stop fields', (turn, request) => {
    const events = messageEvents(turn, request, {}).map((event) =>
      event['type'] === 'message_start'
        ? {
            type: 'message_start',
            message: {
              id: 'msg_1',
              type: 'message',
              role: 'assistant',
              content: [],
              usage: { input_tokens: 0, output_tokens: 0 },
            },
          }
        : event,
    );
    return { headers: { 'content-type': 'text/event-stream' }, parts: messageTexts(events) };
  }),
  row('llama.cpp', 'sends short ids in the Anthropic format', messageStream({ id: ({ id }) => id.slice(5) })),
  row(
    'Ollama',
    'sends the input at once in the Anthropic format',
    messageStream({ split: (text) => [text] }),
  ),
  row('Anthropic', 'answers 529', once(failing(529, { type: 'overloaded_error', message: 'Overloaded' }))),
  row(
    'Anthropic',
    'answers 429 with Retry-After',
    once(failing(429, { type: 'rate_limit_error', message: 'Too many requests' }, { 'retry-after': '1' })),
  ),
  row('Anthropic', 'sends overloaded_error in the stream', once(errorInStream)),
  row(
    'any gateway',
    'sends an error as JSON with status 200',
    once(failing(200, { type: 'api_error', message: 'Internal server error' })),
  ),
  row('any gateway', 'breaks the connection inside the arguments', once(brokenAt(0.5))),
];
