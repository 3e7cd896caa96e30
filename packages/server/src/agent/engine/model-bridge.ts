/**
 * The model for a foreign agent: takes requests in the endpoint's own format on a socket of ours and passes them on
 * through the gateway, which adds the key. Each is reserved against the budget before it is sent and paid for when it is
 * answered. It holds no key.
 */
import { serveLocalHttp, type LocalAnswer, type LocalRequest } from '../../egress/local-http.ts';
import type { LocalSocket } from '../../egress/local-socket.ts';
import { ModelFailure, type Limits, type ModelAnswer, type Usage } from '../contract.ts';
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

const mostRequestBytes = 8_000_000;
const mostLineCharacters = 20_000_000;
const mostCallsAtOnce = 8;
/** The words of an agent that asks for more are rarely longer. */
const usualOutputTokens = 8192;

export async function openModelBridge(options: BridgeOptions): Promise<ModelBridge> {
  const { model, used, limits } = options;
  const path = model.provider === 'anthropic' ? '/v1/messages' : '/v1/chat/completions';
  const pending = new Set<Reserved>();
  let failure: ModelFailure | undefined;

  async function answer(request: LocalRequest): Promise<LocalAnswer> {
    try {
      return await passOn(request);
    } catch (error) {
      if (error instanceof RequestRefused) return refusal(400, error.message);
      if (!(error instanceof ModelFailure)) throw error;
      if (error.reason !== 'cancelled') failure = error;
      return refusal(statuses[error.reason], error.message);
    }
  }

  async function passOn({ method, path: asked, text, signal: gone }: LocalRequest): Promise<LocalAnswer> {
    if (method !== 'POST' || asked !== path) return refusal(404, `Only POST ${path} is answered here.`);
    if (pending.size >= mostCallsAtOnce) return refusal(429, 'Too many calls at once.');
    const request = readForeignRequest(text, model);
    const { inputTokens, wantedOutputTokens = usualOutputTokens } = request;
    const reservation = reserve(withPending(used, pending), limits, inputTokens, wantedOutputTokens);
    if (reservation === undefined) {
      options.onSpent();
      return refusal(400, 'The budget of the run is used up.');
    }
    const reserved = { inputTokens, outputTokens: reservation.maxOutputTokens };
    pending.add(reserved);
    try {
      const signal = AbortSignal.any([options.signal, gone]);
      const given = await options.forward(request.withLimit(reservation.maxOutputTokens), signal);
      const isStream = given.headers.get('content-type')?.startsWith('text/event-stream') === true;
      const meter = createMeter(inputTokens);
      const pieces = isStream ? lines(given, meter, request.hidesUsage) : whole(given, meter);
      const type = isStream ? 'text/event-stream' : 'application/json';
      return { status: 200, type, body: paidFor(pieces, meter, reserved, gone) };
    } catch (error) {
      pending.delete(reserved);
      throw error;
    }
  }

  /** What was begun is paid for, whether or not it comes to its end. */
  async function* paidFor(
    pieces: AsyncIterable<string>,
    meter: Meter,
    reserved: Reserved,
    gone: AbortSignal,
  ): AsyncGenerator<string> {
    try {
      yield* pieces;
      failure = undefined;
    } catch (error) {
      const isStopped = gone.aborted || options.signal.aborted;
      if (!isStopped) failure = new ModelFailure('model_unavailable', 'The answer of the model broke off.');
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
  const socket = await serveLocalHttp({ folder, name: 'model.sock', mostRequestBytes, answer });
  return { ...socket, failure: () => failure };
}

interface Reserved {
  inputTokens: number;
  outputTokens: number;
}

const statuses: Record<ModelFailure['reason'], number> = {
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

/** Both formats have the message there. */
function refusal(status: number, message: string): LocalAnswer {
  const body = JSON.stringify({ type: 'error', error: { type: 'docyard', message } });
  return { status, type: 'application/json', body };
}

async function* whole(given: Response, meter: Meter): AsyncGenerator<string> {
  const text = await given.text();
  meter.read(text);
  yield text;
}

/** Each is read as it passes. The empty line after one that is left out does no harm. */
async function* lines(given: Response, meter: Meter, hidesUsage: boolean): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of given.body ?? []) {
    const found = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = found.pop() ?? '';
    if (rest.length > mostLineCharacters) throw new Error('A line of the answer is too long.');
    yield found
      .filter((line) => !isFigures(line, meter) || !hidesUsage)
      .map((line) => `${line}\n`)
      .join('');
  }
  isFigures(rest, meter);
  yield rest;
}

function isFigures(line: string, meter: Meter): boolean {
  return line.startsWith('data:') && meter.read(line.slice('data:'.length)) === 'figures only';
}
