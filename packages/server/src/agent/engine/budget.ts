/** Reserves the budget of each model call before it is sent. Pure. */
import type { Limits, Usage } from '../contract.ts';

export interface Reservation {
  maxOutputTokens: number;
}

/** Enough for a long page; some endpoints reject more. */
export const defaultMaxOutputTokens = 8192;
/** A shorter answer is useless. */
const minOutputTokens = 256;
const wrapUpShare = 0.8;

export function reserve(
  used: Usage,
  limits: Limits,
  nextInputTokens: number,
  wantedOutputTokens = defaultMaxOutputTokens,
): Reservation | undefined {
  if (used.steps + 1 > limits.steps) return undefined;
  if (chargedInput(used) + nextInputTokens > limits.inputTokens) return undefined;
  const left = limits.outputTokens - used.outputTokens;
  if (left < minOutputTokens) return undefined;
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

/** Cached tokens cost about a tenth. */
function chargedInput({ inputTokens, cacheReadTokens }: Usage): number {
  return inputTokens - cacheReadTokens + Math.ceil(cacheReadTokens / 10);
}
