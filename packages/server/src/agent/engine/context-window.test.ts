import { expect, test } from 'vitest';
import { ModelError, type Model, type Step } from '../contract.ts';
import {
  contextLimit,
  findCutEnding,
  findCutPrompt,
  limitAfterRefusal,
  minContextTokens,
  resultBytesWithin,
  tokenRatio,
} from './context-window.ts';

const model: Model = {
  name: 'm',
  contextTokens: null,
  maxOutputTokens: null,
  answer: () => Promise.reject(new Error('Not called.')),
};

const answers = (...pairs: [estimated: number, reported: number][]): Step[] =>
  pairs.map(([estimatedTokens, inputTokens]) => ({
    kind: 'answer',
    estimatedTokens,
    answer: {
      text: '',
      calls: [],
      usage: { inputTokens, outputTokens: 1, cacheReadTokens: 0 },
      stopReason: 'end',
    },
  }));

const learned = (maxContextTokens: number): Step => ({
  kind: 'message',
  message: { role: 'system', text: 'Refused.' },
  maxContextTokens,
});

test('the limit is the smallest of the setting and the refusals', () => {
  expect(contextLimit(model, [])).toBeNull();
  expect(contextLimit({ ...model, contextTokens: null }, [learned(9000), learned(8000)])).toBe(8000);
  expect(contextLimit({ ...model, contextTokens: 7000 }, [learned(8000)])).toBe(7000);
});

test('a refusal counts with its figure, or with nine tenths of the request', () => {
  const error = new ModelError('context_overflow', 'Too long.');
  expect(limitAfterRefusal(error, 10_000)).toBe(9000);
  expect(limitAfterRefusal(Object.assign(error, { maxContextTokens: 8192 }), 10_000)).toBe(8192);
  expect(limitAfterRefusal(Object.assign(error, { maxContextTokens: 16_384 }), 10_000)).toBe(9000);
});

test('estimates follow the reported tokens of the last answers, and are never lowered', () => {
  expect(tokenRatio([])).toBe(1);
  expect(tokenRatio(answers([1000, 500]))).toBe(1);
  expect(tokenRatio(answers([1000, 2000], [1000, 1000], [1000, 1500]))).toBe(2);
  expect(tokenRatio(answers([1000, 5000], [1000, 1], [1000, 1], [1000, 1]))).toBe(1);
  expect(tokenRatio(answers([10, 10_000]))).toBe(6);
});

test('answers of older journals have no estimate', () => {
  const [old] = answers([1000, 3000]);
  if (old?.kind === 'answer') delete old.estimatedTokens;
  expect(tokenRatio(old === undefined ? [] : [old])).toBe(1);
});

test('the smallest context holds the opening, an answer and a part of a page', () => {
  expect(minContextTokens(2048)).toBe(8192);
  expect(minContextTokens(2049)).toBe(9216);
});

test('results get a share of the context, between a useful part of a page and the usual limit', () => {
  expect(resultBytesWithin(null)).toBeUndefined();
  expect(resultBytesWithin(8192)).toBe(6144);
  expect(resultBytesWithin(32_768)).toBe(16_383);
  expect(resultBytesWithin(1_000_000)).toBe(48_000);
});

test.each([
  ['reported tokens that stop growing', answers([4000, 4000], [9000, 4096], [12_000, 4096]), true],
  [
    'tokens that fall below the limit of the server',
    answers([4000, 4000], [9000, 3200], [12_000, 3900]),
    true,
  ],
  ['a first request of which little was read', answers([9000, 2048]), true],
  ['reported tokens that grow', answers([4000, 4000], [9000, 8000], [12_000, 11_000]), false],
  ['one answer that is too low', answers([4000, 4000], [9000, 9000], [12_000, 4000]), false],
  ['a first request whose tools are not counted', answers([4000, 1100]), false],
  ['a server that counts only uncached tokens', answers([6000, 6000], [9000, 300], [12_000, 400]), false],
  ['text that becomes less dense', answers([4000, 8000], [12_000, 17_000], [20_000, 25_000]), false],
  ['no answer', [], false],
])('%s', (_, steps, isCut) => {
  expect(findCutPrompt(steps) !== undefined).toBe(isCut);
});

test.each([
  [
    'a last request that is reported too small',
    answers([6000, 6000], [14_000, 14_000], [22_000, 16_000]),
    true,
  ],
  ['a last request as expected', answers([6000, 6000], [14_000, 14_000], [22_000, 21_000]), false],
  ['a server that counts only uncached tokens', answers([6000, 6000], [14_000, 8000], [15_000, 1200]), false],
  ['one answer', answers([22_000, 16_000]), false],
])('at the end of a run, %s', (_, steps, isCut) => {
  expect(findCutEnding(steps) !== undefined).toBe(isCut);
});
