/**
 * One conversation with an agent over the Agent Client Protocol, version 1. It offers the agent our own tools and nothing
 * else: no files, no terminal. Permissions are answered by rule, which keeps honest agents on the path; the sandbox holds
 * others.
 */
import { posix } from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { EndReason, ToolCall } from '../contract.ts';
import { siteInside, toolsInside, type SandboxedProcess } from './sandbox.ts';

export type AgentUpdate =
  | { kind: 'text'; text: string }
  | { kind: 'call'; call: ToolCall; text: string; isError: boolean };

export interface AcpSession {
  /** Resolves when the agent's turn is over. Throws AcpFailure. */
  prompt(text: string): Promise<EndReason>;
  cancel(): void;
}

/** The agent itself failed; the message is for people. */
export class AcpFailure extends Error {
  override name = 'AcpFailure';
  readonly reason: EndReason;

  constructor(reason: EndReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Agents put it before the names of our tools. */
const toolServer = 'docyard';
const mostMessageBytes = 4_000_000;
const mostOutputBytes = 64_000_000;
const mostCallCharacters = 500;

const endings: Record<StopReason, EndReason> = {
  end_turn: 'done',
  max_tokens: 'budget',
  max_turn_requests: 'budget',
  refusal: 'refused',
  cancelled: 'cancelled',
};

export async function openAcpSession(
  child: SandboxedProcess,
  onUpdate: (update: AgentUpdate) => void,
): Promise<AcpSession> {
  const failure = failureOf(child);
  const calls = new Map<string, { title: string; kind: string; path: string | undefined }>();
  const app = client({ name: 'docyard' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => answerPermission(params))
    .onNotification(methods.client.session.update, ({ params }) => {
      const update = read(params.update, calls);
      if (update !== undefined) onUpdate(update);
    });
  const output = Writable.toWeb(child.stdin) as WritableStream<Uint8Array>;
  const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  const connection = app.connect(ndJsonStream(output, input, { maxMessageBytes: mostMessageBytes }));
  const { agent } = connection;
  const asked = <T>(answer: Promise<T>): Promise<T> =>
    Promise.race([answer, failure.happened]).catch(async (error: unknown) => {
      throw await failure.explain(error);
    });
  const { protocolVersion } = await asked(
    agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    }),
  );
  if (protocolVersion !== PROTOCOL_VERSION) {
    throw new AcpFailure('internal', `The agent speaks version ${protocolVersion} of the protocol.`);
  }
  const { sessionId } = await asked(
    agent.request(methods.agent.session.new, {
      cwd: siteInside,
      mcpServers: [{ name: toolServer, ...toolsInside, env: [] }],
    }),
  );
  return {
    async prompt(text) {
      const prompt = [{ type: 'text' as const, text }];
      const { stopReason } = await asked(
        agent.request<PromptResponse>(methods.agent.session.prompt, { sessionId, prompt }),
      );
      return endings[stopReason];
    },
    cancel() {
      // It may be gone already, and is ended soon in any case.
      agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined);
    },
  };
}

/** Why a conversation broke off: the program ended, said too much, or answered with an error. */
function failureOf(child: SandboxedProcess) {
  let complaint = '';
  let size = 0;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2000);
  });
  child.stdin.on('error', () => undefined);
  const ended = Promise.withResolvers<AcpFailure>();
  child.once('error', (error) => {
    ended.resolve(new AcpFailure('internal', 'The agent could not be started.', { cause: error }));
  });
  child.once('close', (code) => {
    const lastLine = complaint.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
    const how = code === null ? 'was ended' : `ended with status ${code}`;
    ended.resolve(
      new AcpFailure('model_unavailable', `The agent ${how} before its work was done. ${lastLine}`.trim()),
    );
  });
  child.stdout.on('data', (bytes: Buffer) => {
    size += bytes.length;
    if (size > mostOutputBytes) {
      ended.resolve(new AcpFailure('budget', `The agent said more than ${mostOutputBytes} bytes.`));
    }
  });
  const happened = ended.promise.then((error) => Promise.reject(error));
  happened.catch(() => undefined);
  return {
    happened,
    async explain(cause: unknown): Promise<Error> {
      if (cause instanceof AcpFailure) return cause;
      if (cause instanceof RequestError) {
        const reason = cause.code === authRequired ? 'model_auth' : 'model_unavailable';
        return new AcpFailure(reason, `The agent answered: ${cause.message.slice(0, 300)}`, { cause });
      }
      // The connection closes a moment before the program does, and its status says more.
      const waited = new Promise<undefined>((resolve) => void setTimeout(resolve, 500, undefined));
      const known = await Promise.race([ended.promise, waited]);
      return known ?? new AcpFailure('model_unavailable', 'The agent cannot be understood.', { cause });
    },
  };
}

const authRequired = -32_000;

/** Undefined for what is of no use to a reader, such as thoughts and plans. */
function read(
  update: SessionUpdate,
  calls: Map<string, { title: string; kind: string; path: string | undefined }>,
): AgentUpdate | undefined {
  if (update.sessionUpdate === 'agent_message_chunk') {
    return update.content.type === 'text' ? { kind: 'text', text: update.content.text } : undefined;
  }
  if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') return undefined;
  const { toolCallId: id, status } = update;
  const known = calls.get(id);
  const call = {
    title: (update.title ?? known?.title ?? '').slice(0, mostCallCharacters),
    kind: update.kind ?? known?.kind ?? 'other',
    path: update.locations?.[0]?.path ?? known?.path,
  };
  if (status !== 'completed' && status !== 'failed') {
    if (calls.size < 1000) calls.set(id, call);
    return undefined;
  }
  calls.delete(id);
  const path = call.path === undefined ? undefined : shownPath(call.path);
  const input = { title: call.title, ...(path === undefined ? {} : { path }) };
  return {
    kind: 'call',
    call: { id: id.slice(0, 100), name: `acp_${call.kind}`, input },
    text: call.title,
    isError: status === 'failed',
  };
}

function shownPath(path: string): string {
  const full = posix.resolve(siteInside, path);
  return full.startsWith(`${siteInside}/`) ? full.slice(siteInside.length + 1) : full;
}

const allowedKinds: ReadonlySet<string> = new Set(['read', 'search', 'edit', 'move', 'delete', 'think']);

export function answerPermission({
  toolCall,
  options,
}: Pick<RequestPermissionRequest, 'toolCall' | 'options'>): RequestPermissionResponse {
  const isInside = ({ path }: { path: string }): boolean =>
    `${posix.resolve(siteInside, path)}/`.startsWith(`${siteInside}/`);
  const kind = toolCall.kind ?? 'other';
  const isOurs = kind === 'other' && toolCall.title?.includes(toolServer) === true;
  const isAllowed = (allowedKinds.has(kind) || isOurs) && (toolCall.locations ?? []).every(isInside);
  const wanted = isAllowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  const chosen = wanted.flatMap((kind) => options.filter((option) => option.kind === kind))[0];
  if (chosen === undefined) return { outcome: { outcome: 'cancelled' } };
  return { outcome: { outcome: 'selected', optionId: chosen.optionId } };
}
