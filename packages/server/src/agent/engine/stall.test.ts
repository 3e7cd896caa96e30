import { describe, expect, test } from 'vitest';
import type { Step } from '../contract.ts';
import { findStall } from './stall.ts';

interface Made {
  name?: string;
  input?: unknown;
  text?: string;
  isError?: boolean;
  tree?: string;
}

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

  test('three equal calls are a stall, independent of the errors', () => {
    const different = times(3, (index) => ({ ...failing, text: `error ${index}` }));
    expect(findStall(made(...different.slice(1)), 0)).toBeUndefined();
    expect(findStall(made(...different), 0)).toBe('The same call of edit_file has failed 3 times.');
  });

  test('other arguments or a success in between are no stall', () => {
    const other = { ...failing, input: { path: 'b' } };
    expect(findStall(made(failing, failing, other), 0)).toBeUndefined();
    expect(
      findStall(made(failing, failing, { ...failing, isError: false, text: 'Edited.' }, failing), 0),
    ).toBeUndefined();
  });
});

describe('the same call with the same result', () => {
  test('four equal results are a stall', () => {
    expect(findStall(made(...times(3, () => ({}))), 0)).toBeUndefined();
    expect(findStall(made(...times(4, () => ({}))), 0)).toContain('the same result 4 times');
  });

  test('another result is no stall', () => {
    expect(findStall(made(...times(4, (index) => ({ text: `${index}` }))), 0)).toBeUndefined();
  });
});

describe('two alternating calls', () => {
  const turn = (index: number): Made => ({ input: { pattern: index % 2 ? 'b' : 'a' } });

  test('three alternations are a stall', () => {
    expect(findStall(made(...times(5, turn)), 0)).toBeUndefined();
    expect(findStall(made(...times(6, turn)), 0)).toContain('alternate');
  });

  test('changing results are no stall', () => {
    const changing = times(6, (index) => ({ ...turn(index), text: `${index}` }));
    expect(findStall(made(...changing), 0)).toBeUndefined();
  });
});

describe('steps without progress', () => {
  const searching = (index: number): Made => ({ input: { pattern: `${index}` } });

  test('twelve steps without progress are a stall', () => {
    expect(findStall(made(...times(11, searching)), 0)).toBeUndefined();
    expect(findStall(made(...times(12, searching)), 0)).toContain('In the last 12 steps');
  });

  test('reading a new file is progress, reading it again is not', () => {
    const read: Made = { name: 'read_file', input: { path: 'a' } };
    expect(findStall(made(...times(11, searching), read), 0)).toBeUndefined();
    expect(findStall(made(read, ...times(11, searching), read), 0)).toContain('In the last 12 steps');
  });

  test('a change is progress, returning to an earlier tree is not', () => {
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

  test('counting restarts after a warning', () => {
    const before = made(...times(12, searching));
    const after = (count: number) => [...before, ...made(...times(count, (index) => searching(index + 50)))];
    expect(findStall(after(11), before.length)).toBeUndefined();
    expect(findStall(after(12), before.length)).toContain('In the last 12 steps');
  });
});

test('no warning is repeated before a new result', () => {
  const steps = made(...times(4, () => ({})));
  expect(findStall(steps, steps.length)).toBeUndefined();
  expect(findStall([...steps, ...made({})], steps.length)).toContain('the same result');
});
