/**
 * Serves the model to an external agent: accepts requests in the formats of the endpoint on a local socket and
 * forwards them through the gateway, which adds the key. Each request is reserved against the budget before it
 * is sent.
 */
import { serveLocalHttp, type LocalAnswer, type LocalRequest } from '../../egress/local-http.ts';
import type { LocalSocket } from '../../egress/local-socket.ts';
import { ModelError, type Limits, type ModelAnswer, type Usage } from '../contract.ts';
import {
  offeredPaths,
  readExternalRequest,
  RequestRefusedError,
  routeOf,
  type Route,
} from '../model/external-request.ts';
import type { Forward } from '../model/gateway.ts';
import { createMeter, type Meter } from '../model/meter.ts';
import type { TargetModel } from '../model/wire-formats/wire-format.ts';
import { reserve } from './budget.ts';
import { modelList, refusal, tokenCount } from './local-answers.ts';

export interface BridgeOptions {
  folder: string;
  model: TargetModel;
  forward: Forward;
  used: Usage;
  limits: Limits;
  signal: AbortSignal;
  onAnswer(usage: ModelAnswer['usage']): void;
  onSpent(): void;
}

export interface ModelBridge extends LocalSocket {
  failure(): ModelError | undefined;
}

const maxRequestBytes = 8_000_000;
const maxLineCharacters = 20_000_000;
const maxConcurrentCalls = 8;
const defaultOutputTokens = 8192;

export async function openModelBridge(options: BridgeOptions): Promise<ModelBridge> {
  const { model, used, limits } = options;
  const { provider } = model;
  const pending = new Set<Reserved>();
  let failure: ModelError | undefined;

  async function answer(request: LocalRequest): Promise<LocalAnswer> {
    try {
      const route = routeOf(provider, request);
      switch (route?.kind) {
        case 'answer':
          return await forward(request, route);
        case 'count':
          return tokenCount(provider, request.text);
        case 'models':
          return modelList(model, route.isOne);
        case undefined:
          return refusal(provider, 404, `Only ${offeredPaths[provider]} are answered here.`);
      }
    } catch (error) {
      if (error instanceof RequestRefusedError) return refusal(provider, 400, error.message);
      if (!(error instanceof ModelError)) throw error;
      if (error.reason !== 'cancelled') failure = error;
      return refusal(provider, statuses[error.reason], error.message);
    }
  }

  async function forward(
    asked: LocalRequest,
    route: Extract<Route, { kind: 'answer' }>,
  ): Promise<LocalAnswer> {
    const { signal: clientSignal } = asked;
    if (pending.size >= maxConcurrentCalls) return refusal(provider, 429, 'Too many calls at once.');
    const request = readExternalRequest(asked, model, route);
    const { inputTokens, wantedOutputTokens = defaultOutputTokens } = request;
    const outputTokens = Math.min(wantedOutputTokens, model.maxOutputTokens ?? Infinity);
    const reservation = reserve(withPending(used, pending), limits, inputTokens, outputTokens);
    if (reservation === undefined) {
      options.onSpent();
      return refusal(provider, 400, 'The budget of the run is used up.');
    }
    const reserved = { inputTokens, outputTokens: reservation.maxOutputTokens };
    pending.add(reserved);
    try {
      const signal = AbortSignal.any([options.signal, clientSignal]);
      const given = await options.forward(request.withLimit(reservation.maxOutputTokens), signal);
      const isStream = given.headers.get('content-type')?.startsWith('text/event-stream') === true;
      const meter = createMeter(request.format, inputTokens);
      const pieces = isStream ? meteredLines(given, meter, request.hidesUsage) : meteredWhole(given, meter);
      const type = isStream ? 'text/event-stream' : 'application/json';
      return { status: 200, type, body: metered(pieces, meter, reserved, clientSignal) };
    } catch (error) {
      pending.delete(reserved);
      throw error;
    }
  }

  /** A started answer counts even if it breaks off. */
  async function* metered(
    pieces: AsyncIterable<string>,
    meter: Meter,
    reserved: Reserved,
    clientSignal: AbortSignal,
  ): AsyncGenerator<string> {
    try {
      yield* pieces;
      failure = undefined;
    } catch (error) {
      const isStopped = clientSignal.aborted || options.signal.aborted;
      if (!isStopped)
        failure = new ModelError('model_unavailable', 'The answer of the model was interrupted.');
      throw error;
    } finally {
      pending.delete(reserved);
      const usage = meter.usage();
      used.steps += 1;
      used.inputTokens += usage.inputTokens;
      used.outputTokens += usage.outputTokens;
      used.cacheReadTokens += usage.cacheReadTokens;
      options.onAnswer(usage);
    }
  }

  const { folder } = options;
  const socket = await serveLocalHttp({ folder, name: 'model.sock', maxRequestBytes, answer });
  return { ...socket, failure: () => failure };
}

interface Reserved {
  inputTokens: number;
  outputTokens: number;
}

const statuses: Record<ModelError['reason'], number> = {
  model_auth: 401,
  model_unavailable: 503,
  context_overflow: 400,
  refused: 400,
  cancelled: 503,
};

function withPending(used: Usage, pending: Iterable<Reserved>): Usage {
  const sum = { ...used };
  for (const { inputTokens, outputTokens } of pending) {
    sum.steps += 1;
    sum.inputTokens += inputTokens;
    sum.outputTokens += outputTokens;
  }
  return sum;
}

async function* meteredWhole(given: Response, meter: Meter): AsyncGenerator<string> {
  const text = await given.text();
  meter.read(text);
  yield text;
}

/** Meters each line while forwarding it. The empty line after a removed event is harmless. */
async function* meteredLines(given: Response, meter: Meter, hidesUsage: boolean): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of given.body ?? []) {
    const found = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = found.pop() ?? '';
    if (rest.length > maxLineCharacters) throw new Error('A line of the answer is too long.');
    yield found
      .filter((line) => !isUsageOnly(line, meter) || !hidesUsage)
      .map((line) => `${line}\n`)
      .join('');
  }
  isUsageOnly(rest, meter);
  yield rest;
}

function isUsageOnly(line: string, meter: Meter): boolean {
  return line.startsWith('data:') && meter.read(line.slice('data:'.length)) === 'usage only';
}
