/** Runs the process of an external agent, and its turns until it has nothing more to do. */
import type { EndReason, EngineRun, LoopEnd, ToolContext } from '../contract.ts';
import type { AcpRecorder } from './acp-recorder.ts';
import { openAcpSession, type AcpSession } from './acp-session.ts';
import { AcpError } from './agent-failure.ts';
import { codeInside, endSandboxed, startSandboxed, type SandboxedProgram } from './sandbox.ts';
import type { SilenceWatch, StallWatch } from './stall-watch.ts';

export type Ending = Omit<LoopEnd, 'tree'>;

export interface ProcessRun extends Pick<EngineRun, 'messages' | 'journal' | 'incoming'> {
  agent: SandboxedProgram;
  folder: string;
  toolContext: Pick<ToolContext, 'code' | 'evidence'>;
}

export interface Watches {
  site: string;
  stop: AbortSignal;
  recorder: AcpRecorder;
  stall: StallWatch;
  silence: SilenceWatch;
  turn: Turn;
}

const acpNote = `You work as a coding agent in a sandbox: your working folder is a copy of the documentation, you have no network, and only changes of text files in that folder are kept. Edit the files with your own tools. Of the tools that the text below names you have outline, find_pages, search, page_info, move_page, validate and render_page, from the server docyard; they see the files as they are in your folder. There is no finish: end your turn when the work is done, and let your last message be a short summary of what you changed and why. Its first sentence becomes the title of the change: use at most 70 characters, such as "Fix the link to the mooring guide".`;

const codeNote = `The code repositories that the text below names are folders of ${codeInside}, which you can only read: the path api/src/main.ts means ${codeInside}/api/src/main.ts. Read and search them with your own tools. Of the tools for code you have code_symbols and, if the task is about a change of code, code_diff, from the server docyard.`;

const evidenceNote =
  'Report evidence with report_evidence, from the server docyard, before you end your turn.';

/** Time for the agent to save its work before it is killed. */
const graceMilliseconds = 2000;
/** Time for the agent to end a turn that was canceled. */
const maxInterruptSeconds = 30;

export async function runAgentProcess(run: ProcessRun, watches: Watches): Promise<Ending> {
  const { site, stop, recorder, silence, turn } = watches;
  const code = run.toolContext.code?.tree.folder;
  const child = await startSandboxed(run.agent, { scratch: run.folder, site, code });
  const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const timers = new Set<NodeJS.Timeout>();
  const onStop = (): void => {
    turn.session?.cancel();
    timers.add(setTimeout(() => endSandboxed(child), turn.session === undefined ? 0 : graceMilliseconds));
  };
  stop.addEventListener('abort', onStop, { once: true });
  if (stop.aborted) onStop();
  const currentSummary = () => ({ summary: recorder.lastText(), title: '' });
  try {
    turn.session = await openAcpSession(child, {
      variables: Object.keys(run.agent.environment),
      onUpdate: recorder.onUpdate,
      onActivity: silence.restart,
    });
    return { reason: await takeTurns(run, turn.session, watches), ...currentSummary() };
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

async function takeTurns(run: ProcessRun, session: AcpSession, watches: Watches): Promise<EndReason> {
  const opening = run.messages.map(({ text }) => text);
  const received = run.journal.steps.flatMap((step) => (step.kind === 'message' ? [step.message.text] : []));
  const ask = (text: string) => session.prompt(text).catch(watches.turn.orInterrupted);
  const { code, evidence } = run.toolContext;
  const notes = [
    acpNote,
    ...(code === undefined ? [] : [codeNote]),
    ...(evidence === undefined ? [] : [evidenceNote]),
  ];
  let reason = await ask([...notes, ...opening, ...received].join('\n\n'));
  for (;;) {
    const next = await nextPrompt(run, watches, reason);
    if (next === undefined) return reason;
    await run.journal.append({ kind: 'message', message: { role: 'user', text: next } });
    reason = await ask(next);
  }
}

/** A warning ends the turn before it, so it follows any ending; a message of a user only a finished turn. */
async function nextPrompt(
  run: ProcessRun,
  { stop, stall, turn, recorder }: Watches,
  reason: EndReason,
): Promise<string | undefined> {
  turn.end();
  await recorder.settled();
  if (stop.aborted) return undefined;
  const warning = stall.takeWarning();
  if (warning !== undefined || reason !== 'done') return warning;
  return (await run.incoming?.())?.[0];
}

export interface Turn {
  session: AcpSession | undefined;
  /** Cancels the turn, and gives up on an agent that does not end it. */
  interrupt(reason: string): void;
  /** Some agents answer a canceled turn with an error. */
  orInterrupted(error: unknown): EndReason;
  end(): void;
}

export function createTurn(onIgnored: (reason: string) => void): Turn {
  let timer: NodeJS.Timeout | undefined;
  const turn: Turn = {
    session: undefined,
    interrupt(reason) {
      turn.session?.cancel();
      timer = setTimeout(onIgnored, maxInterruptSeconds * 1000, reason);
    },
    orInterrupted(error) {
      if (timer !== undefined && error instanceof AcpError) return 'cancelled';
      throw error;
    },
    end() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
  return turn;
}
