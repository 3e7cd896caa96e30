import { expect, test } from 'vitest';
import { defaultLimits, type Usage } from '../contract.ts';
import { isTimeToWrapUp, reserve } from './budget.ts';

const used = (given: Partial<Usage> = {}): Usage => ({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  steps: 0,
  ...given,
});
const limits = { ...defaultLimits, steps: 10, inputTokens: 1000, outputTokens: 1000, minutes: 10 };

test.each([
  ['the last step', used({ steps: 9 }), 0, true],
  ['a step too many', used({ steps: 10 }), 0, false],
  ['input up to the limit', used({ inputTokens: 600 }), 400, true],
  ['input beyond it', used({ inputTokens: 600 }), 401, false],
  ['input from a cache, which counts a tenth', used({ inputTokens: 5000, cacheReadTokens: 5000 }), 500, true],
  ['too much of that', used({ inputTokens: 5000, cacheReadTokens: 5000 }), 501, false],
  ['output that is enough for an answer', used({ outputTokens: 744 }), 0, true],
  ['output that is not', used({ outputTokens: 745 }), 0, false],
])('%s', (_, usage, nextInputTokens, fits) => {
  expect(reserve(usage, limits, nextInputTokens) !== undefined).toBe(fits);
});

test('an answer may use the rest of the budget up to the limit of endpoints', () => {
  expect(reserve(used({ outputTokens: 400 }), limits, 0)).toEqual({ maxOutputTokens: 600 });
  expect(reserve(used(), defaultLimits, 0)).toEqual({ maxOutputTokens: 8192 });
});

test.each([
  ['steps', used({ steps: 7 }), used({ steps: 8 })],
  ['input', used({ inputTokens: 799 }), used({ inputTokens: 800 })],
  ['output', used({ outputTokens: 799 }), used({ outputTokens: 800 })],
])('the model must wrap up at four fifths of %s', (_, before, at) => {
  expect(isTimeToWrapUp(before, limits, 0)).toBe(false);
  expect(isTimeToWrapUp(at, limits, 0)).toBe(true);
});

test('the model must wrap up at four fifths of the time', () => {
  expect(isTimeToWrapUp(used(), limits, 7.9)).toBe(false);
  expect(isTimeToWrapUp(used(), limits, 8)).toBe(true);
});
