/**
 * A server of tools in the Model Context Protocol, over any two streams that carry lines. It bounds what a client can
 * make it keep, and knows nothing of what the tools do.
 */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { linesOf, type LineLimits } from './lines.ts';
import {
  cancelledId,
  greetedVersion,
  mannerOf,
  messageIn,
  namedCall,
  ProtocolError,
  serverInfoKey,
  versionsSpoken,
  type Manner,
  type Message,
  type MessageId,
} from './messages.ts';

export interface OfferedTool {
  name: string;
  title?: string;
  description: string;
  /** JSON Schemas. */
  inputSchema: object;
  outputSchema?: object;
  annotations?: Record<'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint', boolean>;
}

export interface ToolAnswer {
  texts: readonly string[];
  /** What `outputSchema` describes. */
  structured?: object;
  isError?: boolean;
}

export interface OngoingCall {
  /** Aborted when the client no longer wants the answer, or is gone. */
  signal: AbortSignal;
  /** Told to clients that asked for it. The number only ever grows; smaller ones are left out. */
  report(progress: { done: number; total?: number; message: string }): void;
}

export interface ToolServer {
  version: string;
  /** For whoever chooses among the tools. */
  instructions?: string;
  tools: readonly OfferedTool[];
  /** What is wrong with a call is an answer too; a `ProtocolError` says that there is no such tool. */
  call(name: string, input: object, ongoing: OngoingCall): Promise<ToolAnswer>;
}

export interface ConversationLimits extends LineLimits {
  /** Others wait for their turn. */
  callsAtOnce: number;
  /** At work and waiting; more are refused. */
  calls: number;
}

const usualLimits: ConversationLimits = {
  lineBytes: 1_000_000,
  bytes: Infinity,
  callsAtOnce: 16,
  calls: 64,
};

/** After the last line, for answers that are about to come. */
const graceMilliseconds = 1000;

/** Resolves when the client has hung up and nothing is at work any more. */
export async function serveTools(
  { input, output }: { input: Readable; output: Writable },
  server: ToolServer,
  limits: ConversationLimits = usualLimits,
): Promise<void> {
  const gone = new AbortController();
  const hangUp = (): void => {
    gone.abort();
    input.destroy();
  };
  output.on('error', hangUp).once('close', hangUp);
  const conversation = new Conversation(output, server, limits);
  try {
    for await (const line of linesOf(input, limits)) {
      conversation.hear(line);
      // Whoever does not read the answers is not listened to either.
      if (output.writableNeedDrain) await once(output, 'drain', { signal: gone.signal });
    }
  } catch {
    // The connection broke: the same as its end.
  }
  await conversation.end(gone.signal.aborted ? 0 : graceMilliseconds);
}

class Conversation {
  readonly #output: Writable;
  readonly #server: ToolServer;
  readonly #limits: ConversationLimits;
  readonly #calls = new Map<MessageId, AbortController>();
  readonly #work = new Set<Promise<void>>();
  /** Those that wait for their turn, in order. */
  readonly #waiting: (() => void)[] = [];
  #atOnce = 0;

  constructor(output: Writable, server: ToolServer, limits: ConversationLimits) {
    this.#output = output;
    this.#server = server;
    this.#limits = limits;
  }

  hear(line: string | undefined): void {
    try {
      if (line === undefined) throw new ProtocolError('invalidRequest', 'This line is too long.');
      const message = messageIn(line);
      if (message === undefined) return;
      if (message.id !== undefined) this.#answerTo(message, message.id);
      else if (message.method === 'notifications/cancelled') this.#cancel(cancelledId(message));
    } catch (error) {
      this.#refuse(error instanceof ProtocolError ? error.id : undefined, error);
    }
  }

  async end(graceMs: number): Promise<void> {
    const done = Promise.all(this.#work);
    const timer = setTimeout(() => this.#cancelAll(), graceMs);
    await done;
    clearTimeout(timer);
  }

  #answerTo(message: Message, id: MessageId): void {
    try {
      const manner = mannerOf(message);
      if (message.method !== 'tools/call') {
        this.#send({ id, result: this.#inManner(manner, this.#resultOf(message, manner)) });
        return;
      }
      const work = this.#call(message, id, manner).catch((error: unknown) => this.#refuse(id, error));
      this.#work.add(work);
      void work.finally(() => this.#work.delete(work));
    } catch (error) {
      this.#refuse(id, error);
    }
  }

  #resultOf({ method, params }: Message, { stateless }: Manner): object {
    const { version, instructions, tools } = this.#server;
    const about = { capabilities: { tools: {} }, ...(instructions === undefined ? {} : { instructions }) };
    const cached = stateless ? { ttlMs: 3_600_000, cacheScope: 'public' } : {};
    if (method === 'tools/list') {
      if (params?.['cursor'] !== undefined)
        throw new ProtocolError('invalidParams', 'The list has one part; there is no cursor to go on from.');
      return { tools, ...cached };
    }
    if (method === 'server/discover') return { supportedVersions: versionsSpoken, ...about, ...cached };
    if (method === 'initialize' && !stateless) {
      const protocolVersion = greetedVersion(params?.['protocolVersion']);
      return { protocolVersion, ...about, serverInfo: { name: 'docyard', version } };
    }
    if (method === 'ping' && !stateless) return {};
    throw new ProtocolError('noSuchMethod', 'There is no such method.');
  }

  async #call(message: Message, id: MessageId, manner: Manner): Promise<void> {
    const { name, input } = namedCall(message);
    if (this.#calls.has(id))
      throw new ProtocolError('invalidRequest', 'A call with this id is still at work.');
    if (this.#calls.size >= this.#limits.calls)
      throw new ProtocolError('internal', 'Too many calls are at work. Wait for an answer first.');
    const controller = new AbortController();
    const { signal } = controller;
    this.#calls.set(id, controller);
    await this.#turn();
    try {
      if (signal.aborted) return;
      const report = this.#reporter(manner, signal);
      const { texts, structured, isError = false } = await this.#server.call(name, input, { signal, report });
      if (signal.aborted) return;
      const content = texts.map((text) => ({ type: 'text', text }));
      const result = { content, ...(structured && { structuredContent: structured }), isError };
      this.#send({ id, result: this.#inManner(manner, result) });
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#calls.delete(id);
      // After an abort nothing more may be reported, and after an answer neither.
      controller.abort();
      const next = this.#waiting.shift();
      if (next === undefined) this.#atOnce -= 1;
      else next();
    }
  }

  /** Whoever is at the end of its turn hands it to the next, so that nobody slips in between. */
  async #turn(): Promise<void> {
    if (this.#atOnce < this.#limits.callsAtOnce) this.#atOnce += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #reporter({ progressToken }: Manner, signal: AbortSignal): OngoingCall['report'] {
    let last = -Infinity;
    return ({ done, total, message }) => {
      if (progressToken === undefined || signal.aborted || done <= last) return;
      last = done;
      const params = { progressToken, progress: done, ...(total !== undefined && { total }), message };
      this.#send({ method: 'notifications/progress', params });
    };
  }

  #cancel(id: MessageId | undefined): void {
    if (id !== undefined) this.#calls.get(id)?.abort();
  }

  #cancelAll(): void {
    for (const controller of this.#calls.values()) controller.abort();
  }

  #inManner({ stateless }: Manner, result: object): object {
    if (!stateless) return result;
    const about = { [serverInfoKey]: { name: 'docyard', version: this.#server.version } };
    return { resultType: 'complete', ...result, ['_meta']: about };
  }

  #refuse(id: MessageId | undefined, error: unknown): void {
    const known = error instanceof ProtocolError ? error : new ProtocolError('internal', 'The tool failed.');
    const { code, message, data } = known;
    this.#send({ ...(id !== undefined && { id }), error: { code, message, ...(data && { data }) } });
  }

  #send(message: object): void {
    if (this.#output.writable) this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
