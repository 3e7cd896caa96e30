/**
 * A server of tools in the Model Context Protocol, over any two streams that carry lines. The SDK speaks the protocol; this
 * module bounds what a client can make it keep.
 */
import { once } from 'node:events';
import { Readable, type Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

export type OfferedTool = Tool;

type ToolSchema = Tool['inputSchema'];

export function toolSchema(schema: z.ZodType, io: 'input' | 'output'): ToolSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, reused: 'inline' });
  return rest as ToolSchema;
}

export interface ToolAnswer {
  texts: readonly string[];
  /** Matches the tool's `outputSchema`. */
  structured?: Record<string, unknown>;
  isError?: boolean;
}

export interface OngoingCall {
  /** Aborted when the client cancels the call or disconnects. */
  signal: AbortSignal;
  /** Sent to clients that passed a progress token. Values that do not increase are left out. */
  report(progress: { done: number; total?: number; message: string }): void;
}

export interface ToolServer {
  version: string;
  instructions?: string;
  tools: readonly OfferedTool[];
  /** Invalid input is answered with `isError`. Throws an `UnknownToolError` for a name that is not offered. */
  call(name: string, input: object, ongoing: OngoingCall): Promise<ToolAnswer>;
}

export class UnknownToolError extends ProtocolError {
  constructor(name: string) {
    super(ProtocolErrorCode.InvalidParams, `There is no tool ${name.slice(0, 200)}.`);
  }
}

export interface ConversationLimits {
  /** A longer message ends the conversation. */
  lineBytes: number;
  /** Of all messages together. */
  bytes: number;
  /** Further calls wait. */
  callsAtOnce: number;
  /** Running and waiting calls; further ones are rejected. */
  calls: number;
}

const defaultLimits: ConversationLimits = {
  lineBytes: 1_000_000,
  bytes: Infinity,
  callsAtOnce: 16,
  calls: 64,
};

const toolListCacheMs = 3_600_000;

/** How long calls may take after the end of the input. */
const graceMs = 1000;

/** Resolves when the client has disconnected and every call has ended. */
export async function serveTools(
  { input, output }: { input: Readable; output: Writable },
  server: ToolServer,
  limits: ConversationLimits = defaultLimits,
): Promise<void> {
  const calls = new CallQueue(limits);
  // Every answer that waits for the client listens to the output.
  output.setMaxListeners(0);
  const received = Readable.from(boundedInput({ input, output }, limits, calls), { objectMode: false });
  const transport = new ClosableTransport(received, output, { maxBufferSize: limits.lineBytes });
  const { close } = serveStdio(() => protocolServer(server, calls), { transport });
  output.once('close', () => void close());
  await transport.closed.promise;
  input.destroy();
  await calls.idle();
}

class ClosableTransport extends StdioServerTransport {
  readonly closed = Promise.withResolvers<void>();

  override async close(): Promise<void> {
    await super.close();
    this.closed.resolve();
  }
}

/** Reads no further while the client does not read the answers, and stops at the limit. */
async function* boundedInput(
  { input, output }: { input: Readable; output: Writable },
  { bytes }: ConversationLimits,
  calls: CallQueue,
): AsyncGenerator<Buffer> {
  let leftBytes = bytes;
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      leftBytes -= chunk.length;
      if (leftBytes < 0) return;
      yield chunk;
      if (output.writableNeedDrain) await Promise.race([once(output, 'drain'), once(output, 'close')]);
    }
    yield Buffer.from('\n');
    // The SDK starts a call, and sends its answer, a moment after it was given the message.
    await setImmediate();
    await calls.idle(graceMs);
    await setImmediate();
  } catch {
    // A broken connection ends the input.
  }
}

function protocolServer({ version, instructions, tools, call }: ToolServer, calls: CallQueue): Server {
  const server = new Server(
    { name: 'docyard', version },
    {
      capabilities: { tools: {} },
      ...(instructions !== undefined && { instructions }),
      cacheHints: { 'tools/list': { ttlMs: toolListCacheMs, cacheScope: 'public' } },
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: [...tools] }));
  server.setRequestHandler('tools/call', ({ params }, context) =>
    calls.run(context.mcpReq.signal, async () => {
      const ended = new AbortController();
      try {
        return resultOf(await call(params.name, params.arguments ?? {}, ongoingCall(context, ended.signal)));
      } catch (error) {
        if (error instanceof ProtocolError) throw error;
        throw new ProtocolError(ProtocolErrorCode.InternalError, 'The tool failed.');
      } finally {
        ended.abort();
      }
    }),
  );
  return server;
}

function resultOf({ texts, structured, isError = false }: ToolAnswer): CallToolResult {
  const content = texts.map((text) => ({ type: 'text' as const, text }));
  return { content, ...(structured && { structuredContent: structured }), isError };
}

function ongoingCall({ mcpReq }: ServerContext, ended: AbortSignal): OngoingCall {
  const { signal, _meta: meta, notify } = mcpReq;
  const progressToken = meta?.progressToken;
  let last = -Infinity;
  return {
    signal,
    report({ done, total, message }) {
      if (progressToken === undefined || signal.aborted || ended.aborted || done <= last) return;
      last = done;
      const params = { progressToken, progress: done, ...(total !== undefined && { total }), message };
      notify({ method: 'notifications/progress', params }).catch(() => {});
    },
  };
}

/** Runs a bounded number of calls at once, in order. */
class CallQueue {
  readonly #limits: ConversationLimits;
  readonly #waiting: (() => void)[] = [];
  #running = 0;
  #onIdle: (() => void)[] = [];

  constructor(limits: ConversationLimits) {
    this.#limits = limits;
  }

  async run<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    if (this.#running + this.#waiting.length >= this.#limits.calls) {
      const message = 'Too many calls are running. Wait for an answer first.';
      throw new ProtocolError(ProtocolErrorCode.InternalError, message);
    }
    if (this.#running >= this.#limits.callsAtOnce)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next !== undefined) next();
      else this.#running -= 1;
      if (this.#running === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    }
  }

  async idle(timeoutMs?: number): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle.push(resolve);
      if (timeoutMs !== undefined) setTimeout(resolve, timeoutMs).unref();
    });
  }
}
