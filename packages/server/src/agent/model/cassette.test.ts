import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { ModelError, type Message, type Model, type ModelRequest } from '../contract.ts';
import { playFrom, recordTo } from './cassette.ts';

const tools: ModelRequest['tools'] = [
  { name: 'read_file', description: 'Reads.', input: z.object({ path: z.string() }) },
];
const ask = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [
    { role: 'system', text: 'You edit.' },
    { role: 'user', text },
  ],
  tools,
  maxOutputTokens: 100,
  signal: new AbortController().signal,
  ...more,
});

async function recording(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'docyard-cassette-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  let count = 0;
  const model: Model = {
    name: 'scribe-1',
    contextTokens: null,
    maxOutputTokens: null,
    async answer({ messages }) {
      if (messages.at(-1)?.text === 'fail') throw new ModelError('refused', 'No.');
      const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 0 };
      return { text: `answer ${(count += 1)}`, calls: [], usage, stopReason: 'end' };
    },
  };
  const file = join(folder, 'run.jsonl');
  const recorded = recordTo(file, model);
  await recorded.answer(ask('one'));
  await recorded.answer(ask('one'));
  await recorded.answer(ask('two'));
  await expect(recorded.answer(ask('fail'))).rejects.toThrow('No.');
  return file;
}

test('equal requests get the recorded answers and failures in order', async () => {
  const model = await playFrom(await recording(), 'scribe-1');
  const heard: string[] = [];
  const two = await model.answer(ask('two', { onText: (text) => heard.push(text), maxOutputTokens: 7 }));
  expect(two).toMatchObject({ text: 'answer 3', usage: { inputTokens: 1, outputTokens: 2 } });
  expect(heard).toEqual(['answer 3']);
  expect(await model.answer(ask('one'))).toMatchObject({ text: 'answer 1' });
  expect(await model.answer(ask('one'))).toMatchObject({ text: 'answer 2' });
  await expect(model.answer(ask('fail'))).rejects.toMatchObject({ reason: 'refused', message: 'No.' });
});

test('an unknown request fails with the first difference', async () => {
  const model = await playFrom(await recording(), 'scribe-1');
  const longer: Message[] = [...ask('one').messages, { role: 'user', text: 'more' }];
  const cases: [ModelRequest, string][] = [
    [ask('three'), 'the conversation differs from message 2 on'],
    [ask('one', { messages: longer }), 'the conversation differs from message 3 on'],
    [ask('one', { messages: longer.slice(0, 1) }), 'the conversation differs from message 2 on'],
    [ask('one', { tools: [] }), 'the tools were read_file'],
    [ask('one', { tools: tools.map((tool) => ({ ...tool, description: '' })) }), 'described differently'],
  ];
  for (const [request, message] of cases) {
    const failed = model.answer(request);
    await expect(failed).rejects.toMatchObject({ name: 'ModelError', reason: 'model_unavailable' });
    await expect(failed).rejects.toThrow(message);
  }
});

test('the file has one line per request and is private', async () => {
  const file = await recording();
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => Object.keys(JSON.parse(line) as object))).toEqual([
    ...Array.from({ length: 3 }, () => ['fingerprint', 'messages', 'tools', 'answer']),
    ['fingerprint', 'messages', 'tools', 'failure'],
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
