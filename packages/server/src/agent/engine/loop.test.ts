import { describe, expect, onTestFinished, test } from 'vitest';
import { startModelServer } from '../../../../../test/fakes/model-server.ts';
import { ModelError } from '../contract.ts';
import { createModel } from '../model/gateway.ts';
import { finishReminder, unreadCallReminder } from './follow-up.ts';
import { wrapUpNote } from './loop.ts';
import { toolCallAdvice } from '../model/text-calls.ts';
import {
  opening,
  calls,
  finish,
  scene,
  results,
  notes,
  type Said,
} from '../../../test/support/loop-scene.ts';

describe('a run', () => {
  test('the loop calls the model, runs its calls, returns results and ends with finish', async () => {
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

  test('the calls of an answer run in order, and none runs after finish', async () => {
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

  test('each message of a user is sent once, between two steps', async () => {
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

  test('a call in the notation of another agent is recorded as the call that ran', async () => {
    const { run, steps } = scene({ said: [calls(['Read', { file_path: 'a.mdx' }]), finish] });
    await run();
    expect(steps.find(({ kind }) => kind === 'result')).toMatchObject({
      call: { name: 'read_file', input: { path: 'a.mdx' } },
    });
  });
});

describe('a call that cannot run', () => {
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
    ['an internal error', calls(['break']), 'The tool failed with an internal error.'],
  ])('the answer says what to do: %s', async (_, said, text) => {
    const { run, steps, faults } = scene({ said: [said, finish] });
    expect(await run()).toMatchObject({ reason: 'done' });
    const [result] = results(steps);
    expect(result).toMatchObject({ isError: true });
    expect(result?.text).toContain(text);
    expect(JSON.stringify(steps)).not.toContain('secret-place');
    expect(faults).toHaveLength(text.startsWith('The tool failed') ? 1 : 0);
  });

  test.each([
    ['inside a call', { calls: [{ id: 'a', name: 'write_file', input: '{"pa', isMalformed: true }] }],
    ['before a call', { text: 'First I' }],
  ])('an answer that was cut off %s is asked for in smaller parts', async (_, cut) => {
    const usage = { inputTokens: 100, outputTokens: 4096, cacheReadTokens: 0 };
    const { run, asked } = scene({ said: [{ ...cut, usage, stopReason: 'length' }, finish] });
    expect(await run()).toMatchObject({ reason: 'done' });
    expect(asked[1]?.at(-1)?.text).toMatch(/^Your answer was cut off at 4096 tokens.* Send smaller parts/);
  });

  test('changes before a failure are recorded', async () => {
    const { run, steps } = scene({ said: [calls(['break']), finish] });
    await run();
    expect(results(steps)[0]?.changes).toEqual([{ path: 'half.mdx', content: 'half' }]);
  });

  test('a call that takes too long is abandoned and cannot write any more', async () => {
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

describe('endings', () => {
  test('a run without any tool call fails and names the setting of the model server', async () => {
    const { run, steps } = scene({ said: [{ text: 'All done.' }, { text: 'I said it is done.' }] });
    expect(await run()).toEqual({
      reason: 'stalled',
      problem: `The model never called a tool. ${toolCallAdvice()}`,
      summary: 'I said it is done.',
      title: '',
      tree: '[]',
    });
    expect(notes(steps)).toEqual([finishReminder]);
  });

  test('two texts in a row after a reading call are the conclusion of the run', async () => {
    const { run } = scene({
      said: [calls(['read_file', { path: 'a.mdx' }]), { text: 'It is right.' }, { text: 'Nothing to do.' }],
    });
    expect(await run()).toMatchObject({ reason: 'done', summary: 'Nothing to do.' });
  });

  test.each([
    ['the calls failed', calls(['refuse']), { text: 'Nothing to do.' }],
    ['the texts are empty', calls(['read_file', { path: 'a.mdx' }]), { text: ' ' }],
    ['files were changed', calls(['write_file', { path: 'a.mdx', content: 'x' }]), { text: 'Now the next.' }],
  ])('two texts in a row are no conclusion if %s', async (_, said, text) => {
    const { run } = scene({ said: [said, text, text] });
    expect(await run()).toMatchObject({
      reason: 'stalled',
      problem: 'The model stopped without calling finish.',
    });
  });

  test('a model that describes each step is reminded after every call and loses no work', async () => {
    const narrated = [1, 2, 3].flatMap((number) => [
      { text: `Next I change page ${number}.` },
      calls(['write_file', { path: `${number}.mdx`, content: 'x' }]),
    ]);
    const { run, steps, files } = scene({ said: [...narrated, { text: 'All done.' }, finish] });
    expect(await run()).toMatchObject({ reason: 'done', title: 'Fix the typo' });
    expect(notes(steps)).toEqual(Array.from({ length: 4 }, () => finishReminder));
    expect([...files.keys()]).toEqual(['1.mdx', '2.mdx', '3.mdx']);
  });

  test('a call that could not be read is explained once, then the run fails with advice', async () => {
    const read = calls(['read_file', { path: 'a.mdx' }]);
    const unread = { text: '<tool_call>{', unreadCall: '<tool_call>{' };
    const { run, steps } = scene({ said: [read, unread, unread] });
    expect(await run()).toMatchObject({
      reason: 'stalled',
      problem: `The model sent tool calls that could not be read. ${toolCallAdvice()}`,
    });
    expect(notes(steps)).toEqual([unreadCallReminder]);
  });

  test('a reminded model can end with finish', async () => {
    const { run } = scene({ said: [{ text: 'All done.' }, finish] });
    expect(await run()).toMatchObject({ reason: 'done', title: 'Fix the typo' });
  });

  test('a refusal by the model ends the run', async () => {
    const { run } = scene({ said: [{ text: 'No.', stopReason: 'refused' }] });
    expect(await run()).toMatchObject({ reason: 'refused', summary: 'No.' });
  });

  test.each(['model_auth', 'model_unavailable', 'refused'] as const)(
    'a failure of the gateway ends the run with its reason: %s',
    async (reason) => {
      const { run, steps } = scene({
        said: [calls(['write_file', { path: 'a.mdx', content: 'x' }]), new ModelError(reason, 'A sentence.')],
      });
      const tree = '[["a.mdx","x"]]';
      expect(await run()).toEqual({ reason, problem: 'A sentence.', summary: '', title: '', tree });
      expect(steps.at(-1)).toMatchObject({ kind: 'loop-ended', reason });
    },
  );

  test('an abort during a model call throws the reason of the signal', async () => {
    const stop = new AbortController();
    const stopped: Said = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new ModelError('cancelled', 'Stopped.')));
        stop.abort(new Error('canceled by a person'));
      });
    const { run, steps } = scene({ said: [stopped], loop: { signal: stop.signal } });
    await expect(run()).rejects.toThrow('canceled by a person');
    expect(steps, 'the next attempt finds no steps').toEqual([]);
  });

  test('an abort ends a tool call', async () => {
    const stop = new AbortController();
    const { run, steps, files } = scene({ said: [calls(['hang'])], loop: { signal: stop.signal } });
    const work = expect(run()).rejects.toThrow('canceled by a person');
    await expect.poll(() => files.has('before.mdx')).toBe(true);
    stop.abort(new Error('canceled by a person'));
    await work;
    expect(steps.map(({ kind }) => kind)).toEqual(['answer']);
  });

  test('the time limit counts from the first start', async () => {
    let now = 0;
    const { run, steps } = scene({
      said: Array.from({ length: 9 }, (_, index) => calls(['read_file', { path: `${index}.mdx` }])),
      limits: { minutes: 10 },
      loop: { now: () => (now += 50_000), startedAt: 0 },
    });
    expect(await run()).toMatchObject({ reason: 'timeout', problem: 'The run took longer than 10 minutes.' });
    expect(notes(steps)).toEqual([wrapUpNote]);
  });

  test('the time limit ends a model call', async () => {
    const never: Said = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new ModelError('cancelled', 'Stopped.')));
      });
    const { run } = scene({ said: [never], limits: { minutes: 0.001 } });
    expect(await run()).toMatchObject({ reason: 'timeout' });
  });
});

describe('budgets', () => {
  const reading = (count: number) =>
    Array.from({ length: count }, (_, index) => calls(['read_file', { path: `${index}.mdx` }]));

  test('the step limit warns once at four fifths and ends the run', async () => {
    const { run, steps, asked } = scene({ said: reading(20), limits: { steps: 10 } });
    expect(await run()).toMatchObject({ reason: 'budget' });
    expect(asked).toHaveLength(10);
    expect(notes(steps)).toEqual([wrapUpNote]);
    const place = steps.findIndex(({ kind }) => kind === 'message');
    expect(steps.slice(0, place).filter(({ kind }) => kind === 'answer')).toHaveLength(8);
  });

  test('no call exceeds the input limit', async () => {
    const { run, asked } = scene({ said: reading(20), limits: { inputTokens: 660 } });
    expect(await run()).toMatchObject({ reason: 'budget' });
    expect(asked).toHaveLength(4);
  });

  test('each call may use the remaining output, and none is made with too little', async () => {
    const long = reading(9).map((one) => ({
      ...one,
      usage: { inputTokens: 1, outputTokens: 900, cacheReadTokens: 0 },
    }));
    const { run, requests } = scene({ said: long, limits: { outputTokens: 2000 } });
    expect(await run()).toMatchObject({ reason: 'budget' });
    expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([2000, 1100]);
  });

  test('no model is called without a budget', async () => {
    const { run, asked } = scene({ said: [finish], limits: { steps: 0 } });
    expect(await run()).toMatchObject({ reason: 'budget' });
    expect(asked).toEqual([]);
  });
});

describe('a stall', () => {
  const nudge = /^You are not making progress: /;

  test('the model is warned once, then the run ends', async () => {
    const same = calls(['read_file', { path: 7 }]);
    const { run, steps, asked } = scene({ said: [same, same, same, same, same] });
    expect(await run()).toMatchObject({
      reason: 'stalled',
      problem: 'The same call of read_file has failed 3 times.',
    });
    expect(asked).toHaveLength(4);
    expect(notes(steps)).toEqual([expect.stringMatching(nudge)]);
  });

  test('a stall is over when the model does something else', async () => {
    const same = calls(['read_file', { path: 7 }]);
    const { run } = scene({ said: [same, same, same, calls(['read_file', { path: 'a.mdx' }]), finish] });
    expect(await run()).toMatchObject({ reason: 'done' });
  });
});

describe.each(['openai', 'anthropic', 'gemini'] as const)('over HTTP, as %s speaks it', (provider) => {
  test('a model completes its work, and temporary failures stay hidden', async () => {
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

describe('a resumed run', () => {
  const said = [
    calls(['read_file', { path: 'a.mdx' }], ['write_file', { path: 'a.mdx', content: '1' }]),
    { text: 'I think that is all.' },
    calls(['read_file', { path: 7 }]),
    calls(['read_file', { path: 7 }]),
    calls(['read_file', { path: 7 }]),
    calls(['write_file', { path: 'b.mdx', content: '2' }], ['read_file', { path: 'b.mdx' }]),
    finish,
  ];

  test('a run interrupted at any step reaches the same end without repeated model calls', async () => {
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
