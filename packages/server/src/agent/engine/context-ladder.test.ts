/** A task of three pages at several sizes of the context, on a server that rejects longer requests. */
import { expect, onTestFinished, test } from 'vitest';
import { startModelServer, type ScriptedAnswer, type Turn } from '../../../../../test/fakes/model-server.ts';
import { answer, notes, scene } from '../../../test/support/loop-scene.ts';
import { bench } from '../../../test/support/tool-bench.ts';
import type { Message } from '../contract.ts';
import { createModel } from '../model/gateway.ts';
import { tools } from '../tools/all-tools.ts';
import { readOutlineExcerpt } from '../tools/outline-excerpt.ts';
import { truncationNote } from './conversation.ts';
import { openingMessages } from './prompt.ts';

const pages = ['guides/one.mdx', 'guides/two.mdx', 'guides/three.mdx'];
const task = 'Write “finished” at the end of the pages one, two and three.';
const lines = Array.from({ length: 400 }, (_, index) => `Line ${index} ${'of this long page '.repeat(4)}`);
const page = `---\ntitle: A page\n---\n\n${lines.join('\n')}\nunfinished\n`;

/** Reads each page to its end, edits it and goes to the next one. Sees only the last result. */
function worker(): (messages: readonly Message[]) => ScriptedAnswer {
  const left = [...pages];
  const call = (name: string, input: unknown) => ({ calls: [{ name, input }] });
  return (messages) => {
    const last = messages.findLast(({ role }) => role === 'tool')?.text ?? '';
    const [path = ''] = left;
    const [, offset] = /Continue with offset (\d+)\.$/.exec(last) ?? [];
    if (offset !== undefined) return call('read_file', { path, offset: Number(offset) });
    if (last.startsWith('Changed')) left.shift();
    else if (last.endsWith('unfinished'))
      return call('edit_file', { path, old: 'unfinished', new: 'finished' });
    const [next] = left;
    if (next === undefined) return call('finish', { title: 'Finish the pages', summary: 'Done.' });
    return call('read_file', { path: next });
  };
}

/** Counts tokens like a server: all of the request, and the answer that it allows. */
async function startServer(contextTokens: number) {
  const work = worker();
  let refusals = 0;
  const server = await startModelServer(({ messages }): Turn => {
    const body = server.requests.at(-1)?.body;
    const inputTokens = Math.ceil(JSON.stringify([body?.['messages'], body?.['tools']]).length / 4);
    if (inputTokens + Number(body?.['max_tokens']) > contextTokens) {
      refusals += 1;
      return { fault: 'status', status: 400, message: 'The request exceeds the context length.' };
    }
    return { ...work(messages), usage: { inputTokens, outputTokens: 50 } };
  });
  onTestFinished(() => server.close());
  return { server, refusals: () => refusals };
}

async function runTask(contextTokens: number, { isKnown = true } = {}) {
  const site = bench({
    'docs.json': JSON.stringify({ navigation: pages.map((path) => path.replace('.mdx', '')) }),
    ...Object.fromEntries(pages.map((path) => [path, page])),
  });
  const { server, refusals } = await startServer(contextTokens);
  const settings = { provider: 'openai' as const, url: server.url, key: 'k', name: 'small' };
  const model = createModel(settings, { egress: { allowedHosts: [server.host] } });
  const facts = {
    task,
    outline: await readOutlineExcerpt(site.context, task),
    scopePaths: [],
    instructions: 'Write short sentences. '.repeat(700),
    earlier: [],
  };
  const { run, steps } = scene({
    said: [answer({})],
    loop: {
      model: { ...model, ...(isKnown ? { contextTokens } : {}) },
      tools,
      toolContext: site.context,
      messages: openingMessages(facts),
      messagesWithin: (maxTokens) => openingMessages(facts, maxTokens),
      checkpoint: async () => pages.map((path) => site.read(path).length).join(),
    },
  });
  const end = await run();
  const finished = pages.filter((path) => site.read(path).endsWith('\nfinished\n'));
  return { end, finished, requests: server.requests.length, refusals: refusals(), steps };
}

test.each([16_384, 32_768, 65_536, 131_072])(
  'a context of %i tokens finishes the task, and no request is rejected',
  async (contextTokens) => {
    const { end, finished, refusals, steps } = await runTask(contextTokens);
    expect(end).toMatchObject({ reason: 'done' });
    expect(finished).toEqual(pages);
    expect(refusals).toBe(0);
    expect(notes(steps).includes(truncationNote)).toBe(contextTokens < 65_536);
  },
);

test('a context that no setting names is learned from refusals', async () => {
  const { end, finished, refusals } = await runTask(16_384, { isKnown: false });
  expect(end).toMatchObject({ reason: 'done' });
  expect(finished).toEqual(pages);
  expect(refusals).toBeLessThan(5);
});

test('a context of 8192 tokens ends the run at once and names the minimum', async () => {
  const { end, requests } = await runTask(8192);
  expect(end.reason).toBe('context_overflow');
  expect(end.problem).toMatch(/has about 8192 tokens, and this task needs at least (?:9216|10240)\. /);
  expect(requests).toBe(0);
});
