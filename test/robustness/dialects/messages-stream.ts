/** Answers in the Anthropic messages format, streamed and whole, with the deviations of gateways. */
import { jsonResponse, type Json, type WireRequest, type WireResponse } from '../wire-server.ts';
import { asText, inThirds } from './chat-stream.ts';
import type { Answering, ModelCall, ModelTurn } from './dialect.ts';

export interface MessageQuirks {
  text?: string;
  /** Blocks before text and calls, each with its deltas. */
  blocksBefore?: readonly { block: Json; deltas: readonly Json[] }[];
  split?: (text: string) => string[];
  id?: (call: ModelCall) => unknown;
  /** The input is in the start of the block, and no delta follows. */
  inputAtStart?: boolean;
  stopReason?: (hasCalls: boolean) => string | null;
  startUsage?: unknown;
  endUsage?: unknown;
  /** Events of these types are not sent. */
  without?: readonly string[];
  /** Sent before every event. */
  between?: readonly Json[];
  before?: readonly Json[];
  after?: readonly Json[];
  /** Fields of the last event. */
  lastFields?: Json;
}

export interface EventStyle {
  newline?: string;
  hasEventNames?: boolean;
  packets?: (text: string) => readonly (string | Uint8Array)[];
}

export function messageStream(quirks: MessageQuirks = {}, style: EventStyle = {}): Answering {
  return (turn, request) => messageResponse(messageEvents(turn, request, quirks), style);
}

export function messageResponse(events: readonly Json[], style: EventStyle = {}): WireResponse {
  const texts = messageTexts(events, style);
  return {
    headers: { 'content-type': 'text/event-stream' },
    parts: style.packets === undefined ? texts : style.packets(texts.join('')),
  };
}

export function messageTexts(
  events: readonly Json[],
  { newline = '\n', hasEventNames = true }: EventStyle = {},
): string[] {
  return events.map((event) => {
    const name = hasEventNames ? `event: ${String(event['type'])}${newline}` : '';
    return `${name}data: ${JSON.stringify(event)}${newline}${newline}`;
  });
}

export function messageWhole(quirks: MessageQuirks = {}): Answering {
  return (turn, request) =>
    jsonResponse({
      ...messageFields(request, quirks),
      content: [
        ...(quirks.text === undefined ? [] : [{ type: 'text', text: quirks.text }]),
        ...turn.calls.map((call) => ({ ...toolUse(call, quirks), input: call.input })),
      ],
      stop_reason: stopOf(turn, quirks),
      usage: { input_tokens: 1200, output_tokens: 30 },
    });
}

export function messageEvents(turn: ModelTurn, request: WireRequest, quirks: MessageQuirks): Json[] {
  const { text, blocksBefore = [] } = quirks;
  const blocks = [
    ...blocksBefore,
    ...(text === undefined
      ? []
      : [
          {
            block: { type: 'text', text: '' },
            deltas: inThirds(text).map((piece) => ({ type: 'text_delta', text: piece })),
          },
        ]),
    ...turn.calls.map((call) => callBlock(call, quirks)),
  ];
  const events: Json[] = [
    ...(quirks.before ?? []),
    { type: 'message_start', message: messageFields(request, quirks) },
    ...blocks.flatMap(({ block, deltas }, index) => [
      { type: 'content_block_start', index, content_block: block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: stopOf(turn, quirks), stop_sequence: null },
      ...(quirks.endUsage === undefined ? { usage: { output_tokens: 30 } } : { usage: quirks.endUsage }),
    },
    { type: 'message_stop', ...quirks.lastFields },
    ...(quirks.after ?? []),
  ];
  return events
    .filter(({ type }) => !(quirks.without ?? []).includes(String(type)))
    .flatMap((event) => [...(quirks.between ?? []), event]);
}

function messageFields({ body }: WireRequest, { startUsage }: MessageQuirks): Json {
  const usage = {
    input_tokens: 1200,
    output_tokens: 1,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: body['model'],
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: startUsage === undefined ? usage : startUsage,
  };
}

function stopOf({ calls }: ModelTurn, { stopReason }: MessageQuirks): string | null {
  if (stopReason !== undefined) return stopReason(calls.length > 0);
  return calls.length > 0 ? 'tool_use' : 'end_turn';
}

function toolUse(call: ModelCall, { id = ({ id }: ModelCall) => `toolu_${id}` }: MessageQuirks): Json {
  return { type: 'tool_use', id: id(call), name: call.name };
}

function callBlock(call: ModelCall, quirks: MessageQuirks): { block: Json; deltas: Json[] } {
  const block = toolUse(call, quirks);
  if (quirks.inputAtStart === true) return { block: { ...block, input: call.input }, deltas: [] };
  const pieces = Object.keys(call.input).length === 0 ? [] : (quirks.split ?? inThirds)(asText(call.input));
  return {
    block: { ...block, input: {} },
    deltas: pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
  };
}
