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
  type InitializeResponse,
  type NewSessionResponse,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { EndReason } from '../contract.ts';
import { chooseAuthMethod, refusedSignIn } from './acp-authentication.ts';
import { createUpdateReader, type AgentUpdate } from './acp-updates.ts';
import { AcpError, authRequired, explainAnswer, watchForFailure } from './agent-failure.ts';
import { siteInside, toolsInside, type SandboxedProcess } from './sandbox.ts';

export type AcpStage = 'initialize' | 'session' | 'authenticate' | 'prompt';

export interface AcpSessionOptions {
  /** Names in the environment of the agent; one may hold the key of a sign-in. */
  variables: readonly string[];
  onUpdate(update: AgentUpdate): void;
  /** Called for every message of the agent. */
  onActivity?(): void;
  onStage?(stage: AcpStage): void;
  /** What the agent says about itself. */
  onInitialized?(agent: InitializeResponse): void;
}

export interface AcpSession {
  /** Resolves when the turn of the agent ends. Throws AcpError. */
  prompt(text: string): Promise<EndReason>;
  cancel(): void;
}

/** Agents prefix the names of the docs tools with it. */
const toolServer = 'docyard';
const maxMessageBytes = 4_000_000;

const endings: Record<StopReason, EndReason> = {
  end_turn: 'done',
  max_tokens: 'budget',
  max_turn_requests: 'budget',
  refusal: 'refused',
  cancelled: 'cancelled',
};

export async function openAcpSession(
  child: SandboxedProcess,
  { variables, onUpdate, onActivity, onStage, onInitialized }: AcpSessionOptions,
): Promise<AcpSession> {
  const failure = watchForFailure(child);
  const { agent } = connect(child, onUpdate);
  child.stdout.on('data', () => onActivity?.());
  const orFail = <T>(answer: Promise<T>): Promise<T> =>
    Promise.race([answer, failure.happened]).catch(async (error: unknown) => {
      throw await failure.explain(error);
    });
  onStage?.('initialize');
  const initialized = await orFail(
    agent.request<InitializeResponse>(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    }),
  );
  onInitialized?.(initialized);
  const { protocolVersion, authMethods = [] } = initialized;
  if (protocolVersion !== PROTOCOL_VERSION) {
    throw new AcpError('internal', `The agent uses the unsupported protocol version ${protocolVersion}.`);
  }
  let isSignedIn = false;

  async function signIn(): Promise<void> {
    onStage?.('authenticate');
    const method = chooseAuthMethod(authMethods, variables);
    if (method === undefined) throw new AcpError('model_auth', refusedSignIn(authMethods));
    isSignedIn = true;
    try {
      await agent.request(methods.agent.authenticate, { methodId: method.id });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const message = `The agent refused the sign-in with "${method.name}": ${explainAnswer(error)}`;
      throw new AcpError('model_auth', message, { cause: error });
    }
  }

  /** An agent may ask for a sign-in when a session starts or with its first prompt. */
  async function signedIn<T>(stage: AcpStage, request: () => Promise<T>): Promise<T> {
    onStage?.(stage);
    try {
      return await request();
    } catch (error) {
      const isSignInMissing = error instanceof RequestError && error.code === authRequired;
      if (!isSignInMissing || isSignedIn) throw error;
      await signIn();
      onStage?.(stage);
      return request();
    }
  }

  const opening = { cwd: siteInside, mcpServers: [{ name: toolServer, ...toolsInside, env: [] }] };
  const { sessionId } = await orFail(
    signedIn('session', () => agent.request<NewSessionResponse>(methods.agent.session.new, opening)),
  );
  return {
    async prompt(text) {
      const params = { sessionId, prompt: [{ type: 'text' as const, text }] };
      const { stopReason } = await orFail(
        signedIn('prompt', () => agent.request<PromptResponse>(methods.agent.session.prompt, params)),
      );
      return endings[stopReason];
    },
    cancel() {
      agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined);
    },
  };
}

function connect(child: SandboxedProcess, onUpdate: AcpSessionOptions['onUpdate']) {
  const readUpdate = createUpdateReader();
  const app = client({ name: 'docyard' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => answerPermission(params))
    .onNotification(methods.client.session.update, ({ params }) => {
      const update = readUpdate(params.update);
      if (update !== undefined) onUpdate(update);
    });
  const output = Writable.toWeb(child.stdin) as WritableStream<Uint8Array>;
  const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  return app.connect(ndJsonStream(output, input, { maxMessageBytes }));
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
