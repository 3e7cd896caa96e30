/** The loop within the context of a model: sizes, refusals and silent truncation. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ModelError, type Message, type ModelRequest, type Tool } from '../contract.ts';
import { estimatedTokens } from '../model/tokens.ts';
import { contextLimit, cutPromptOpening, toolTokens } from './context-window.ts';
import { truncationNote } from './conversation.ts';
import {
  answer,
  calls,
  finish,
  notes,
  opening,
  results,
  scene,
  tools,
  type Said,
} from '../../../test/support/loop-scene.ts';

const contextTokens = 8192;
const tooLong = (maxContextTokens?: number) =>
  Object.assign(
    new ModelError('context_overflow', 'Too long.'),
    maxContextTokens === undefined ? {} : { maxContextTokens },
  );
const page: Tool = {
  name: 'read_file',
  description: 'Reads.',
  input: z.object({ path: z.string() }),
  run: async (_, input) => ({
    text: `${(input as { path: string }).path}: lines 1–9 of 9\n${'x'.repeat(5900)}`,
  }),
};
const withPage = { tools: [page, ...tools.filter(({ name }) => name !== 'read_file')] };
const reading = (count: number) =>
  Array.from({ length: count }, (_, index) => calls(['read_file', { path: `${index}.mdx` }]));
const toolTexts = (messages: readonly Message[] = []) =>
  messages.flatMap((message) => (message.role === 'tool' ? message.text : []));

test('older results are shortened before the limit, and every request fits', async () => {
  const { run, asked, requests, steps } = scene({
    said: [...reading(8), finish],
    loop: withPage,
    model: { contextTokens },
  });
  expect(await run()).toMatchObject({ reason: 'done' });
  for (const { messages, tools: offered, maxOutputTokens } of requests)
    expect(estimatedTokens(messages) + toolTokens(offered) + maxOutputTokens).toBeLessThanOrEqual(
      contextTokens,
    );
  expect(new Set(notes(steps))).toEqual(new Set([truncationNote]));
  expect(notes(steps).length).toBeLessThan(4);
  const texts = toolTexts(asked.at(-1));
  expect(texts[0]).toBe('0.mdx: lines 1–9 of 9\n[Shown earlier. Call read_file to see these lines again.]');
  expect(texts.at(-1)?.length).toBeGreaterThan(5900);
  expect(asked.at(-1)?.slice(0, 2)).toEqual(opening);
});

test('a run that was interrupted sends the same requests after its conversation was shortened', async () => {
  const parts = { said: [...reading(6), finish], loop: withPage, model: { contextTokens } };
  const whole = scene(parts);
  const end = await whole.run();
  for (let length = 0; length <= whole.steps.length; length++) {
    const cut = scene({ ...parts, steps: whole.steps.slice(0, length) });
    expect(await cut.run(), `cut after ${length} steps`).toEqual(end);
    const answered = whole.steps.slice(0, length).filter(({ kind }) => kind === 'answer').length;
    expect(cut.asked).toEqual(whole.asked.slice(answered));
  }
});

test('a refusal teaches the limit, which the journal keeps', async () => {
  const { run, requests, steps } = scene({
    said: [...reading(5), tooLong(contextTokens), finish],
    loop: withPage,
  });
  expect(await run()).toMatchObject({ reason: 'done' });
  expect(contextLimit({ contextTokens: null }, steps)).toBe(contextTokens);
  const last = requests.at(-1);
  expect(last?.maxOutputTokens).toBeLessThan(8192);
  expect(toolTexts(last?.messages)[0]).toContain('[Shown earlier.');
  expect(JSON.stringify(last?.messages)).not.toContain('The model refused');
});

test('a context that is too small ends the run before the first request', async () => {
  const { run, asked } = scene({ said: [], model: { contextTokens: 4096 } });
  expect(await run()).toMatchObject({
    reason: 'context_overflow',
    problem: expect.stringMatching(/has about 4096 tokens, and this task needs at least 7168\. /) as string,
  });
  expect(asked).toEqual([]);
});

test('an endpoint that refuses every request ends the run', async () => {
  const { run, asked } = scene({ said: Array.from({ length: 9 }, () => tooLong()) });
  expect(await run()).toMatchObject({
    reason: 'context_overflow',
    problem: expect.stringContaining('is too small') as string,
  });
  expect(asked).toHaveLength(2);
});

test('a long result of any tool is cut to its share', async () => {
  const long = { ...page, run: async () => ({ text: '€'.repeat(5000) }) };
  const { run, steps } = scene({
    said: [...reading(1), finish],
    loop: { tools: [long, ...tools.filter(({ name }) => name !== 'read_file')] },
    model: { contextTokens },
  });
  await run();
  expect(results(steps)[0]?.text).toBe(
    `${'€'.repeat(2048)}\n[Truncated at 6144 bytes. Ask for less at a time.]`,
  );
});

test('text that has more tokens than estimated is measured by the reported tokens', async () => {
  const dense = 2;
  const tokensOf = ({ messages, tools: offered }: ModelRequest) =>
    dense * (estimatedTokens(messages) + toolTokens(offered));
  const reporting = reading(6).map(
    (one): Said =>
      async (request) =>
        answer({
          ...one,
          usage: { inputTokens: tokensOf(request), outputTokens: 1, cacheReadTokens: 0 },
        }),
  );
  const { run, requests } = scene({
    said: [...reporting, finish],
    loop: withPage,
    model: { contextTokens: 2 * contextTokens },
  });
  expect(await run()).toMatchObject({ reason: 'done' });
  for (const request of requests.slice(1))
    expect(tokensOf(request) + request.maxOutputTokens).toBeLessThanOrEqual(2 * contextTokens);
});

test('the limit of an answer is the one of the model', async () => {
  const { run, requests } = scene({ said: [finish], model: { maxOutputTokens: 2000 } });
  await run();
  expect(requests[0]?.maxOutputTokens).toBe(2000);
});

test('a server that cuts its prompt silently is reported once, to users only', async () => {
  const usage = { inputTokens: 1200, outputTokens: 1, cacheReadTokens: 0 };
  const said = [...reading(6).map((one) => ({ ...one, usage })), { text: 'Hm.' }, { text: '' }];
  const { run, steps, asked } = scene({ said, loop: withPage });
  expect(await run()).toMatchObject({
    problem: expect.stringMatching(/^The model stopped.* num_ctx/) as string,
  });
  const warnings = notes(steps).filter((text) => text.startsWith(cutPromptOpening));
  expect(warnings).toHaveLength(1);
  expect(JSON.stringify(asked.at(-1))).not.toContain('num_ctx');
});

test('a model that has lost its task ends the run as stalled, with the setting of the server', async () => {
  const kept = 2500;
  const greeting = { text: 'Hello! How can I help you?' };
  const said = [...reading(2), greeting, greeting].map((one): Said => async (request) => {
    const sent = estimatedTokens(request.messages) + toolTokens(request.tools);
    return answer({
      ...one,
      usage: { inputTokens: Math.min(kept, sent), outputTokens: 1, cacheReadTokens: 0 },
    });
  });
  const { run } = scene({ said, loop: withPage });
  expect(await run()).toMatchObject({
    reason: 'stalled',
    problem: expect.stringContaining('num_ctx') as string,
  });
});
