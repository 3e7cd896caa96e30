/**
 * The context of the model as the settings and the journal know it: its limit, and the real size of requests.
 * Pure, so a resumed run plans the same request.
 */
import { z } from 'zod';
import type { Model, ModelError, ModelRequest, Step } from '../contract.ts';
import { charactersPerToken } from '../model/tokens.ts';
import { outputLimits } from '../tools/tool.ts';

export const maxOpeningShare = 1 / 4;
const maxResultShare = 1 / 6;
/** Dense text, such as code and Chinese, has about three bytes per token. */
const bytesPerToken = 3;

/** What a run needs besides the opening and the tools: an answer with an edit, and a part of a page. */
const answerReserveTokens = 4096;
const minResultTokens = 2048;
const minimumStep = 1024;

const maxRatio = 6;
const measuredAnswers = 3;
const refusedShare = 0.9;

/** Null if unknown. */
export function contextLimit(model: Pick<Model, 'contextTokens'>, steps: readonly Step[]): number | null {
  const learned = steps.flatMap((step) => (step.kind === 'message' ? (step.maxContextTokens ?? []) : []));
  const limit = Math.min(model.contextTokens ?? Infinity, ...learned);
  return limit === Infinity ? null : limit;
}

/** A named context that the request would fit says that the estimate is too low. */
export function limitAfterRefusal({ maxContextTokens }: ModelError, requestTokens: number): number {
  const isUseful = maxContextTokens !== undefined && maxContextTokens < requestTokens;
  return isUseful ? maxContextTokens : Math.floor(requestTokens * refusedShare);
}

export function toolTokens(tools: ModelRequest['tools']): number {
  const texts = tools.map(({ name, description, input }) => {
    const schema = JSON.stringify(z.toJSONSchema(input, { io: 'input' }));
    return name.length + description.length + schema.length;
  });
  return Math.ceil(texts.reduce((sum, length) => sum + length, 0) / charactersPerToken);
}

/** The smallest context in which a task can be done, rounded up. */
export function minContextTokens(openingTokens: number): number {
  const needed = openingTokens + answerReserveTokens + minResultTokens;
  return Math.ceil(needed / minimumStep) * minimumStep;
}

export function resultBytesWithin(contextTokens: number | null): number | undefined {
  if (contextTokens === null) return undefined;
  const tokens = Math.max(minResultTokens, Math.floor(contextTokens * maxResultShare));
  return Math.min(outputLimits.bytes, tokens * bytesPerToken);
}

/** By how much the endpoint counts more tokens than the estimate. */
export function tokenRatio(steps: readonly Step[]): number {
  const ratios = measurements(steps)
    .slice(-measuredAnswers)
    .map(({ estimated, reported }) => reported / estimated);
  return Math.min(maxRatio, Math.max(1, ...ratios));
}

interface Measurement {
  estimated: number;
  reported: number;
}

function measurements(steps: readonly Step[]): Measurement[] {
  return steps.flatMap((step) =>
    step.kind === 'answer' && step.estimatedTokens !== undefined
      ? [{ estimated: step.estimatedTokens, reported: step.answer.usage.inputTokens }]
      : [],
  );
}

const cutShare = 0.6;
const endingCutShare = 0.85;
/** A first request has nothing to compare with, and some servers do not count the tools. */
const firstCutShare = 0.35;
const minFirstTokens = 8000;
const growthTolerance = 1.1;
/** Servers that count only uncached tokens report less. */
const minReportedTokens = 1000;
const minReportedShare = 0.5;

/**
 * A server that silently cuts its prompt reports tokens that stop growing while the conversation grows. Two
 * answers in a row must show it.
 */
export function findCutPrompt(steps: readonly Step[]): Measurement | undefined {
  const all = measurements(steps);
  const [first] = all;
  const last = all.at(-1);
  if (first === undefined || last === undefined || last.reported < minReportedTokens) return undefined;
  if (last === first) {
    const isCut = first.reported < firstCutShare * first.estimated;
    return isCut && first.estimated >= minFirstTokens ? first : undefined;
  }
  const earlier = all.slice(0, -2);
  const most = earlier.toSorted((a, b) => b.reported - a.reported)[0];
  if (most === undefined) return undefined;
  const isCut = ({ estimated, reported }: Measurement): boolean =>
    reported <= most.reported * growthTolerance &&
    reported >= most.reported * minReportedShare &&
    reported / estimated < cutShare * (most.reported / most.estimated);
  return all.slice(-2).every(isCut) ? last : undefined;
}

/** A weaker sign, for a run that ends without a result: the last request is reported smaller than the earlier ones predict. */
export function findCutEnding(steps: readonly Step[]): Measurement | undefined {
  const all = measurements(steps);
  const earlier = all.slice(0, -1);
  const last = all.at(-1);
  if (last === undefined || last.reported < minReportedTokens) return undefined;
  const most = Math.max(...earlier.map(({ reported }) => reported));
  const ratio = Math.max(...earlier.map(({ estimated, reported }) => reported / estimated));
  const isCut = last.reported < endingCutShare * ratio * last.estimated;
  return isCut && last.reported >= most * minReportedShare ? last : undefined;
}

export const cutPromptOpening = 'The model server probably cuts the conversation silently: ';

export function cutPromptText({ estimated, reported }: Measurement): string {
  return (
    `${cutPromptOpening}raise its context (for Ollama OLLAMA_CONTEXT_LENGTH or num_ctx), or set \`contextTokens\` of the model ` +
    `to it. It reports ${reported} input tokens for a request of about ${estimated}.`
  );
}
