/**
 * Runs an external agent that speaks the Agent Client Protocol in a sandbox, on a copy of the files. It can
 * reach only a model and the docs tools, over local sockets. Its changes pass the path guard and are judged
 * like any other work.
 */
import { rm, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EndReason, LoopEnd, Step } from '../contract.ts';
import type { ModelSettings } from '../model/endpoint.ts';
import type { Forward } from '../model/gateway.ts';
import { usageOf } from '../replay.ts';
import { createTurn, runAgentProcess, type Ending } from './acp-process.ts';
import { openAcpRecorder, type AcpRecorder, type RecordedRun } from './acp-recorder.ts';
import { createAgentCopy } from './agent-copy.ts';
import { AcpError } from './agent-failure.ts';
import { deriveTitle } from './derived-title.ts';
import { openDocsTools } from './docs-tools.ts';
import { openModelBridge, type ModelBridge } from './model-bridge.ts';
import { modelOriginInside, whySandboxFails, type SandboxedProgram } from './sandbox.ts';
import { openSilenceWatch, openStallWatch, type SilenceWatch } from './stall-watch.ts';

export interface AcpRun extends RecordedRun {
  agent: SandboxedProgram;
  folder: string;
  model: (Omit<ModelSettings, 'key'> & { forward: Forward }) | null;
  maxSilenceSeconds?: number;
}

export const freshSessionNote =
  'The run was interrupted and resumes in a new agent session without the earlier conversation. The files are as last recorded.';

const defaultMaxSilenceSeconds = 600;

/** Throws the reason of the signal and errors of the journal. */
export async function runAcp(run: AcpRun): Promise<LoopEnd> {
  const ended = run.journal.steps.findLast((step) => step.kind === 'loop-ended');
  if (ended) {
    const { kind: _, ...end } = ended;
    return end;
  }
  run.signal.throwIfAborted();
  try {
    await mkdir(run.folder, { recursive: true });
    const end = await attempt(run);
    await run.journal.append({ kind: 'loop-ended', ...end });
    return end;
  } finally {
    await rm(run.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function attempt(run: AcpRun): Promise<LoopEnd> {
  const before = await run.checkpoint();
  const weakness = await whySandboxFails(run.folder);
  if (weakness !== undefined) {
    const problem = `The agent was not started because the sandbox is not secure: ${weakness}`;
    return { reason: 'internal', summary: '', title: '', tree: before, problem };
  }
  await noteFreshSession(run);
  const site = join(run.folder, 'site');
  await createAgentCopy(run.toolContext.tree, site);
  return runSession(run, site, before);
}

/** The session state of an agent is lost with its sandbox, so no session can be resumed. */
async function noteFreshSession({ journal }: AcpRun): Promise<void> {
  const ofEngine: Step['kind'][] = ['message', 'answer', 'result'];
  if (!journal.steps.some(({ kind }) => ofEngine.includes(kind))) return;
  await journal.append({ kind: 'message', message: { role: 'system', text: freshSessionNote } });
}

async function runSession(run: AcpRun, site: string, treeBefore: string): Promise<LoopEnd> {
  const millisecondsLeft = Math.max(0, run.startedAt + run.limits.minutes * 60_000 - run.now());
  const late = AbortSignal.timeout(millisecondsLeft);
  const internalStop = new AbortController();
  const stop = AbortSignal.any([run.signal, late, internalStop.signal]);
  const stopAs = (reason: EndReason, problem: string) => internalStop.abort(new AcpError(reason, problem));
  const stall = openStallWatch({
    journal: run.journal,
    onWarning: (text) => turn.interrupt(text),
    onStalled: (text) => stopAs('stalled', text),
  });
  const turn = createTurn((text) => stopAs('stalled', text));
  const maxSilenceSeconds = run.maxSilenceSeconds ?? defaultMaxSilenceSeconds;
  const silence = openSilenceWatch(maxSilenceSeconds, () =>
    stopAs('stalled', `The agent sent no message for ${maxSilenceSeconds} seconds.`),
  );
  const recorder = openAcpRecorder(run, {
    site,
    tree: treeBefore,
    signal: stop,
    stall,
    onTooManySteps: () => stopAs('budget', `The agent made more than ${run.limits.steps} steps.`),
    onFault: () => internalStop.abort(),
  });
  const model = await openModel(run, stop, { recorder, silence }, () =>
    stopAs('budget', 'The budget of the run is used up.'),
  );
  const tools = await openDocsTools({
    folder: run.folder,
    tools: run.tools,
    async call(call) {
      silence.pause();
      return recorder.callTool(call).finally(() => silence.resume());
    },
  });
  let end: Ending;
  try {
    const agent = withSockets(run, { model: model?.path, tools: tools.path });
    end = await runAgentProcess({ ...run, agent }, { site, stop, recorder, stall, silence, turn });
  } finally {
    silence.close();
    turn.end();
    await Promise.all([model?.close(), tools.close()]);
  }
  await recorder.settled();
  run.signal.throwIfAborted();
  // Work is kept for every ending except a policy violation.
  const { tree, refused } = await recorder.close();
  if (refused !== undefined) return { ...end, reason: 'policy_blocked', problem: refused.message, tree };
  const { files } = await run.toolContext.diff();
  return { ...endingOf(), title: deriveTitle(end.summary, files), tree };

  /** Our own reason to stop takes precedence, then a failed model, then the agent's answer. */
  function endingOf(): Ending {
    const { summary, title } = end;
    const stopped: unknown = internalStop.signal.reason;
    if (stopped instanceof AcpError) {
      return { reason: stopped.reason, summary, title, problem: stopped.message };
    }
    if (late.aborted) {
      const problem = `The run took longer than ${run.limits.minutes} minutes.`;
      return { reason: 'timeout', summary, title, problem };
    }
    const failure = model?.failure();
    if (failure !== undefined) return { reason: failure.reason, summary, title, problem: failure.message };
    return end;
  }
}

async function openModel(
  { model, folder, limits, journal }: AcpRun,
  signal: AbortSignal,
  { recorder, silence }: { recorder: AcpRecorder; silence: SilenceWatch },
  onSpent: () => void,
): Promise<ModelBridge | undefined> {
  if (model === null) return undefined;
  const used = usageOf(journal.steps);
  return openModelBridge({
    folder,
    model,
    async forward(...request) {
      silence.pause();
      return model.forward(...request).catch((error: unknown) => {
        silence.resume();
        throw error;
      });
    },
    used,
    limits,
    signal,
    onAnswer(usage) {
      silence.resume();
      recorder.onUsage(usage);
    },
    onSpent,
  });
}

/** A placeholder key; the gateway adds the real one outside the sandbox. */
export function withSockets(
  { agent, model }: { agent: SandboxedProgram; model: Pick<ModelSettings, 'provider' | 'name'> | null },
  sockets: NonNullable<SandboxedProgram['sockets']>,
): SandboxedProgram {
  const key = 'held-by-docyard';
  const environments = {
    openai: {
      OPENAI_BASE_URL: `${modelOriginInside}/v1`,
      OPENAI_API_KEY: key,
      OPENAI_MODEL: model?.name ?? '',
    },
    anthropic: {
      ANTHROPIC_BASE_URL: modelOriginInside,
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_MODEL: model?.name ?? '',
    },
    gemini: {
      GOOGLE_GEMINI_BASE_URL: modelOriginInside,
      GEMINI_API_KEY: key,
      GEMINI_MODEL: model?.name ?? '',
    },
  };
  const environment = { ...(model === null ? {} : environments[model.provider]), ...agent.environment };
  return { ...agent, environment, sockets };
}
