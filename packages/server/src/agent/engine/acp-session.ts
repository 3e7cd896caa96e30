/**
 * A session with an agent over the Agent Client Protocol, version 1. It offers the docs tools, but no file
 * system and no terminal. Permission rules guide cooperative agents; the sandbox enforces the limits.
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
  /** Resolves when the turn of the agent ends. Throws AcpError. */
  prompt(text: string): Promise<EndReason>;
  cancel(): void;
}

export class AcpError extends Error {
  override name = 'AcpError';
  readonly reason: EndReason;

  constructor(reason: EndReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Agents prefix the names of the docs tools with it. */
const toolServer = 'docyard';
const maxMessageBytes = 4_000_000;
const maxOutputBytes = 64_000_000;
const maxCallCharacters = 500;

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
      const update = readUpdate(params.update, calls);
      if (update !== undefined) onUpdate(update);
    });
  const output = Writable.toWeb(child.stdin) as WritableStream<Uint8Array>;
  const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  const connection = app.connect(ndJsonStream(output, input, { maxMessageBytes }));
  const { agent } = connection;
  const orFail = <T>(answer: Promise<T>): Promise<T> =>
    Promise.race([answer, failure.happened]).catch(async (error: unknown) => {
      throw await failure.explain(error);
    });
  const { protocolVersion } = await orFail(
    agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    }),
  );
  if (protocolVersion !== PROTOCOL_VERSION) {
    throw new AcpError('internal', `The agent uses the unsupported protocol version ${protocolVersion}.`);
  }
  const { sessionId } = await orFail(
    agent.request(methods.agent.session.new, {
      cwd: siteInside,
      mcpServers: [{ name: toolServer, ...toolsInside, env: [] }],
    }),
  );
  return {
    async prompt(text) {
      const prompt = [{ type: 'text' as const, text }];
      const { stopReason } = await orFail(
        agent.request<PromptResponse>(methods.agent.session.prompt, { sessionId, prompt }),
      );
      return endings[stopReason];
    },
    cancel() {
      agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined);
    },
  };
}

function failureOf(child: SandboxedProcess) {
  let complaint = '';
  let size = 0;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2000);
  });
  child.stdin.on('error', () => undefined);
  const ended = Promise.withResolvers<AcpError>();
  child.once('error', (error) => {
    ended.resolve(new AcpError('internal', 'The agent could not be started.', { cause: error }));
  });
  child.once('close', (code) => {
    const lastLine = complaint.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
    const how = code === null ? 'was killed' : `exited with status ${code}`;
    ended.resolve(
      new AcpError('model_unavailable', `The agent ${how} before its work was done. ${lastLine}`.trim()),
    );
  });
  child.stdout.on('data', (bytes: Buffer) => {
    size += bytes.length;
    if (size > maxOutputBytes) {
      ended.resolve(new AcpError('budget', `The agent wrote more than ${maxOutputBytes} bytes.`));
    }
  });
  const happened = ended.promise.then((error) => Promise.reject(error));
  happened.catch(() => undefined);
  return {
    happened,
    async explain(cause: unknown): Promise<Error> {
      if (cause instanceof AcpError) return cause;
      if (cause instanceof RequestError) {
        const reason = cause.code === authRequired ? 'model_auth' : 'model_unavailable';
        return new AcpError(reason, `The agent answered: ${cause.message.slice(0, 300)}`, { cause });
      }
      // The connection closes shortly before the process, whose exit status says more.
      const waited = new Promise<undefined>((resolve) => void setTimeout(resolve, 500, undefined));
      const known = await Promise.race([ended.promise, waited]);
      return known ?? new AcpError('model_unavailable', 'The agent sent an invalid response.', { cause });
    },
  };
}

const authRequired = -32_000;

/** Undefined for updates that are not shown, such as thoughts and plans. */
function readUpdate(
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
    title: (update.title ?? known?.title ?? '').slice(0, maxCallCharacters),
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
  const isDocsTool = kind === 'other' && toolCall.title?.includes(toolServer) === true;
  const isAllowed = (allowedKinds.has(kind) || isDocsTool) && (toolCall.locations ?? []).every(isInside);
  const wanted = isAllowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  const chosen = wanted.flatMap((kind) => options.filter((option) => option.kind === kind))[0];
  if (chosen === undefined) return { outcome: { outcome: 'cancelled' } };
  return { outcome: { outcome: 'selected', optionId: chosen.optionId } };
}
