/**
 * Decides what follows an answer whose calls have run: a message to the model, the end of the run, or, if
 * undefined, the next request. Pure.
 */
import type { EndReason, LoopEnd, ModelAnswer, Step } from '../contract.ts';
import { cutPromptOpening, cutPromptText, findCutEnding } from './context-window.ts';
import { findStall } from './stall.ts';
import { toolCallAdvice } from '../model/text-calls.ts';

export type FollowUp = { act: 'say'; text: string } | { act: 'end'; end: Omit<LoopEnd, 'tree'> };

export const finishReminder =
  'You answered without calling a tool. If the work is done, call finish; otherwise continue with the next call.';
export const unreadCallReminder =
  'Your answer contains a tool call as text, which could not be read. Send it as a tool call in the format of the API, with one JSON object as arguments.';
const nudgeOpening = 'You are not making progress: ';
const advice = toolCallAdvice();

export function followUp(steps: readonly Step[]): FollowUp | undefined {
  const { answer, since } = lastAnswer(steps);
  if (!answer) return undefined;
  const finished = since.flatMap((step) => (step.kind === 'result' ? (step.result.finished ?? []) : []))[0];
  if (finished) {
    const { outcome: reason, summary, title } = finished;
    return { act: 'end', end: { reason, summary, title } };
  }
  if (answer.stopReason === 'refused') return endWith(steps, 'refused', 'The model refused to continue.');
  if (since.some(({ kind }) => kind === 'message')) return undefined;
  return answer.calls.length === 0 ? afterText(steps, answer) : afterCalls(steps);
}

/** The first answer without a call gets a reminder; a second one in a row ends the run. */
function afterText(steps: readonly Step[], answer: ModelAnswer): FollowUp {
  const lastResult = steps.findLastIndex(({ kind }) => kind === 'result');
  const answers = steps.slice(lastResult + 1).filter((step) => step.kind === 'answer');
  const [first] = answers.slice(-2);
  if (first === undefined || answers.length === 1) return { act: 'say', text: reminderFor(answer) };
  const pair = [first.answer, answer];
  if (lastResult === -1) return endWith(steps, 'stalled', `The model never called a tool. ${advice}`);
  if (pair.some(({ unreadCall }) => unreadCall !== undefined)) {
    return endWith(steps, 'stalled', `The model sent tool calls that could not be read. ${advice}`);
  }
  if (pair.some(isCut)) {
    return endWith(
      steps,
      'stalled',
      `The answers of the model were cut off at ${answer.usage.outputTokens} tokens. Raise the output limit of the model.`,
    );
  }
  const cut = lastNote(steps, cutPromptOpening) === -1 ? findCutEnding(steps) : undefined;
  if (cut !== undefined) {
    return endWith(steps, 'stalled', `The model stopped without calling finish. ${cutPromptText(cut)}`);
  }
  return isConclusion(steps, answer)
    ? endWith(steps, 'done')
    : endWith(steps, 'stalled', 'The model stopped without calling finish.');
}

function reminderFor(answer: ModelAnswer): string {
  if (answer.unreadCall !== undefined) return unreadCallReminder;
  return isCut(answer) ? cutText(answer, '') : finishReminder;
}

/** A text counts as the result of a run that has read something and changed nothing. */
function isConclusion(steps: readonly Step[], { text }: ModelAnswer): boolean {
  const results = steps.flatMap((step) => (step.kind === 'result' ? step.result : []));
  const hasRead = results.some(({ isError }) => isError !== true);
  const hasChanged = results.some(({ changes }) => (changes ?? []).length > 0);
  return hasRead && !hasChanged && text.trim() !== '';
}

function isCut({ stopReason }: ModelAnswer): boolean {
  return stopReason === 'length';
}

/** Undefined unless the token limit cut the answer inside its last call. */
export function cutCallText(answer: ModelAnswer, index: number): string | undefined {
  const isLast = index === answer.calls.length - 1;
  if (!isCut(answer) || !isLast || answer.calls[index]?.isMalformed !== true) return undefined;
  return cutText(answer, ' inside this call, so the call was not run');
}

function cutText({ usage }: ModelAnswer, where: string): string {
  return `Your answer was cut off at ${usage.outputTokens} tokens${where}. Send smaller parts: make several small edits, or write the beginning of the file and add the rest with edit_file.`;
}

function afterCalls(steps: readonly Step[]): FollowUp | undefined {
  const lastNudge = lastNote(steps, nudgeOpening);
  const stall = findStall(steps, lastNudge + 1);
  if (stall === undefined) return undefined;
  if (lastNudge !== -1) return endWith(steps, 'stalled', stall);
  return {
    act: 'say',
    text: `${nudgeOpening}${stall} Try another approach, or call finish and say what is missing.`,
  };
}

/** An ending that the model did not choose: its last text becomes the summary. */
export function endWith(
  steps: readonly Step[],
  reason: EndReason,
  problem?: string,
): Extract<FollowUp, { act: 'end' }> {
  const summary = lastAnswer(steps).answer?.text ?? '';
  return { act: 'end', end: { reason, summary, title: '', ...(problem === undefined ? {} : { problem }) } };
}

export function lastAnswer(steps: readonly Step[]): {
  answer: ModelAnswer | undefined;
  since: readonly Step[];
} {
  const index = steps.findLastIndex(({ kind }) => kind === 'answer');
  const step = steps[index];
  return { answer: step?.kind === 'answer' ? step.answer : undefined, since: steps.slice(index + 1) };
}

export function lastNote(steps: readonly Step[], opening: string): number {
  return steps.findLastIndex((step) => step.kind === 'message' && step.message.text.startsWith(opening));
}
