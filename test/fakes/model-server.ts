/** A scripted model: an HTTP server that responds in the wire format of the requested path and records requests. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Message } from '../../packages/server/src/agent/contract.ts';
import { wires } from './model-wire.ts';
import type { Wire } from './wire.ts';

export interface ScriptedAnswer {
  text?: string;
  reasoning?: string;
  calls?: ScriptedCall[];
  /** `inputTokens` includes cached tokens. Null for an endpoint without usage. */
  usage?: { inputTokens?: number; outputTokens?: number; cacheReadTokens?: number } | null;
  stop?: 'refused' | 'length';
  /** Number of chunks of texts and arguments; the default is 3. */
  pieces?: number;
}

export interface ScriptedCall {
  name: string;
  input?: unknown;
  /** Sent verbatim instead of `input`, for arguments that are not JSON. */
  arguments?: string;
  id?: string;
}

export type Fault =
  | { fault: 'status'; status: number; message?: string; retryAfter?: string }
  /** The connection breaks after half of the response. */
  | { fault: 'cut'; answer?: ScriptedAnswer }
  /** Half of the response, then silence until the caller disconnects. */
  | { fault: 'hang'; answer?: ScriptedAnswer }
  | { fault: 'slow'; answer: ScriptedAnswer; pauseMilliseconds: number }
  /** An event that is not JSON. */
  | { fault: 'malformed' }
  /** An error event in the stream. */
  | { fault: 'overloaded' };

export type Turn = ScriptedAnswer | Fault;

export interface Asked {
  /** Number of earlier requests. */
  turn: number;
  messages: Message[];
  tools: string[];
}

/** After the end of a list the server answers 500. A function may decide from the conversation. */
export type Script = readonly Turn[] | ((asked: Asked) => Turn | Promise<Turn>);

export interface RecordedRequest extends Asked {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}

export interface ModelServer {
  /** The base address, for all wire formats. */
  url: string;
  /** `host:port`, for egress rules. */
  host: string;
  requests: RecordedRequest[];
  close(): Promise<void>;
}

export async function startModelServer(script: Script): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  let calls = 0;
  const server = createServer((request, response) => {
    const wire = wires.find(({ path }) => request.url?.includes(path));
    if (!wire) return void response.writeHead(404).end();
    // Some tests disconnect during a response.
    response.on('error', () => {});
    answer(wire, request, response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });

  async function answer(wire: Wire, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await bodyOf(request)) as Record<string, unknown>;
    const asked = { turn: requests.length, ...wire.conversation(body) };
    requests.push({ ...asked, path: request.url ?? '', headers: request.headers, body });
    const turn = typeof script === 'function' ? await script(asked) : script[asked.turn];
    const given = numbered(turn ?? spent, () => `call_${(calls += 1)}`);
    const whole = 'fault' in given ? undefined : wire.whole?.(given, body, request.url ?? '');
    if (whole === undefined) return play(wire, body, response, given);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole));
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/v1`,
    host,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const spent: Fault = { fault: 'status', status: 500, message: 'The script has no more turns.' };

/** Most formats require an id. */
function numbered(turn: Turn, nextId: () => string): Turn {
  if ('fault' in turn) {
    return 'answer' in turn && turn.answer
      ? { ...turn, answer: numbered(turn.answer, nextId) as ScriptedAnswer }
      : turn;
  }
  return { ...turn, calls: (turn.calls ?? []).map((call) => ({ ...call, id: call.id ?? nextId() })) };
}

async function play(
  wire: Wire,
  body: Record<string, unknown>,
  response: ServerResponse,
  turn: Turn,
): Promise<void> {
  if ('fault' in turn && turn.fault === 'status') {
    const wait = turn.retryAfter === undefined ? {} : { 'retry-after': turn.retryAfter };
    response.writeHead(turn.status, { 'content-type': 'application/json', ...wait });
    response.end(JSON.stringify(wire.error(turn.message ?? `Scripted ${turn.status}.`)));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (!('fault' in turn)) return void response.end(wire.events(turn, body).join(''));
  const usual: ScriptedAnswer = { text: 'This sentence is never finished.' };
  const events = wire.events('answer' in turn ? (turn.answer ?? usual) : usual, body);
  const half = events.slice(0, Math.ceil(events.length / 2)).join('');
  switch (turn.fault) {
    case 'cut':
      response.write(half, () => response.destroy());
      return;
    case 'hang':
      response.write(half);
      return;
    case 'malformed':
      response.end(`${events[0]}data: {"choices": [\n\n`);
      return;
    case 'overloaded':
      response.end(`${events[0]}${wire.errorEvent('Overloaded')}`);
      return;
    case 'slow':
      for (const event of events) {
        response.write(event);
        await delay(turn.pauseMilliseconds);
      }
      response.end();
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown;
}
