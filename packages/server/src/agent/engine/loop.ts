/**
 * The loop of the built-in engine: calls the model and runs its tool calls until the run ends. The next action
 * follows from the journal alone, so an interrupted run resumes exactly where it stopped and no answer is
 * requested twice.
 */
import {
  ModelError,
  type EngineRun,
  type Limits,
  type LoopEnd,
  type Message,
  type Model,
  type ModelAnswer,
  type Step,
  type ToolCall,
  type ToolResult,
} from '../contract.ts';
import { usageOf } from '../replay.ts';
import { isTimeToWrapUp } from './budget.ts';
import { callTool, type ToolRunner } from './call-tool.ts';
import { contextLimit, cutPromptOpening, limitAfterRefusal, resultBytesWithin } from './context-window.ts';
import { cutCallText, endWith, followUp, lastAnswer, lastNote, type FollowUp } from './follow-up.ts';
import { planRequest, systemNote, type Ask, type Note } from './next-request.ts';
import { correctedCall } from './tool-arguments.ts';

export interface Loop extends ToolRunner, EngineRun {
  model: Model;
  limits: Limits;
  /** `messages` within a limit, for a model whose context is known. */
  messagesWithin?: (maxTokens: number) => readonly Message[];
}

type Next = FollowUp | Note | Ask | { act: 'call'; call: ToolCall; problem?: string };

const maxRefusals = 5;

export const wrapUpNote =
  'Most of the budget of this run is used. Complete the current change, check it with validate, and call finish.';

/** Throws the reason of the signal and errors of the journal. */
export async function runLoop(loop: Loop): Promise<LoopEnd> {
  const millisecondsLeft = loop.startedAt + loop.limits.minutes * 60_000 - loop.now();
  const late = AbortSignal.timeout(Math.max(0, millisecondsLeft));
  const stop = AbortSignal.any([loop.signal, late]);
  for (;;) {
    const { steps } = loop.journal;
    const ended = steps.findLast((step) => step.kind === 'loop-ended');
    if (ended) {
      const { kind: _, ...end } = ended;
      return end;
    }
    loop.signal.throwIfAborted();
    const elapsedMinutes = (loop.now() - loop.startedAt) / 60_000;
    const isLate = late.aborted || elapsedMinutes >= loop.limits.minutes;
    const next = isLate
      ? endWith(steps, 'timeout', `The run took longer than ${loop.limits.minutes} minutes.`)
      : (pendingCall(steps) ?? followUp(steps) ?? (await nextRequest(loop, elapsedMinutes)));
    await perform(loop, next, stop);
  }
}

async function perform(loop: Loop, next: Next, stop: AbortSignal): Promise<void> {
  const { journal } = loop;
  switch (next.act) {
    case 'call': {
      const { problem } = next;
      const call = correctedCall(loop.tools, next.call);
      const result =
        problem === undefined
          ? await callTool(withResultLimit(loop), call, stop)
          : { text: problem, isError: true };
      // The next attempt restores the tree and repeats the call.
      loop.signal.throwIfAborted();
      return journal.append({ kind: 'result', call, result, tree: await treeAfter(loop, result) });
    }
    case 'say':
      return journal.append({ kind: 'message', message: { role: 'user', text: next.text } });
    case 'note':
      return journal.append(next.step);
    case 'ask':
      return ask(loop, next, stop);
    case 'end':
      return journal.append({
        kind: 'loop-ended',
        ...withWarning(next.end, journal.steps),
        tree: await treeAfter(loop),
      });
  }
}

/** The first call of the last answer without a result, unless the work was finished before it. */
function pendingCall(steps: readonly Step[]): Next | undefined {
  const { answer, since } = lastAnswer(steps);
  const results = since.filter((step) => step.kind === 'result');
  if (results.some(({ result }) => result.finished)) return undefined;
  const call = answer?.calls[results.length];
  if (answer === undefined || call === undefined) return undefined;
  const problem = cutCallText(answer, results.length);
  return { act: 'call', call, ...(problem === undefined ? {} : { problem }) };
}

async function nextRequest(loop: Loop, elapsedMinutes: number): Promise<Next> {
  const { limits } = loop;
  const { steps } = loop.journal;
  const [news] = (await loop.incoming?.()) ?? [];
  if (news !== undefined) return { act: 'say', text: news };
  const request = planRequest({ ...loop, steps });
  const wasReminded = lastNote(steps, wrapUpNote) !== -1;
  const isLast = !wasReminded && isTimeToWrapUp(usageOf(steps), limits, elapsedMinutes);
  return request.act === 'ask' && isLast ? { act: 'say', text: wrapUpNote } : request;
}

async function ask(loop: Loop, next: Ask, stop: AbortSignal): Promise<void> {
  const { model, tools, journal, onText } = loop;
  const { messages, maxOutputTokens, estimatedTokens } = next;
  const request = { messages, tools, maxOutputTokens, signal: stop, ...(onText ? { onText } : {}) };
  let answer: ModelAnswer;
  try {
    answer = await model.answer(request);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    loop.signal.throwIfAborted();
    if (stop.aborted) return;
    return perform(loop, afterFailure(journal.steps, error, next), stop);
  }
  await journal.append({ kind: 'answer', answer, estimatedTokens });
}

/** A refused request teaches the context of the model, and the next one is planned to fit. */
function afterFailure(steps: readonly Step[], error: ModelError, { reservedTokens }: Ask): Next {
  const { since } = lastAnswer(steps);
  const refusals = since.filter((step) => step.kind === 'message' && step.maxContextTokens !== undefined);
  if (error.reason !== 'context_overflow' || refusals.length >= maxRefusals) {
    return endWith(steps, error.reason, error.message);
  }
  const maxContextTokens = limitAfterRefusal(error, reservedTokens);
  const text = `The model refused a request of about ${reservedTokens} tokens, including the answer. The next requests have at most ${maxContextTokens} tokens.`;
  return systemNote(text, { maxContextTokens });
}

function withResultLimit(loop: Loop): Loop {
  const maxResultBytes = resultBytesWithin(contextLimit(loop.model, loop.journal.steps));
  return { ...loop, toolContext: { ...loop.toolContext, maxResultBytes } };
}

/** A model that sees only a part of the conversation fails in ways that do not show the cause. */
function withWarning(end: Omit<LoopEnd, 'tree'>, steps: readonly Step[]): Omit<LoopEnd, 'tree'> {
  const step = steps[lastNote(steps, cutPromptOpening)];
  if (step?.kind !== 'message' || end.problem === undefined) return end;
  return { ...end, problem: `${end.problem} ${step.message.text}` };
}

/** Runs git only if the tree may have changed. */
async function treeAfter({ journal, checkpoint }: Loop, result?: ToolResult): Promise<string> {
  const known = journal.steps.findLast((step) => step.kind === 'result')?.tree;
  const mayHaveChanged = (result?.changes ?? []).length > 0;
  return known === undefined || mayHaveChanged ? checkpoint() : known;
}
