/**
 * The model for a foreign agent: an HTTP server on a socket of ours that takes requests in the endpoint's own format and
 * passes them on through the gateway, which adds the key. Each is reserved against the budget before it is sent and paid
 * for when it is answered. It holds no key.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ModelFailure, type Limits, type ModelAnswer, type Usage } from '../contract.ts';
import { listenIn, type LocalSocket } from '../local-socket.ts';
import type { ModelSettings } from '../model/endpoint.ts';
import { readForeignRequest, RequestRefused } from '../model/foreign-request.ts';
import type { Forward } from '../model/gateway.ts';
import { createMeter, type Meter } from '../model/meter.ts';
import { reserve } from './budget.ts';

export interface BridgeOptions {
  /** Where the socket is made. */
  folder: string;
  model: Omit<ModelSettings, 'key'>;
  forward: Forward;
  /** Before this bridge was opened. */
  used: Usage;
  limits: Limits;
  /** Ends every call. */
  signal: AbortSignal;
  onAnswer(usage: ModelAnswer['usage']): void;
  /** The next call does not fit the budget. */
  onSpent(): void;
}

export interface ModelBridge extends LocalSocket {
  /** How the last call failed; undefined when it was answered. */
  failure(): ModelFailure | undefined;
}

const mostRequestBytes = 20_000_000;
const mostAnswerBytes = 20_000_000;
const mostCallsAtOnce = 8;
/** The words of an agent that asks for more are rarely longer. */
const usualOutputTokens = 8192;

export async function openModelBridge(options: BridgeOptions): Promise<ModelBridge> {
  const { model, used, limits } = options;
  const path = model.provider === 'anthropic' ? '/v1/messages' : '/v1/chat/completions';
  const pending = new Set<{ inputTokens: number; outputTokens: number }>();
  const working = new Set<Promise<void>>();
  let failure: ModelFailure | undefined;
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    const work = answer(request, response).catch((error: unknown) => fail(response, error));
    working.add(work);
    void work.then(() => working.delete(work));
  });

  function fail(response: ServerResponse, error: unknown): void {
    if (error instanceof RequestRefused) return refuse(response, 400, error.message);
    if (error instanceof ModelFailure) {
      if (error.reason !== 'cancelled') failure = error;
      return refuse(response, statuses[error.reason], error.message);
    }
    // The answer broke off, unless the agent went away first; it sees that from its connection.
    if (!response.destroyed) {
      failure = new ModelFailure('model_unavailable', 'The answer of the model broke off.', { cause: error });
    }
    response.destroy();
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST' || request.url?.split('?')[0] !== path) {
      return refuse(response, 404, `Only POST ${path} is answered here.`);
    }
    if (pending.size >= mostCallsAtOnce) return refuse(response, 429, 'Too many calls at once.');
    const asked = readForeignRequest(await textOf(request), model);
    const wanted = asked.wantedOutputTokens ?? usualOutputTokens;
    const reservation = reserve(withPending(used, pending), limits, asked.inputTokens, wanted);
    if (reservation === undefined) {
      options.onSpent();
      return refuse(response, 400, 'The budget of the run is used up.');
    }
    const call = { inputTokens: asked.inputTokens, outputTokens: reservation.maxOutputTokens };
    pending.add(call);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const meter = createMeter(asked.inputTokens);
    try {
      const signal = AbortSignal.any([options.signal, gone.signal]);
      const given = await options.forward(asked.withLimit(reservation.maxOutputTokens), signal);
      try {
        await pass(given, response, meter, asked.hidesUsage);
        failure = undefined;
      } finally {
        // What was begun is paid for, whether or not it came to its end.
        pay(meter.usage());
      }
    } finally {
      pending.delete(call);
    }
  }

  function pay(usage: ModelAnswer['usage']): void {
    used.steps += 1;
    used.inputTokens += usage.inputTokens;
    used.outputTokens += usage.outputTokens;
    used.cacheReadTokens += usage.cacheReadTokens;
    options.onAnswer(usage);
  }

  const socket = await listenIn(options.folder, 'model.sock', server);
  return {
    path: socket.path,
    failure: () => failure,
    async close() {
      await socket.close();
      await Promise.all(working);
    },
  };
}

const statuses: Record<ModelFailure['reason'], number> = {
  model_auth: 401,
  model_unavailable: 503,
  context_overflow: 400,
  refused: 400,
  cancelled: 503,
};

function withPending(used: Usage, pending: Iterable<{ inputTokens: number; outputTokens: number }>): Usage {
  const sum = { ...used };
  for (const { inputTokens, outputTokens } of pending) {
    sum.steps += 1;
    sum.inputTokens += inputTokens;
    sum.outputTokens += outputTokens;
  }
  return sum;
}

/** Both formats have the message there. */
function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ type: 'error', error: { type: 'docyard', message } }));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > mostRequestBytes) throw new RequestRefused('The request is too large.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Nothing of the endpoint's headers but the type goes along. */
async function pass(
  given: Response,
  response: ServerResponse,
  meter: Meter,
  hidesUsage: boolean,
): Promise<void> {
  const isStream = given.headers.get('content-type')?.startsWith('text/event-stream') === true;
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
  if (!isStream) {
    const text = await given.text();
    meter.read(text);
    response.end(text);
    return;
  }
  let rest = '';
  const lines = async function* (): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    for await (const bytes of given.body ?? []) {
      rest += decoder.decode(bytes, { stream: true });
      if (rest.length > mostAnswerBytes) throw new Error('A line of the answer is too long.');
      const whole = rest.split('\n');
      rest = whole.pop() ?? '';
      yield* whole;
    }
    if (rest !== '') yield rest;
  };
  for await (const line of lines()) {
    const data = line.startsWith('data:') ? meter.read(line.slice('data:'.length)) : 'other';
    if (data === 'figures only' && hidesUsage) continue;
    if (!response.write(`${line}\n`) && !response.destroyed) await drained(response);
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}
