/** Plans the next request, so that it fits the budget of the run and the context of the model. Pure. */
import type { Compaction, Limits, Message, Model, ModelRequest, Step } from '../contract.ts';
import { estimatedTokens as messageTokens } from '../model/tokens.ts';
import { usageOf } from '../replay.ts';
import { defaultMaxOutputTokens, reserve } from './budget.ts';
import {
  contextLimit,
  cutPromptOpening,
  cutPromptText,
  findCutPrompt,
  maxOpeningShare,
  minContextTokens,
  tokenRatio,
  toolTokens,
} from './context-window.ts';
import { conversationOf, planCompaction, truncationNote } from './conversation.ts';
import { endWith, lastNote, type FollowUp } from './follow-up.ts';

export interface RequestFacts {
  model: Model;
  limits: Limits;
  tools: ModelRequest['tools'];
  steps: readonly Step[];
  /** The start of the conversation for a model whose context is unknown. */
  messages: readonly Message[];
  /** The start of the conversation within a limit. */
  messagesWithin?: (maxTokens: number) => readonly Message[];
}

export interface Ask {
  act: 'ask';
  messages: Message[];
  maxOutputTokens: number;
  estimatedTokens: number;
  /** Estimated and calibrated, with the output. */
  reservedTokens: number;
}

export type Note = { act: 'note'; step: Extract<Step, { kind: 'message' }> };

/** The conversation is shortened above the first share, to the second one. */
const fullShare = 3 / 4;
const compactShare = 1 / 2;
const minSavedShare = 1 / 10;
const estimateTolerance = 1 / 10;
/** A shorter answer could not hold an edit. */
const minOutputTokens = 1024;

export function planRequest(facts: RequestFacts): Ask | Note | FollowUp {
  const { model, limits, tools, steps } = facts;
  const warning = cutPromptWarning(steps);
  if (warning !== undefined) return systemNote(warning);
  const maxTokens = contextLimit(model, steps);
  const opening = openingWithin(facts, maxTokens);
  const ratio = tokenRatio(steps);
  const ofTools = toolTokens(tools);
  const estimateWith = (compaction?: Compaction) =>
    ofTools + messageTokens(conversationOf(opening, steps, compaction));
  const estimatedTokens = estimateWith();
  const inputTokens = Math.ceil(estimatedTokens * ratio);
  if (maxTokens !== null) {
    const minTokens = minContextTokens(ofTools + messageTokens(opening));
    if (maxTokens < minTokens) return contextTooSmall(facts, maxTokens, minTokens);
    const note = compact(steps, { inputTokens, maxTokens }, (compaction) =>
      Math.ceil(estimateWith(compaction) * ratio),
    );
    if (note !== undefined) return note;
    if (outputRoom(inputTokens, maxTokens) < minOutputTokens) {
      return endWith(steps, 'context_overflow', `The conversation is too long for the model ${model.name}.`);
    }
  }
  const wanted = model.maxOutputTokens ?? defaultMaxOutputTokens;
  const left = maxTokens === null ? wanted : Math.min(wanted, outputRoom(inputTokens, maxTokens));
  const reservation = reserve(usageOf(steps), limits, inputTokens, left);
  if (!reservation) return endWith(steps, 'budget', 'The budget of the run is used up.');
  const reservedTokens = inputTokens + reservation.maxOutputTokens;
  const messages = conversationOf(opening, steps);
  return { act: 'ask', messages, ...reservation, estimatedTokens, reservedTokens };
}

/** Some room is left for an estimate that is too low. */
function outputRoom(inputTokens: number, maxTokens: number): number {
  return Math.floor(maxTokens - inputTokens * (1 + estimateTolerance));
}

function openingWithin({ messages, messagesWithin }: RequestFacts, maxTokens: number | null) {
  if (maxTokens === null || messagesWithin === undefined) return messages;
  return messagesWithin(Math.floor(maxTokens * maxOpeningShare));
}

/** Few large steps instead of many small ones, because each one voids the prompt cache of the endpoint. */
function compact(
  steps: readonly Step[],
  { inputTokens, maxTokens }: { inputTokens: number; maxTokens: number },
  sizeWith: Parameters<typeof planCompaction>[2],
): Note | undefined {
  if (inputTokens <= maxTokens * fullShare) return undefined;
  const isUrgent = outputRoom(inputTokens, maxTokens) < minOutputTokens;
  const target = { maxTokens: maxTokens * compactShare, isUrgent };
  const compaction = planCompaction(steps, target, sizeWith);
  if (compaction === undefined) return undefined;
  const saved = inputTokens - sizeWith(compaction);
  if (saved <= 0 || (!isUrgent && saved < maxTokens * minSavedShare)) return undefined;
  const message = { role: 'user', text: truncationNote } as const;
  return { act: 'note', step: { kind: 'message', message, compaction } };
}

function contextTooSmall({ model, steps }: RequestFacts, maxTokens: number, minTokens: number): FollowUp {
  return endWith(
    steps,
    'context_overflow',
    `The context of the model ${model.name} is too small: it has about ${maxTokens} tokens, and this task needs at least ${minTokens}. ` +
      'Raise the context of the model server (for Ollama OLLAMA_CONTEXT_LENGTH or num_ctx) and `contextTokens` of the model.',
  );
}

function cutPromptWarning(steps: readonly Step[]): string | undefined {
  if (lastNote(steps, cutPromptOpening) !== -1) return undefined;
  const cut = findCutPrompt(steps);
  return cut === undefined ? undefined : cutPromptText(cut);
}

export function systemNote(text: string, more: { maxContextTokens?: number } = {}): Note {
  return { act: 'note', step: { kind: 'message', message: { role: 'system', text }, ...more } };
}
