/**
 * The second engine: lets a foreign coding agent that speaks the Agent Client Protocol do the work, in a sandbox, on a
 * copy of the files. Its only ways out are a model and our own tools, over sockets of ours. What it changed comes back
 * through the guard of the tree, and is then validated and judged like any other work.
 */
import { rm, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EndReason, LoopEnd, Step } from '../contract.ts';
import type { ModelSettings } from '../model/endpoint.ts';
import type { Forward } from '../model/gateway.ts';
import { usageOf } from '../replay.ts';
import { keepAccount, type Account, type AccountedRun } from './acp-account.ts';
import { AcpFailure, openAcpSession, type AcpSession } from './acp-session.ts';
import { openDocsTools } from './docs-tools.ts';
import { copyForAgent } from './harvest.ts';
import { openModelBridge, type ModelBridge } from './model-bridge.ts';
import {
  endSandboxed,
  modelOriginInside,
  startSandboxed,
  whySandboxFails,
  type Sandboxed,
} from './sandbox.ts';

export interface AcpRun extends AccountedRun {
  agent: Sandboxed;
  /** For the copy; made and removed here. */
  folder: string;
  /** What the agent may ask; null when there is no endpoint, and the agent then has none. */
  model: (Omit<ModelSettings, 'key'> & { forward: Forward }) | null;
}

type Ending = Omit<LoopEnd, 'tree'>;

const acpNote = `You work as a coding agent in a sandbox: your working folder is a copy of the documentation, you have no network, and only changes of text files in that folder are kept. Edit the files with your own tools. Of the tools that the text below names you have outline, search, page_info, move_page, validate and render_page, from the server docyard; they see the files as they are in your folder. There is no finish: end your turn when the work is done, and let your last message be a short summary of what you changed and why.`;

/** In the journal, and told to the agent. */
export const freshSessionNote =
  'The run was cut off and goes on in a new session of the agent, which knows nothing of the one before. The files are as they were last recorded.';

/** The agent may write down what it has before it is ended. */
const graceMilliseconds = 2000;

/** Throws the reason of the signal, and whatever the journal throws. */
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
    const problem = `The agent was not started, because it cannot be kept in a sandbox: ${weakness}`;
    return { reason: 'internal', summary: '', title: '', tree: before, problem };
  }
  await noteFreshSession(run);
  const site = join(run.folder, 'site');
  await copyForAgent(run.toolContext.tree, site);
  return converse(run, site, before);
}

/**
 * What an agent remembers is in the memory of its sandbox and gone with it, so there is no session to resume, whatever
 * the agent could do elsewhere.
 */
async function noteFreshSession({ journal }: AcpRun): Promise<void> {
  const ofEngine: Step['kind'][] = ['message', 'answer', 'result'];
  if (!journal.steps.some(({ kind }) => ofEngine.includes(kind))) return;
  await journal.append({ kind: 'message', message: { role: 'system', text: freshSessionNote } });
}

async function converse(run: AcpRun, site: string, treeBefore: string): Promise<LoopEnd> {
  const millisecondsLeft = Math.max(0, run.startedAt + run.limits.minutes * 60_000 - run.now());
  const late = AbortSignal.timeout(millisecondsLeft);
  const broke = new AbortController();
  const stop = AbortSignal.any([run.signal, late, broke.signal]);
  const account = keepAccount(run, {
    site,
    tree: treeBefore,
    signal: stop,
    onTooManySteps: () => broke.abort(`The agent made more than ${run.limits.steps} steps.`),
    onFault: () => broke.abort(),
  });
  const model = await openModel(run, stop, account, () => broke.abort('The budget of the run is used up.'));
  const tools = await openDocsTools({ folder: run.folder, tools: run.tools, call: account.use });
  let end: Ending;
  try {
    const agent = withWaysOut(run, { model: model?.path, tools: tools.path });
    end = await talk({ ...run, agent }, { site, stop, account });
  } finally {
    await Promise.all([model?.close(), tools.close()]);
  }
  await account.settled();
  run.signal.throwIfAborted();
  // Whatever ended the agent, what it has done is kept; only one that broke out of the rules loses its work.
  const { tree, refused } = await account.close();
  if (refused !== undefined) return { ...end, reason: 'policy_blocked', problem: refused.message, tree };
  return { ...endingOf(), tree };

  /** What we stopped ended for our reason, whatever the agent says of it; so did one whose model failed last. */
  function endingOf(): Ending {
    const { summary, title } = end;
    const failure = model?.failure();
    if (broke.signal.aborted) {
      return { reason: 'budget', summary, title, problem: String(broke.signal.reason) };
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
  account: Account,
  onSpent: () => void,
): Promise<ModelBridge | undefined> {
  if (model === null) return undefined;
  const { forward } = model;
  const used = usageOf(journal.steps);
  return openModelBridge({ folder, model, forward, used, limits, signal, onAnswer: account.pay, onSpent });
}

/** The key is a word that says what it is; the real one is added outside. */
function withWaysOut({ agent, model }: AcpRun, sockets: NonNullable<Sandboxed['sockets']>): Sandboxed {
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
  };
  const environment = { ...(model === null ? {} : environments[model.provider]), ...agent.environment };
  return { ...agent, environment, sockets };
}

/** One process of the agent, from its start to its end. */
async function talk(
  run: AcpRun,
  { site, stop, account }: { site: string; stop: AbortSignal; account: Account },
): Promise<Ending> {
  const child = await startSandboxed(run.agent, { scratch: run.folder, site });
  const gone = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const timers = new Set<NodeJS.Timeout>();
  let session: AcpSession | undefined;
  const onStop = (): void => {
    session?.cancel();
    timers.add(setTimeout(() => endSandboxed(child), session === undefined ? 0 : graceMilliseconds));
  };
  stop.addEventListener('abort', onStop, { once: true });
  if (stop.aborted) onStop();
  const words = () => ({ summary: account.lastWords(), title: '' });
  try {
    session = await openAcpSession(child, account.hear);
    return { reason: await takeTurns(run, session, stop), ...words() };
  } catch (error) {
    if (!(error instanceof AcpFailure)) {
      if (!stop.aborted) throw error;
      return { reason: 'internal', ...words() };
    }
    return { reason: error.reason, ...words(), problem: error.message };
  } finally {
    stop.removeEventListener('abort', onStop);
    for (const timer of timers) clearTimeout(timer);
    endSandboxed(child);
    await gone;
  }
}

/** The task, and after it what people have written meanwhile, each as a turn of its own. */
async function takeTurns(run: AcpRun, session: AcpSession, stop: AbortSignal): Promise<EndReason> {
  const opening = run.messages.map(({ text }) => text);
  // A crash may have cut off a run that had been told more already.
  const told = run.journal.steps.flatMap((step) => (step.kind === 'message' ? [step.message.text] : []));
  let reason = await session.prompt([acpNote, ...opening, ...told].join('\n\n'));
  while (reason === 'done' && !stop.aborted) {
    const [news] = (await run.incoming?.()) ?? [];
    if (news === undefined) break;
    await run.journal.append({ kind: 'message', message: { role: 'user', text: news } });
    reason = await session.prompt(news);
  }
  return reason;
}
