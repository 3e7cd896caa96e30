/** When a model counts as getting nowhere: each rule at its exact number, and what is no stall. */
import { describe, expect, test } from 'vitest';
import type { Step } from '../contract.ts';
import { findStall } from './stall.ts';

interface Made {
  name?: string;
  input?: unknown;
  text?: string;
  isError?: boolean;
  /** The tree after a change; without it nothing was changed. */
  tree?: string;
}

/** An answer with one call and its result, for each. */
const made = (...all: Made[]): Step[] =>
  all.flatMap(({ name = 'search', input = {}, text = 'ok', isError = false, tree }): Step[] => {
    const call = { id: 'a', name, input };
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0 };
    const changes = tree === undefined ? {} : { changes: [{ path: 'a.mdx', content: tree }] };
    return [
      { kind: 'answer', answer: { text: '', calls: [call], usage, stopReason: 'tool-calls' } },
      { kind: 'result', call, result: { text, isError, ...changes }, tree: tree ?? 'base' },
    ];
  });
const times = (count: number, make: (index: number) => Made): Made[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe('the same failing call', () => {
  const failing = { name: 'edit_file', input: { path: 'a' }, isError: true };

  test('three times is a stall, whatever the errors say', () => {
    const different = times(3, (index) => ({ ...failing, text: `error ${index}` }));
    expect(findStall(made(...different.slice(1)), 0)).toBeUndefined();
    expect(findStall(made(...different), 0)).toBe('The same call of edit_file has failed 3 times.');
  });

  test('with other arguments, or a success between, is none', () => {
    const other = { ...failing, input: { path: 'b' } };
    expect(findStall(made(failing, failing, other), 0)).toBeUndefined();
    expect(
      findStall(made(failing, failing, { ...failing, isError: false, text: 'Edited.' }, failing), 0),
    ).toBeUndefined();
  });
});

describe('the same call with the same result', () => {
  test('four times is a stall', () => {
    expect(findStall(made(...times(3, () => ({}))), 0)).toBeUndefined();
    expect(findStall(made(...times(4, () => ({}))), 0)).toContain('the same result 4 times');
  });

  test('with another result is none', () => {
    expect(findStall(made(...times(4, (index) => ({ text: `${index}` }))), 0)).toBeUndefined();
  });
});

describe('two calls in turn', () => {
  const turn = (index: number): Made => ({ input: { pattern: index % 2 ? 'b' : 'a' } });

  test('three times each is a stall', () => {
    expect(findStall(made(...times(5, turn)), 0)).toBeUndefined();
    expect(findStall(made(...times(6, turn)), 0)).toContain('come in turn');
  });

  test('with results that change is none', () => {
    const changing = times(6, (index) => ({ ...turn(index), text: `${index}` }));
    expect(findStall(made(...changing), 0)).toBeUndefined();
  });
});

describe('steps without anything new', () => {
  const searching = (index: number): Made => ({ input: { pattern: `${index}` } });

  test('twelve are a stall', () => {
    expect(findStall(made(...times(11, searching)), 0)).toBeUndefined();
    expect(findStall(made(...times(12, searching)), 0)).toContain('In the last 12 steps');
  });

  test('a file that was not read before is something new, one that was is not', () => {
    const read: Made = { name: 'read_file', input: { path: 'a' } };
    expect(findStall(made(...times(11, searching), read), 0)).toBeUndefined();
    expect(findStall(made(read, ...times(11, searching), read), 0)).toContain('In the last 12 steps');
  });

  test('a change is something new, going back to an earlier tree is not', () => {
    const write = (tree: string): Made => ({ name: 'write_file', input: { tree }, tree });
    expect(findStall(made(...times(11, searching), write('x')), 0)).toBeUndefined();
    const back = made(write('x'), write('y'), ...times(11, searching), write('x'));
    expect(findStall(back, 0)).toContain('In the last 12 steps');
  });

  test('an answer with many calls is one step', () => {
    const [answer, ...rest] = made(...times(30, searching));
    const results = rest.filter(({ kind }) => kind === 'result');
    expect(findStall([...(answer ? [answer] : []), ...results], 0)).toBeUndefined();
  });

  test('they are counted anew after the model was told', () => {
    const before = made(...times(12, searching));
    const after = (count: number) => [...before, ...made(...times(count, (index) => searching(index + 50)))];
    expect(findStall(after(11), before.length)).toBeUndefined();
    expect(findStall(after(12), before.length)).toContain('In the last 12 steps');
  });
});

test('nothing is said again before there is a new result', () => {
  const steps = made(...times(4, () => ({})));
  expect(findStall(steps, steps.length)).toBeUndefined();
  expect(findStall([...steps, ...made({})], steps.length)).toContain('the same result');
});
