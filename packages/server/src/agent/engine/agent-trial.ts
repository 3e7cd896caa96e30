/** Tries an external agent in the sandbox: a session, one prompt and a model that costs nothing. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { InitializeResponse } from '@agentclientprotocol/sdk';
import { defaultLimits, type EndReason } from '../contract.ts';
import type { ModelSettings } from '../model/endpoint.ts';
import { tools } from '../tools/all-tools.ts';
import { withSockets } from './acp.ts';
import { openAcpSession, type AcpStage } from './acp-session.ts';
import { AcpError } from './agent-failure.ts';
import { openDocsTools } from './docs-tools.ts';
import { openModelBridge } from './model-bridge.ts';
import { endSandboxed, startSandboxed, type SandboxedProgram } from './sandbox.ts';
import { scriptedForward } from './scripted-model.ts';

export interface AgentTrial {
  /** Names of the variables that reach the agent. */
  variables: string[];
  /** The stages that succeeded. */
  stages: AcpStage[];
  /** What the agent says about itself; null if it was not initialized. */
  agent: InitializeResponse | null;
  ending: EndReason | null;
  modelCalls: number;
  failure: { stage: AcpStage; reason: EndReason; message: string } | null;
}

export interface TrialOptions {
  program: SandboxedProgram;
  model: Pick<ModelSettings, 'provider' | 'name'>;
  maxSeconds: number;
}

const answer = 'There is nothing to change.';
const task =
  'This is a test of the connection. Do not use a tool and do not change a file. Answer in one sentence.';

export async function tryAgent({ program, model, maxSeconds }: TrialOptions): Promise<AgentTrial> {
  const folder = await mkdtemp(join(tmpdir(), 'docyard-agent-'));
  const signal = AbortSignal.timeout(maxSeconds * 1000);
  let modelCalls = 0;
  const forward = scriptedForward(answer, () => (modelCalls += 1));
  const bridge = await openModelBridge({
    folder,
    model: { ...model, url: 'http://127.0.0.1' },
    forward,
    used: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, steps: 0 },
    limits: defaultLimits,
    signal,
    onAnswer: () => undefined,
    onSpent: () => undefined,
  });
  const docsTools = await openDocsTools({ folder, tools, call: async () => ({ text: answer }) });
  try {
    const site = join(folder, 'site');
    await mkdir(site);
    await writeFile(join(site, 'index.mdx'), '# Test\n');
    const agent = withSockets({ agent: program, model }, { model: bridge.path, tools: docsTools.path });
    const folders = { scratch: folder, site };
    const variables = await variablesIn(agent, folders, signal);
    const session = await openTrialSession(agent, folders, { signal, maxSeconds });
    return { variables, modelCalls, ...session };
  } finally {
    await Promise.all([bridge.close(), docsTools.close()]);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Asked inside the sandbox, so that the answer is what the agent gets. */
async function variablesIn(
  agent: SandboxedProgram,
  folders: Parameters<typeof startSandboxed>[1],
  signal: AbortSignal,
): Promise<string[]> {
  const child = await startSandboxed({ ...agent, command: '/usr/bin/env', args: ['-0'] }, folders);
  const end = (): void => endSandboxed(child);
  signal.addEventListener('abort', end, { once: true });
  child.stdin.on('error', () => undefined).end();
  child.stderr.resume();
  const found = await text(child.stdout);
  signal.removeEventListener('abort', end);
  return found
    .split('\0')
    .flatMap((pair) => pair.split('=', 1))
    .filter((name) => name !== '')
    .toSorted();
}

async function openTrialSession(
  program: SandboxedProgram,
  folders: Parameters<typeof startSandboxed>[1],
  { signal, maxSeconds }: { signal: AbortSignal; maxSeconds: number },
): Promise<Omit<AgentTrial, 'variables' | 'modelCalls'>> {
  const child = await startSandboxed(program, folders);
  const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const end = (): void => endSandboxed(child);
  signal.addEventListener('abort', end, { once: true });
  const entered: AcpStage[] = [];
  let agent: InitializeResponse | null = null;
  try {
    const session = await openAcpSession(child, {
      variables: Object.keys(program.environment),
      onUpdate: () => undefined,
      onStage: (stage) => entered.push(stage),
      onInitialized: (response) => (agent = response),
    });
    const ending = await session.prompt(task);
    return { stages: unique(entered), agent, ending, failure: null };
  } catch (error) {
    if (!(error instanceof AcpError)) throw error;
    const stage = entered.at(-1) ?? 'initialize';
    const message = signal.aborted ? `No answer within ${maxSeconds} seconds.` : error.message;
    const stages = passedBefore(stage, entered);
    return { stages, agent, ending: null, failure: { stage, reason: error.reason, message } };
  } finally {
    signal.removeEventListener('abort', end);
    endSandboxed(child);
    await closed;
  }
}

/** The stage that requires a sign-in has not passed before it. */
function passedBefore(stage: AcpStage, entered: readonly AcpStage[]): AcpStage[] {
  const passed = unique(entered.slice(0, entered.indexOf(stage)));
  return stage === 'authenticate' ? passed.slice(0, -1) : passed;
}

/** A sign-in repeats the stage that required it. */
function unique(stages: readonly AcpStage[]): AcpStage[] {
  return [...new Set(stages)];
}
