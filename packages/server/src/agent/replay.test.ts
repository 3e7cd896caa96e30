import { expect, test } from 'vitest';
import type { FileChange, Step } from './contract.ts';
import { findStep, replayFiles, usageOf } from './replay.ts';

const result = (tree: string, ...changes: FileChange[]): Step => ({
  kind: 'result',
  call: { id: tree, name: 'write_file', input: {} },
  result: { text: 'Done.', changes },
  tree,
});
const answer = (inputTokens: number): Step => ({
  kind: 'answer',
  answer: {
    text: '',
    calls: [],
    usage: { inputTokens, outputTokens: 2, cacheReadTokens: 1 },
    stopReason: 'end',
  },
});

test('the last change of a file wins, and files are sorted by path', () => {
  const steps = [
    answer(10),
    result('t1', { path: 'b.mdx', content: 'first' }, { path: 'c.mdx', content: 'c' }),
    result('t2', { path: 'b.mdx', content: 'second' }),
    answer(20),
    result('t3', { path: 'c.mdx', content: null }, { path: 'a.mdx', content: 'a' }),
  ];
  expect(replayFiles(steps)).toEqual({
    tree: 't3',
    changes: [
      { path: 'a.mdx', content: 'a' },
      { path: 'b.mdx', content: 'second' },
      { path: 'c.mdx', content: null },
    ],
  });
  expect(usageOf(steps)).toEqual({ inputTokens: 30, outputTokens: 4, cacheReadTokens: 2, steps: 2 });
});

test('a run without steps has no changes', () => {
  expect(replayFiles([])).toEqual({ changes: [], tree: undefined });
  expect(findStep([], 'pushed')).toBeUndefined();
});

test('the newest step of a kind is found', () => {
  const steps: Step[] = [
    { kind: 'pushed', commit: 'a' },
    { kind: 'pushed', commit: 'b' },
  ];
  expect(findStep(steps, 'pushed')).toEqual({ kind: 'pushed', commit: 'b' });
});
