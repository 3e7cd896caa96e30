/**
 * What a run may use: each call of a model is reserved before it is made, so that a limit is passed by no more than what
 * one answer was underestimated by. Pure.
 */
import type { Limits, Usage } from '../contract.ts';

export interface Reservation {
  maxOutputTokens: number;
}

/** Room for a long page. More is refused by some endpoints whatever their model could do. */
const mostOutputTokens = 8192;
/** With less an answer is cut off before it can be of use. */
const leastOutputTokens = 256;
const wrapUpShare = 0.8;

/** Undefined when the next call does not fit. */
export function reserve(
  used: Usage,
  limits: Limits,
  nextInputTokens: number,
  wantedOutputTokens = mostOutputTokens,
): Reservation | undefined {
  if (used.steps + 1 > limits.steps) return undefined;
  if (chargedInput(used) + nextInputTokens > limits.inputTokens) return undefined;
  const left = limits.outputTokens - used.outputTokens;
  if (left < leastOutputTokens) return undefined;
  return { maxOutputTokens: Math.min(left, wantedOutputTokens) };
}

export function isTimeToWrapUp(used: Usage, limits: Limits, elapsedMinutes: number): boolean {
  return [
    used.steps / limits.steps,
    chargedInput(used) / limits.inputTokens,
    used.outputTokens / limits.outputTokens,
    elapsedMinutes / limits.minutes,
  ].some((share) => share >= wrapUpShare);
}

/** Tokens read from a cache cost about a tenth of others, and a long conversation is almost only such. */
function chargedInput({ inputTokens, cacheReadTokens }: Usage): number {
  return inputTokens - cacheReadTokens + Math.ceil(cacheReadTokens / 10);
}
