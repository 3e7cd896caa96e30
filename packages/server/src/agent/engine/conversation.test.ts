import { expect, test } from 'vitest';
import { answer } from '../../../test/support/loop-scene.ts';
import type { Message, Step } from '../contract.ts';
import { compactionOf, conversationOf, planCompaction, truncationNote } from './conversation.ts';

const opening: Message[] = [{ role: 'user', text: 'Fix the typo.' }];
const long = 'x'.repeat(2000);

const exchange = (name: string, input: unknown, text: string): Step[] => [
  { kind: 'answer', answer: answer({ text: long, reasoning: 'Hm.', calls: [{ id: '1', name, input }] }) },
  { kind: 'result', call: { id: '1', name, input }, result: { text }, tree: '' },
];
const read = (path: string) => exchange('read_file', { path }, `${path}: lines 1–40 of 90\n${long}`);
const write = (path: string) => exchange('write_file', { path, content: long }, 'Written.');
const note = (more: Partial<Extract<Step, { kind: 'message' }>> = {}): Step => ({
  kind: 'message',
  message: { role: 'user', text: truncationNote },
  ...more,
});

test('a shortened file names the lines that were shown, other results keep their beginning', () => {
  const steps = [...read('a.mdx'), ...exchange('diff', {}, long), ...read('b.mdx')];
  const texts = conversationOf(opening, steps, { results: 4, answers: 0 })
    .filter(({ role }) => role === 'tool')
    .map(({ text }) => text);
  expect(texts).toEqual([
    'a.mdx: lines 1–40 of 90\n[Shown earlier. Call read_file to see these lines again.]',
    `${'x'.repeat(400)}\n[Truncated.]`,
    `b.mdx: lines 1–40 of 90\n${long}`,
  ]);
});

test('a shortened answer keeps the beginning of its text and of the written content', () => {
  const [, first, , second] = conversationOf(opening, [...write('a.mdx'), ...write('b.mdx')], {
    results: 0,
    answers: 2,
  });
  const content = `${'x'.repeat(400)} [1600 characters omitted]`;
  expect(first).toEqual({
    role: 'assistant',
    text: content,
    calls: [{ id: '1', name: 'write_file', input: { path: 'a.mdx', content } }],
  });
  expect(second).toMatchObject({ text: long, reasoning: 'Hm.' });
});

test('messages of people stay, and notes for users are not sent', () => {
  const steps: Step[] = [
    { kind: 'message', message: { role: 'user', text: long } },
    { kind: 'message', message: { role: 'system', text: 'The model refused.' } },
  ];
  expect(conversationOf(opening, steps, { results: 9, answers: 9 })).toEqual([
    ...opening,
    { role: 'user', text: long },
  ]);
});

test('results are shortened before answers, oldest first, and no further than needed', () => {
  const steps = [...read('a.mdx'), ...read('b.mdx'), ...read('c.mdx')];
  const plan = (maxTokens: number, isUrgent = false) =>
    planCompaction(
      steps,
      { maxTokens, isUrgent },
      ({ results, answers }) => 100 - 10 * results - 10 * answers,
    );
  expect(plan(70)).toEqual({ results: 3, answers: 0 });
  expect(plan(50)).toEqual({ results: 5, answers: 0 });
  expect(plan(30)).toEqual({ results: 5, answers: 2 });
  expect(plan(0), 'the last result and answer stay').toEqual({ results: 5, answers: 4 });
  expect(plan(0, true)).toEqual({ results: 6, answers: 4 });
});

test('a note of an older journal keeps the four results before it', () => {
  const steps = [1, 2, 3, 4, 5].flatMap((number) => read(`${number}.mdx`));
  expect(compactionOf([...steps, note()])).toEqual({ results: 3, answers: 0 });
  expect(compactionOf([...steps, note({ compaction: { results: 9, answers: 2 } })])).toEqual({
    results: 9,
    answers: 2,
  });
  expect(compactionOf(steps)).toEqual({ results: 0, answers: 0 });
});
