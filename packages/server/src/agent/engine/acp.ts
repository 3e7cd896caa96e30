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
import { openAcpRecorder, type AcpRecorder, type RecordedRun } from './acp-recorder.ts';
import { AcpError, openAcpSession, type AcpSession } from './acp-session.ts';
import { openDocsTools } from './docs-tools.ts';
import { createAgentCopy } from './agent-copy.ts';
import { openModelBridge, type ModelBridge } from './model-bridge.ts';
import {
  endSandboxed,
  modelOriginInside,
  startSandboxed,
  whySandboxFails,
  type SandboxedProgram,
} from './sandbox.ts';

export interface AcpRun extends RecordedRun {
  agent: SandboxedProgram;
  folder: string;
  model: (Omit<ModelSettings, 'key'> & { forward: Forward }) | null;
}

type Ending = Omit<LoopEnd, 'tree'>;

const acpNote = `You work as a coding agent in a sandbox: your working folder is a copy of the documentation, you have no network, and only changes of text files in that folder are kept. Edit the files with your own tools. Of the tools that the text below names you have outline, find_pages, search, page_info, move_page, validate and render_page, from the server docyard; they see the files as they are in your folder. There is no finish: end your turn when the work is done, and let your last message be a short summary of what you changed and why.`;

export const freshSessionNote =
  'The run was interrupted and resumes in a new agent session without the earlier conversation. The files are as last recorded.';

/** Time for the agent to save its work before it is killed. */
const graceMilliseconds = 2000;

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
  const recorder = openAcpRecorder(run, {
    site,
    tree: treeBefore,
    signal: stop,
    onTooManySteps: () => internalStop.abort(`The agent made more than ${run.limits.steps} steps.`),
    onFault: () => internalStop.abort(),
  });
  const model = await openModel(run, stop, recorder, () =>
    internalStop.abort('The budget of the run is used up.'),
  );
  const tools = await openDocsTools({ folder: run.folder, tools: run.tools, call: recorder.callTool });
  let end: Ending;
  try {
    const agent = withSockets(run, { model: model?.path, tools: tools.path });
    end = await runAgentProcess({ ...run, agent }, { site, stop, recorder });
  } finally {
    await Promise.all([model?.close(), tools.close()]);
  }
  await recorder.settled();
  run.signal.throwIfAborted();
  // Work is kept for every ending except a policy violation.
  const { tree, refused } = await recorder.close();
  if (refused !== undefined) return { ...end, reason: 'policy_blocked', problem: refused.message, tree };
  return { ...endingOf(), tree };

  /** Our own reason to stop takes precedence, then a failed model, then the agent's answer. */
  function endingOf(): Ending {
    const { summary, title } = end;
    const failure = model?.failure();
    if (internalStop.signal.aborted) {
      return { reason: 'budget', summary, title, problem: String(internalStop.signal.reason) };
    }
    if (late.aborted) {
      const problem = `The run took longer than ${run.limits.minutes} minutes.`;
      return { reason: 'timeout', summary, title, problem };
    }
    if (failure !== undefined) return { reason: failure.reason, summary, title, problem: failure.message };
    return end;
  }
}

async function openModel(
  { model, folder, limits, journal }: AcpRun,
  signal: AbortSignal,
  recorder: AcpRecorder,
  onSpent: () => void,
): Promise<ModelBridge | undefined> {
  if (model === null) return undefined;
  const { forward } = model;
  const used = usageOf(journal.steps);
  return openModelBridge({
    folder,
    model,
    forward,
    used,
    limits,
    signal,
    onAnswer: recorder.onUsage,
    onSpent,
  });
}

/** A placeholder key; the gateway adds the real one outside the sandbox. */
function withSockets(
  { agent, model }: AcpRun,
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

async function runAgentProcess(
  run: AcpRun,
  { site, stop, recorder }: { site: string; stop: AbortSignal; recorder: AcpRecorder },
): Promise<Ending> {
  const child = await startSandboxed(run.agent, { scratch: run.folder, site });
  const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const timers = new Set<NodeJS.Timeout>();
  let session: AcpSession | undefined;
  const onStop = (): void => {
    session?.cancel();
    timers.add(setTimeout(() => endSandboxed(child), session === undefined ? 0 : graceMilliseconds));
  };
  stop.addEventListener('abort', onStop, { once: true });
  if (stop.aborted) onStop();
  const currentSummary = () => ({ summary: recorder.lastText(), title: '' });
  try {
    session = await openAcpSession(child, recorder.onUpdate);
    return { reason: await takeTurns(run, session, stop), ...currentSummary() };
  } catch (error) {
    if (!(error instanceof AcpError)) {
      if (!stop.aborted) throw error;
      return { reason: 'internal', ...currentSummary() };
    }
    return { reason: error.reason, ...currentSummary(), problem: error.message };
  } finally {
    stop.removeEventListener('abort', onStop);
    for (const timer of timers) clearTimeout(timer);
    endSandboxed(child);
    await closed;
  }
}

async function takeTurns(run: AcpRun, session: AcpSession, stop: AbortSignal): Promise<EndReason> {
  const opening = run.messages.map(({ text }) => text);
  const received = run.journal.steps.flatMap((step) => (step.kind === 'message' ? [step.message.text] : []));
  let reason = await session.prompt([acpNote, ...opening, ...received].join('\n\n'));
  while (reason === 'done' && !stop.aborted) {
    const [news] = (await run.incoming?.()) ?? [];
    if (news === undefined) break;
    await run.journal.append({ kind: 'message', message: { role: 'user', text: news } });
    reason = await session.prompt(news);
  }
  return reason;
}
