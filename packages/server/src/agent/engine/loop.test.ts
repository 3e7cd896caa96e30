/** The loop with scripted models: every ending, what the model is told on the way, and going on after a cut anywhere. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startModelServer } from '../../../../../test/fakes/model-server.ts';
import {
  defaultLimits,
  ModelFailure,
  PathRefused,
  type Limits,
  type Message,
  type ModelAnswer,
  type ModelRequest,
  type Step,
  type Tool,
  type Tree,
} from '../contract.ts';
import { createModel } from '../model/gateway.ts';
import { roomNote } from './conversation.ts';
import { finishReminder, runLoop, wrapUpNote, type Loop } from './loop.ts';

const opening: Message[] = [
  { role: 'system', text: 'You edit documentation.' },
  { role: 'user', text: 'Fix the typo.' },
];

type Said = Partial<ModelAnswer> | Error | ((request: ModelRequest) => Promise<ModelAnswer>);

const calls = (...given: [name: string, input?: unknown][]): Partial<ModelAnswer> => ({
  calls: given.map(([name, input], index) => ({ id: `call_${index}`, name, input: input ?? {} })),
  stopReason: 'tool-calls',
});
const finish = calls(['finish', { summary: 'Fixed it.', title: 'Fix the typo' }]);

interface Scene {
  said: Said[];
  limits?: Partial<Limits>;
  steps?: Step[];
  loop?: Partial<Loop>;
}

/** A run with a tree in memory. `asked` is what the model saw at each of its turns. */
function scene({ said, limits = {}, steps = [], loop = {} }: Scene) {
  const files = new Map<string, string>();
  const asked: Message[][] = [];
  const requests: ModelRequest[] = [];
  const faults: unknown[] = [];
  const kept = [...steps];
  let failures = 0;
  const treeName = () => JSON.stringify([...files].toSorted());
  for (const step of steps) {
    if (step.kind !== 'result') continue;
    for (const { path, content } of step.result.changes ?? []) files.set(path, content ?? '');
  }
  const tree: Tree = {
    folder: '/nowhere',
    list: async () => [],
    read: async () => undefined,
    write: async (path, content) => void files.set(path, content),
    remove: async (path) => void files.delete(path),
  };
  const all: Loop = {
    model: {
      name: 'scripted',
      async answer(request) {
        // What was answered before the cut is not asked for again.
        const turn = said[kept.filter(({ kind }) => kind === 'answer').length + failures];
        asked.push([...request.messages]);
        requests.push(request);
        if (turn instanceof Error) {
          failures += 1;
          throw turn;
        }
        if (typeof turn === 'function') return turn(request);
        if (!turn) throw new Error('The script is at its end.');
        return answer(turn);
      },
    },
    tools,
    toolContext: {
      tree,
      site: { validate: async () => [], renderPage: async () => ({ markdown: '', findings: [] }) },
      diff: async () => ({ files: [], patch: '' }),
      scopePaths: [],
      seen: new Map(),
    },
    limits: { ...defaultLimits, ...limits },
    journal: {
      steps: kept,
      append: async (step) => void kept.push(JSON.parse(JSON.stringify(step)) as Step),
    },
    messages: opening,
    signal: new AbortController().signal,
    now: () => 0,
    startedAt: 0,
    checkpoint: async () => treeName(),
    onFault: (error) => faults.push(error),
    ...loop,
  };
  return { run: () => runLoop(all), steps: kept, asked, requests, files, faults };
}

function answer(given: Partial<ModelAnswer>): ModelAnswer {
  const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0 };
  return { text: '', calls: [], usage, stopReason: 'end', ...given };
}

const tools: Tool[] = [
  {
    name: 'read_file',
    description: 'Reads.',
    input: z.object({ path: z.string() }),
    run: async (_, input) => ({ text: `content of ${(input as { path: string }).path}` }),
  },
  {
    name: 'write_file',
    description: 'Writes.',
    input: z.object({ path: z.string(), content: z.string() }),
    async run({ tree }, input) {
      const { path, content } = input as { path: string; content: string };
      await tree.write(path, content);
      return { text: 'Written.', changes: [{ path, content }] };
    },
  },
  {
    name: 'long',
    description: 'Answers at length.',
    input: z.object({}),
    run: async () => ({ text: 'x'.repeat(2000) }),
  },
  {
    name: 'refuse',
    description: 'Refuses.',
    input: z.object({}),
    run: () => Promise.reject(new PathRefused('Outside of the docs root. Use another path.')),
  },
  {
    name: 'break',
    description: 'Has a fault.',
    input: z.object({}),
    async run({ tree }) {
      await tree.write('half.mdx', 'half');
      throw new Error("ENOENT: '/data/work/secret-place'");
    },
  },
  {
    name: 'hang',
    description: 'Never ends.',
    input: z.object({}),
    async run({ tree, signal }) {
      await tree.write('before.mdx', 'x');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await tree.write('after.mdx', 'x');
      return { text: 'Too late.' };
    },
  },
  {
    name: 'finish',
    description: 'Ends.',
    input: z.object({
      summary: z.string(),
      title: z.string(),
      outcome: z.enum(['done', 'needs_input']).default('done'),
    }),
    run: async (_, input) => ({
      text: 'Finished.',
      finished: input as { summary: string; title: string; outcome: 'done' },
    }),
  },
];

const results = (steps: readonly Step[]) =>
  steps.flatMap((step) => (step.kind === 'result' ? step.result : []));
const notes = (steps: readonly Step[]) =>
  steps.flatMap((step) => (step.kind === 'message' ? step.message.text : []));

describe('a run', () => {
  test('asks, calls, tells the results, and ends with finish', async () => {
    const { run, asked, steps, files } = scene({
      said: [
        { text: 'Looking.', reasoning: 'Hm.', ...calls(['read_file', { path: 'a.mdx' }]) },
        calls(['write_file', { path: 'a.mdx', content: 'fixed' }]),
        finish,
      ],
    });
    const tree = '[["a.mdx","fixed"]]';
    expect(await run()).toEqual({ reason: 'done', summary: 'Fixed it.', title: 'Fix the typo', tree });
    expect(files.get('a.mdx')).toBe('fixed');
    expect(asked[0]).toEqual(opening);
    expect(asked[1]).toEqual([
      ...opening,
      {
        role: 'assistant',
        text: 'Looking.',
        reasoning: 'Hm.',
        calls: [{ id: 'call_0', name: 'read_file', input: { path: 'a.mdx' } }],
      },
      { role: 'tool', callId: 'call_0', name: 'read_file', text: 'content of a.mdx', isError: false },
    ]);
    expect(steps.map(({ kind }) => kind)).toEqual([
      'answer',
      'result',
      'answer',
      'result',
      'answer',
      'result',
      'loop-ended',
    ]);
    expect(steps.flatMap((step) => (step.kind === 'result' ? step.tree : []))).toEqual(['[]', tree, tree]);
  });

  test('runs the calls of an answer in their order, and none after finish', async () => {
    const both = calls(
      ['write_file', { path: 'a.mdx', content: '1' }],
      ['write_file', { path: 'a.mdx', content: '2' }],
      ['finish', { summary: 's', title: 't', outcome: 'needs_input' }],
      ['write_file', { path: 'a.mdx', content: '3' }],
    );
    const { run, files } = scene({ said: [both] });
    expect(await run()).toMatchObject({ reason: 'needs_input' });
    expect(files.get('a.mdx')).toBe('2');
  });

  test('tells the model what people write meanwhile, each once, between two steps', async () => {
    const waiting = ['Hurry.', 'And mind the links.'];
    const { run, asked } = scene({
      said: [calls(['read_file', { path: 'a.mdx' }]), finish],
      loop: { incoming: async () => waiting.splice(0, 1) },
    });
    await run();
    expect(asked[0]?.slice(2)).toEqual([
      { role: 'user', text: 'Hurry.' },
      { role: 'user', text: 'And mind the links.' },
    ]);
  });
});

describe('a call that cannot be run is answered with what to do', () => {
  test.each([
    [
      'an unknown tool',
      calls(['run_shell', { command: 'env' }]),
      'There is no tool run_shell. The tools are: read_file,',
    ],
    ['wrong arguments', calls(['read_file', { path: 7 }]), '- path: Invalid input: expected string'],
    [
      'arguments that are no JSON',
      { calls: [{ id: 'a', name: 'read_file', input: '{"pa', isMalformed: true }] },
      'The arguments are not valid JSON.',
    ],
    ['a refused path', calls(['refuse']), 'Outside of the docs root.'],
    ['a fault of ours', calls(['break']), 'The tool failed for a reason of its own.'],
  ])('%s', async (_, said, text) => {
    const { run, steps, faults } = scene({ said: [said, finish] });
    expect(await run()).toMatchObject({ reason: 'done' });
    const [result] = results(steps);
    expect(result).toMatchObject({ isError: true });
    expect(result?.text).toContain(text);
    expect(JSON.stringify(steps)).not.toContain('secret-place');
    expect(faults).toHaveLength(text.startsWith('The tool failed') ? 1 : 0);
  });

  test('what it wrote before it failed is known', async () => {
    const { run, steps } = scene({ said: [calls(['break']), finish] });
    await run();
    expect(results(steps)[0]?.changes).toEqual([{ path: 'half.mdx', content: 'half' }]);
  });

  test('one that takes too long is left behind, and can write no more', async () => {
    const { run, steps, files } = scene({ said: [calls(['hang']), finish], limits: { toolSeconds: 0.05 } });
    expect(await run()).toMatchObject({ reason: 'done' });
    expect(results(steps)[0]).toMatchObject({
      isError: true,
      changes: [{ path: 'before.mdx', content: 'x' }],
    });
    expect(results(steps)[0]?.text).toContain('longer than 0.05 seconds');
    expect([...files.keys()]).toEqual(['before.mdx']);
  });
});

describe('it ends', () => {
  test('when the model stops calling tools, after one reminder', async () => {
    const { run, steps } = scene({ said: [{ text: 'All done.' }, { text: 'I said it is done.' }] });
    expect(await run()).toEqual({ reason: 'done', summary: 'I said it is done.', title: '', tree: '[]' });
    expect(notes(steps)).toEqual([finishReminder]);
  });

  test('by finish, when the reminder helped', async () => {
    const { run } = scene({ said: [{ text: 'All done.' }, finish] });
    expect(await run()).toMatchObject({ reason: 'done', title: 'Fix the typo' });
  });

  test('when the model refuses', async () => {
    const { run } = scene({ said: [{ text: 'No.', stopReason: 'refused' }] });
    expect(await run()).toMatchObject({ reason: 'refused', summary: 'No.' });
  });

  test.each(['model_auth', 'model_unavailable', 'refused', 'context_overflow'] as const)(
    'with the reason of the gateway: %s',
    async (reason) => {
      const { run, steps } = scene({
        said: [
          calls(['write_file', { path: 'a.mdx', content: 'x' }]),
          new ModelFailure(reason, 'A sentence.'),
        ],
      });
      const tree = '[["a.mdx","x"]]';
      expect(await run()).toEqual({ reason, problem: 'A sentence.', summary: '', title: '', tree });
      expect(steps.at(-1)).toMatchObject({ kind: 'loop-ended', reason });
    },
  );

  test('with the reason of the signal when it is stopped in the middle of a question', async () => {
    const stop = new AbortController();
    const stopped: Said = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new ModelFailure('cancelled', 'Stopped.')));
        stop.abort(new Error('canceled by a person'));
      });
    const { run, steps } = scene({ said: [stopped], loop: { signal: stop.signal } });
    await expect(run()).rejects.toThrow('canceled by a person');
    expect(steps, 'whoever goes on finds nothing that is not true').toEqual([]);
  });

  test('in the middle of a call when it is stopped', async () => {
    const stop = new AbortController();
    const { run, steps, files } = scene({ said: [calls(['hang'])], loop: { signal: stop.signal } });
    const work = expect(run()).rejects.toThrow('canceled by a person');
    await expect.poll(() => files.has('before.mdx')).toBe(true);
    stop.abort(new Error('canceled by a person'));
    await work;
    expect(steps.map(({ kind }) => kind)).toEqual(['answer']);
  });

  test('when the time is over, counted from the first start', async () => {
    let now = 0;
    const { run, steps } = scene({
      said: Array.from({ length: 9 }, (_, index) => calls(['read_file', { path: `${index}.mdx` }])),
      limits: { minutes: 10 },
      loop: { now: () => (now += 50_000), startedAt: 0 },
    });
    expect(await run()).toMatchObject({ reason: 'timeout', problem: 'The run took longer than 10 minutes.' });
    expect(notes(steps)).toEqual([wrapUpNote]);
  });

  test('when the time is over in the middle of a question', async () => {
    const never: Said = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new ModelFailure('cancelled', 'Stopped.')));
      });
    const { run } = scene({ said: [never], limits: { minutes: 0.001 } });
    expect(await run()).toMatchObject({ reason: 'timeout' });
  });
});

describe('budgets', () => {
  const reading = (count: number) =>
    Array.from({ length: count }, (_, index) => calls(['read_file', { path: `${index}.mdx` }]));

  test('steps: told once at four fifths, ended at the limit', async () => {
    const { run, steps, asked } = scene({ said: reading(20), limits: { steps: 10 } });
    expect(await run()).toMatchObject({ reason: 'budget' });
    expect(asked).toHaveLength(10);
    expect(notes(steps)).toEqual([wrapUpNote]);
    const place = steps.findIndex(({ kind }) => kind === 'message');
    expect(steps.slice(0, place).filter(({ kind }) => kind === 'answer')).toHaveLength(8);
  });

  test('input: no call is made that would pass the limit', async () => {
    const { run, asked } = scene({ said: reading(20), limits: { inputTokens: 450 } });
    expect(await run()).toMatchObject({ reason: 'budget' });
    expect(asked).toHaveLength(4);
  });

  test('output: each call may use what is left, and none is made with too little', async () => {
    const long = reading(9).map((one) => ({
      ...one,
      usage: { inputTokens: 1, outputTokens: 900, cacheReadTokens: 0 },
    }));
    const { run, requests } = scene({ said: long, limits: { outputTokens: 2000 } });
    expect(await run()).toMatchObject({ reason: 'budget' });
    expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([2000, 1100]);
  });

  test('nothing is asked when there is none', async () => {
    const { run, asked } = scene({ said: [finish], limits: { steps: 0 } });
    expect(await run()).toMatchObject({ reason: 'budget' });
    expect(asked).toEqual([]);
  });
});

describe('a stall', () => {
  const nudge = /^You are not getting anywhere: /;

  test('is told once, then it ends the run', async () => {
    const same = calls(['read_file', { path: 7 }]);
    const { run, steps, asked } = scene({ said: [same, same, same, same, same] });
    expect(await run()).toMatchObject({
      reason: 'stalled',
      problem: 'The same call of read_file has failed 3 times.',
    });
    expect(asked).toHaveLength(4);
    expect(notes(steps)).toEqual([expect.stringMatching(nudge)]);
  });

  test('is over when the model does something else', async () => {
    const same = calls(['read_file', { path: 7 }]);
    const { run } = scene({ said: [same, same, same, calls(['read_file', { path: 'a.mdx' }]), finish] });
    expect(await run()).toMatchObject({ reason: 'done' });
  });
});

describe('a conversation that becomes too long', () => {
  const tooLong = () => new ModelFailure('context_overflow', 'Too long.');

  test('is shortened: old results go, the last four stay, and the run goes on', async () => {
    const { run, asked } = scene({
      said: [
        ...Array.from({ length: 3 }, () => calls(['long'], ['read_file', { path: 'a.mdx' }])),
        tooLong(),
        finish,
      ],
    });
    expect(await run()).toMatchObject({ reason: 'done' });
    const texts = (asked.at(-1) ?? []).filter(({ role }) => role === 'tool').map(({ text }) => text.length);
    expect(texts[0]).toBeLessThan(500);
    expect(texts[2]).toBe(2000);
    expect(asked.at(-1)?.at(-1)).toEqual({ role: 'user', text: roomNote });
  });

  test('ends the run when there is nothing left to leave out', async () => {
    const { run } = scene({
      said: [
        ...Array.from({ length: 3 }, () => calls(['long'], ['read_file', { path: 'a.mdx' }])),
        tooLong(),
        tooLong(),
      ],
    });
    expect(await run()).toMatchObject({ reason: 'context_overflow', problem: 'Too long.' });
  });
});

describe.each(['openai', 'anthropic'] as const)('over HTTP, as %s speaks it', (provider) => {
  test('a model that decides by what it sees comes to its end, and what went wrong on the way is not seen', async () => {
    const server = await startModelServer(({ turn, messages }) => {
      if (turn % 2 === 0) return { fault: 'status', status: 529, retryAfter: '0' };
      const last = messages.at(-1);
      if (last?.role === 'user')
        return { text: 'Looking.', calls: [{ name: 'read_file', input: { path: 'a.mdx' } }] };
      if (last?.text === 'content of a.mdx') {
        return { calls: [{ name: 'write_file', input: { path: 'a.mdx', content: 'fixed' } }] };
      }
      return { calls: [{ name: 'finish', input: { summary: 'Fixed it.', title: 'Fix the typo' } }] };
    });
    onTestFinished(() => server.close());
    const model = createModel(
      { provider, url: server.url, key: 'k', name: 'scribe-1' },
      { egress: { allowedHosts: [server.host] } },
    );
    const { run, files, steps } = scene({ said: [], loop: { model } });
    expect(await run()).toMatchObject({ reason: 'done', summary: 'Fixed it.' });
    expect(files.get('a.mdx')).toBe('fixed');
    expect(server.requests).toHaveLength(6);
    expect(steps.filter(({ kind }) => kind === 'answer')).toHaveLength(3);
  });
});

describe('after a cut', () => {
  const said = [
    calls(['read_file', { path: 'a.mdx' }], ['write_file', { path: 'a.mdx', content: '1' }]),
    { text: 'I think that is all.' },
    calls(['read_file', { path: 7 }]),
    calls(['read_file', { path: 7 }]),
    calls(['read_file', { path: 7 }]),
    calls(['write_file', { path: 'b.mdx', content: '2' }], ['read_file', { path: 'b.mdx' }]),
    finish,
  ];

  test('at any step the run goes on to the same end, and no answer is asked for twice', async () => {
    const whole = scene({ said, limits: { steps: 7 } });
    const end = await whole.run();
    expect(notes(whole.steps)).toHaveLength(3);
    for (let length = 0; length <= whole.steps.length; length++) {
      const cut = scene({ said, limits: { steps: 7 }, steps: whole.steps.slice(0, length) });
      expect(await cut.run(), `cut after ${length} steps`).toEqual(end);
      expect(cut.steps).toEqual(whole.steps);
      expect([...cut.files]).toEqual([...whole.files]);
      const answered = whole.steps.slice(0, length).filter(({ kind }) => kind === 'answer').length;
      expect(cut.asked).toEqual(whole.asked.slice(answered));
    }
  });
});
