/**
 * The second engine: lets a foreign coding agent that speaks the Agent Client Protocol do the work, in a sandbox, on a
 * copy of the files. What it says becomes steps of the journal; what it changed comes back through the guard of the
 * tree, and is then validated and judged like any other work. The agent's own account of itself is never relied on.
 */
import { rm, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PathRefused, type EndReason, type EngineRun, type LoopEnd } from '../contract.ts';
import type { FileChange, Tree } from '../contract.ts';
import { usageOf } from '../replay.ts';
import { AcpFailure, openAcpSession, type AcpSession, type AgentUpdate } from './acp-session.ts';
import { copyForAgent, harvest } from './harvest.ts';
import { endSandboxed, startSandboxed, whySandboxFails, type Sandboxed } from './sandbox.ts';

export interface AcpRun extends EngineRun {
  agent: Sandboxed;
  /** For the copy; made and removed here. */
  folder: string;
  tree: Tree;
}

type Ending = Omit<LoopEnd, 'tree'>;

const acpNote = `You work as a coding agent in a sandbox: your working folder is a copy of the documentation, you have no network, and only changes of text files in that folder are kept. Edit the files with your own tools. Tools that the text below names, such as validate, move_page and finish, do not exist here: end your turn when the work is done, and let your last message be a short summary of what you changed and why.`;

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
  const site = join(run.folder, 'site');
  await copyForAgent(run.tree, site);
  const end = await converse(run, site, before);
  run.signal.throwIfAborted();
  return bringBack(run, site, end);
}

/** Whatever ended the agent, what it has done is kept; only one that broke out of the rules loses its work. */
async function bringBack(run: AcpRun, site: string, end: Ending): Promise<LoopEnd> {
  let changes: FileChange[];
  try {
    changes = await harvest(run.tree, site);
  } catch (error) {
    if (!(error instanceof PathRefused)) throw error;
    return { ...end, reason: 'policy_blocked', problem: error.message, tree: await run.checkpoint() };
  }
  const tree = await run.checkpoint();
  if (changes.length > 0) {
    const call = { id: 'changes', name: 'acp_changes', input: {} };
    const text = `The agent changed ${changes.length} ${changes.length === 1 ? 'file' : 'files'}.`;
    await run.journal.append({ kind: 'result', call, result: { text, changes }, tree });
  }
  return { ...end, tree };
}

async function converse(run: AcpRun, site: string, treeBefore: string): Promise<Ending> {
  const child = await startSandboxed(run.agent, { scratch: run.folder, site });
  const gone = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const millisecondsLeft = Math.max(0, run.startedAt + run.limits.minutes * 60_000 - run.now());
  const late = AbortSignal.timeout(millisecondsLeft);
  const broke = new AbortController();
  const stop = AbortSignal.any([run.signal, late, broke.signal]);
  const scribe = keepAccount(run, treeBefore, () => broke.abort());
  const timers = new Set<NodeJS.Timeout>();
  let session: AcpSession | undefined;
  const onStop = (): void => {
    session?.cancel();
    timers.add(setTimeout(() => endSandboxed(child), session === undefined ? 0 : graceMilliseconds));
  };
  stop.addEventListener('abort', onStop, { once: true });
  if (stop.aborted) onStop();
  try {
    session = await openAcpSession(child, scribe.hear);
    const reason = await takeTurns(run, session, stop);
    await scribe.done();
    return endingOf(run, reason, scribe.lastWords());
  } catch (error) {
    await scribe.done();
    if (!(error instanceof AcpFailure) && !stop.aborted) throw error;
    const problem = error instanceof Error ? error.message : undefined;
    return endingOf(
      run,
      error instanceof AcpFailure ? error.reason : 'internal',
      scribe.lastWords(),
      problem,
    );
  } finally {
    stop.removeEventListener('abort', onStop);
    for (const timer of timers) clearTimeout(timer);
    endSandboxed(child);
    await gone;
  }

  /** What we stopped ended for our reason, whatever the agent says of it. */
  function endingOf({ limits }: AcpRun, reason: EndReason, summary: string, problem?: string): Ending {
    const words = { summary, title: '' };
    if (broke.signal.aborted) {
      return { reason: 'budget', ...words, problem: `The agent made more than ${limits.steps} steps.` };
    }
    if (late.aborted) {
      return { reason: 'timeout', ...words, problem: `The run took longer than ${limits.minutes} minutes.` };
    }
    return { reason, ...words, ...(problem === undefined ? {} : { problem }) };
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

const mostWords = 20_000;

/** Writes each call of the agent down as an answer with its result. How the files are is written only at the end. */
function keepAccount({ journal, limits, onText }: AcpRun, tree: string, stopAgent: () => void) {
  let words = '';
  let writing = Promise.resolve();
  let fault: unknown;
  let steps = usageOf(journal.steps).steps;
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 };
  const write = async (update: Extract<AgentUpdate, { kind: 'call' }>, text: string): Promise<void> => {
    const { call, isError } = update;
    await journal.append({
      kind: 'answer',
      answer: { text, calls: [call], usage, stopReason: 'tool-calls' },
    });
    await journal.append({ kind: 'result', call, result: { text: update.text, isError }, tree });
  };
  return {
    hear(update: AgentUpdate): void {
      if (update.kind === 'text') {
        words = (words + update.text).slice(-mostWords);
        onText?.(update.text);
        return;
      }
      steps += 1;
      if (steps > limits.steps) return stopAgent();
      const text = words;
      words = '';
      writing = writing
        .then(() => write(update, text))
        .catch((error: unknown) => {
          fault ??= error;
          stopAgent();
        });
    },
    async done(): Promise<void> {
      await writing;
      if (fault !== undefined) throw fault;
    },
    lastWords: () => words.trim(),
  };
}
