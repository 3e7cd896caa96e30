/**
 * A model for tests: a real HTTP server on a free port that answers by a script, in the wire format that the path asks
 * for, and keeps what it was asked. It knows no model; formats are as their makers document them.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Message } from '../../packages/server/src/agent/contract.ts';
import { wires, type Wire } from './model-wire.ts';

export interface ScriptedAnswer {
  text?: string;
  reasoning?: string;
  calls?: ScriptedCall[];
  /** `inputTokens` holds the cached ones too. Null for an endpoint that tells nothing. */
  usage?: { inputTokens?: number; outputTokens?: number; cacheReadTokens?: number } | null;
  stop?: 'refused' | 'length';
  /** In how many pieces texts and arguments are sent; 3 unless told. */
  pieces?: number;
}

export interface ScriptedCall {
  name: string;
  input?: unknown;
  /** Sent instead of `input`, as it stands: for arguments that are no JSON. */
  arguments?: string;
  /** Counted up over the life of the server when absent. */
  id?: string;
}

export type Fault =
  | { fault: 'status'; status: number; message?: string; retryAfter?: string }
  /** The connection breaks after half of the answer. */
  | { fault: 'cut'; answer?: ScriptedAnswer }
  /** Half of the answer, then silence until the caller goes away. */
  | { fault: 'hang'; answer?: ScriptedAnswer }
  | { fault: 'slow'; answer: ScriptedAnswer; pauseMilliseconds: number }
  /** An event that is no JSON. */
  | { fault: 'malformed' }
  /** An error event in the stream. */
  | { fault: 'overloaded' };

export type Turn = ScriptedAnswer | Fault;

export interface Asked {
  /** How many requests came before this one. */
  turn: number;
  messages: Message[];
  tools: string[];
}

/** A list is used up; after its end the server answers 500. A function may decide from the conversation. */
export type Script = readonly Turn[] | ((asked: Asked) => Turn | Promise<Turn>);

export interface RecordedRequest extends Asked {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}

export interface ModelServer {
  /** The base address, for both wire formats. */
  url: string;
  /** `host:port`, to be listed for egress. */
  host: string;
  requests: RecordedRequest[];
  close(): Promise<void>;
}

export async function startModelServer(script: Script): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  let calls = 0;
  const server = createServer((request, response) => {
    const wire = wires.find(({ path }) => request.url?.endsWith(path));
    if (!wire) return void response.writeHead(404).end();
    // A caller that goes away in the middle is what some tests are about.
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
    await play(
      wire,
      body,
      response,
      numbered(turn ?? spent, () => `call_${(calls += 1)}`),
    );
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

/** Gives every call an id, because both formats want one. */
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
