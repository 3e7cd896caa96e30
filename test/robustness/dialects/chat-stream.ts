/** Answers in the OpenAI chat completions format, streamed and whole, with the deviations that servers have. */
import { jsonResponse, type Json, type WireRequest, type WireResponse } from '../wire-server.ts';
import type { Answering, ModelCall, ModelTurn } from './dialect.ts';

export interface ChatQuirks {
  text?: string;
  /** The first delta; the default is the role with empty content. */
  opening?: Json;
  reasoning?: { field: 'reasoning' | 'reasoning_content'; more?: Json };
  /** The default is a JSON text. */
  encode?: (input: ModelCall['input']) => unknown;
  /** The default is three parts. */
  split?: (text: string) => string[];
  id?: (call: ModelCall, index: number) => unknown;
  name?: (name: string) => string;
  /** The position of a call; undefined leaves it out. */
  index?: (index: number) => number | undefined;
  /** `calls` sends each call whole, `one chunk` all of them together. */
  layout?: 'pieces' | 'calls' | 'one chunk';
  /** Every piece has id and name. */
  repeatsHead?: boolean;
  /** Later pieces have null as id and name. */
  nullHead?: boolean;
  /** `tool_calls` is an object instead of a list. */
  callsAsObject?: boolean;
  finish?: (hasCalls: boolean) => string | null;
  /** The last call and the finish reason share a chunk. */
  finishWithCalls?: boolean;
  usage?: 'last' | 'every' | 'null' | 'none';
  /** Fields of every chunk. */
  more?: Json;
  /** Fields of every choice. */
  choice?: Json;
  before?: readonly Json[];
  after?: readonly Json[];
}

export interface StreamStyle {
  newline?: string;
  prefix?: string;
  /** Written before every event. */
  between?: string;
  hasDone?: boolean;
  /** Written before the first event. */
  start?: string;
  /** Cuts the text of the stream into packets. */
  packets?: (text: string) => readonly (string | Uint8Array)[];
  headers?: Readonly<Record<string, string>>;
}

const usage = { prompt_tokens: 1200, completion_tokens: 30, total_tokens: 1230 };

export const asText = (input: unknown): string => JSON.stringify(input);
export const characters = (text: string): string[] => Array.from(text);
export const inThirds = (text: string): string[] => {
  const length = Math.max(1, Math.ceil(text.length / 3));
  return [text.slice(0, length), text.slice(length, 2 * length), text.slice(2 * length)];
};

export function chatStream(quirks: ChatQuirks = {}, style: StreamStyle = {}): Answering {
  return (turn, request) => eventResponse(chatChunks(turn, request, quirks), style);
}

export function chatWhole(quirks: ChatQuirks = {}, more: { message?: Json; top?: Json } = {}): Answering {
  return (turn, request) => {
    const calls = turn.calls.map((call, index) => wholeCall(call, index, quirks));
    const content = quirks.text ?? null;
    const message = {
      role: 'assistant',
      content,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
      ...more.message,
    };
    return jsonResponse({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_760_000_000,
      model: request.body['model'],
      choices: [{ index: 0, message, finish_reason: finishOf(quirks, calls.length > 0) }],
      usage,
      ...more.top,
    });
  };
}

export function eventResponse(chunks: readonly Json[], style: StreamStyle = {}): WireResponse {
  const events = eventTexts(chunks, style);
  return {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', ...style.headers },
    parts: style.packets === undefined ? events : style.packets(events.join('')),
  };
}

export function eventTexts(chunks: readonly Json[], style: StreamStyle = {}): string[] {
  const { newline = '\n', prefix = 'data: ', between = '', hasDone = true, start = '' } = style;
  const texts = [...chunks.map((chunk) => JSON.stringify(chunk)), ...(hasDone ? ['[DONE]'] : [])];
  return texts.map(
    (text, index) => `${index === 0 ? start : ''}${between}${prefix}${text}${newline}${newline}`,
  );
}

export function chatChunks(turn: ModelTurn, request: WireRequest, quirks: ChatQuirks): Json[] {
  const chunk = (delta: Json, finish: string | null | undefined = null, last: Json = {}): Json => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: request.body['model'],
    choices: [
      { index: 0, delta, ...(finish === undefined ? {} : { finish_reason: finish }), ...quirks.choice },
    ],
    ...(quirks.usage === 'every' ? { usage } : quirks.usage === 'null' ? { usage: null } : {}),
    ...quirks.more,
    ...last,
  });
  const { reasoning, opening = { role: 'assistant', content: '' } } = quirks;
  const thought = 'I should look at the page first.';
  const deltas: Json[] = [
    opening,
    ...(reasoning === undefined
      ? []
      : inThirds(thought).map((piece) => ({ [reasoning.field]: piece, ...reasoning.more }))),
    ...(quirks.text === undefined ? [] : inThirds(quirks.text).map((content) => ({ content }))),
    ...callDeltas(turn.calls, quirks),
  ];
  const finish = finishOf(quirks, turn.calls.length > 0);
  const lastDelta = quirks.finishWithCalls === true ? deltas.pop() : undefined;
  return [
    ...(quirks.before ?? []),
    ...deltas.map((delta) => chunk(delta)),
    chunk(lastDelta ?? {}, finish),
    ...((quirks.usage ?? 'last') === 'last' ? [{ ...chunk({}), choices: [], usage }] : []),
    ...(quirks.after ?? []),
  ];
}

function finishOf(quirks: ChatQuirks, hasCalls: boolean): string | null {
  if (quirks.finish !== undefined) return quirks.finish(hasCalls);
  return hasCalls ? 'tool_calls' : 'stop';
}

function wholeCall(call: ModelCall, index: number, quirks: ChatQuirks): Json {
  const { id = ({ id }: ModelCall) => id, name = (text: string) => text } = quirks;
  const place = quirks.index === undefined ? index : quirks.index(index);
  const given = id(call, index);
  return {
    ...(place === undefined ? {} : { index: place }),
    ...(given === undefined ? {} : { id: given }),
    type: 'function',
    function: { name: name(call.name), arguments: (quirks.encode ?? asText)(call.input) },
  };
}

function callDeltas(calls: readonly ModelCall[], quirks: ChatQuirks): Json[] {
  const whole = calls.map((call, index) => wholeCall(call, index, quirks));
  const listed = (call: Json): Json => ({ tool_calls: quirks.callsAsObject === true ? call : [call] });
  if (quirks.layout === 'one chunk') return whole.length === 0 ? [] : [{ tool_calls: whole }];
  if (quirks.layout === 'calls') return whole.map(listed);
  return whole.flatMap((call) => {
    const { arguments: given, name } = call['function'] as Json;
    if (typeof given !== 'string') return [listed(call)];
    const place = call['index'] === undefined ? {} : { index: call['index'] };
    const pieces = (quirks.split ?? inThirds)(given).map((piece) => {
      if (quirks.repeatsHead === true) return { ...call, function: { name, arguments: piece } };
      return quirks.nullHead === true
        ? { ...place, id: null, type: null, function: { name: null, arguments: piece } }
        : { ...place, function: { arguments: piece } };
    });
    const head = quirks.repeatsHead === true ? [] : [{ ...call, function: { name, arguments: '' } }];
    return [...head, ...pieces].map(listed);
  });
}
