import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startModelServer, type ModelServer, type Script } from '../../../../../test/fakes/model-server.ts';
import type { Message, Model, ModelError, ModelRequest } from '../contract.ts';
import type { ModelSettings } from './endpoint.ts';
import { createModel, pauseSecondsFor, type GatewayLimits } from './gateway.ts';

const key = 'sk-very-secret-1234';
const tools: ModelRequest['tools'] = [
  {
    name: 'read_file',
    description: 'Reads a file.',
    input: z.object({ path: z.string(), limit: z.number().default(400) }),
  },
];
const opening: Message[] = [
  { role: 'system', text: 'You edit documentation.' },
  { role: 'user', text: 'Fix the typo.' },
];

async function scripted(
  provider: ModelSettings['provider'],
  script: Script,
  limits: Partial<GatewayLimits> = {},
  settings: Partial<ModelSettings> = {},
): Promise<{ server: ModelServer; model: Model }> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const model = createModel(
    { provider, url: server.url, key, name: 'scribe-1', ...settings },
    { egress: { allowedHosts: [server.host] }, limits: { pauseSeconds: 0, ...limits } },
  );
  return { server, model };
}

function request(given: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: opening, tools, maxOutputTokens: 500, signal: new AbortController().signal, ...given };
}

async function failure(work: Promise<unknown>): Promise<ModelError> {
  return work.then(
    () => expect.unreachable('there was no failure'),
    (error: unknown) => error as ModelError,
  );
}

describe.each(['openai', 'anthropic', 'gemini'] as const)('%s', (provider) => {
  test('an answer has text, reasoning, calls and usage', async () => {
    const { model, server } = await scripted(provider, [
      {
        reasoning: 'I should look first.',
        text: 'I will read the page.',
        calls: [
          { id: 'a', name: 'read_file', input: { path: 'index.mdx', limit: 5 } },
          { id: 'b', name: 'read_file', input: { path: 'ünïcode 🙂.mdx' } },
        ],
        usage: { inputTokens: 1200, outputTokens: 34, cacheReadTokens: 1000 },
        pieces: 7,
      },
    ]);
    const heard: string[] = [];
    const answer = await model.answer(request({ onText: (text) => heard.push(text) }));
    expect(answer).toEqual({
      text: 'I will read the page.',
      reasoning: 'I should look first.',
      calls: [
        { id: 'a', name: 'read_file', input: { path: 'index.mdx', limit: 5 } },
        { id: 'b', name: 'read_file', input: { path: 'ünïcode 🙂.mdx' } },
      ],
      usage: { inputTokens: 1200, outputTokens: 34, cacheReadTokens: 1000 },
      stopReason: 'tool-calls',
    });
    expect(heard.join('')).toBe(answer.text);
    expect(heard.length).toBeGreaterThan(1);
    const [asked] = server.requests;
    expect(asked?.messages).toEqual(opening);
    expect(asked?.tools).toEqual(['read_file']);
    if (provider === 'gemini') {
      expect(asked?.path).toBe('/v1/models/scribe-1:streamGenerateContent?alt=sse');
      expect(asked?.body).toMatchObject({ generationConfig: { maxOutputTokens: 500 } });
    } else {
      expect(asked?.body).toMatchObject({ model: 'scribe-1', stream: true, max_tokens: 500 });
    }
    expect(asked?.headers).toMatchObject(
      {
        openai: { authorization: `Bearer ${key}` },
        anthropic: { 'x-api-key': key },
        gemini: { 'x-goog-api-key': key },
      }[provider],
    );
  });

  test('the whole conversation is sent: calls, results and errors', async () => {
    const messages: Message[] = [
      ...opening,
      {
        role: 'assistant',
        text: 'Reading.',
        reasoning: 'Hm.',
        calls: [
          { id: 'a', name: 'read_file', input: { path: 'a.mdx' } },
          { id: 'b', name: 'read_file', input: '{"path": ', isMalformed: true },
        ],
      },
      { role: 'tool', callId: 'a', name: 'read_file', text: 'Helo', isError: false },
      { role: 'tool', callId: 'b', name: 'read_file', text: 'The arguments are no JSON.', isError: true },
      { role: 'user', text: 'Hurry.' },
    ];
    const { model, server } = await scripted(provider, [{ text: 'Done.' }]);
    expect(await model.answer(request({ messages }))).toMatchObject({ text: 'Done.', stopReason: 'end' });
    const seen = server.requests[0]?.messages.map((message) =>
      message.role === 'assistant' ? { ...message, reasoning: 'Hm.' } : message,
    );
    expect(seen).toEqual(
      messages.map((message) => {
        if (message.role === 'tool') return { ...message, isError: provider !== 'openai' && message.isError };
        if (message.role !== 'assistant') return message;
        const [first] = message.calls;
        return {
          ...message,
          calls: [first, { id: 'b', name: 'read_file', input: { malformed: '{"path": ' } }],
        };
      }),
    );
  });

  test('arguments that are not JSON mark the call, an unknown tool does not', async () => {
    const { model } = await scripted(provider, [
      {
        calls: [
          { id: 'a', name: 'read_file', arguments: '{"path": "x' },
          { id: 'b', name: 'run_shell', input: { command: 'env' } },
          { id: 'c', name: 'read_file', input: { path: 7 } },
        ],
      },
    ]);
    expect((await model.answer(request())).calls).toEqual([
      { id: 'a', name: 'read_file', input: '{"path": "x', isMalformed: true },
      { id: 'b', name: 'run_shell', input: { command: 'env' } },
      { id: 'c', name: 'read_file', input: { path: 7 } },
    ]);
  });

  test('deeply nested arguments mark the call as malformed', async () => {
    const depth = 1000;
    const { model } = await scripted(provider, [
      {
        calls: [{ id: 'a', name: 'read_file', arguments: `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}` }],
      },
    ]);
    const { calls } = await model.answer(request());
    expect(calls).toMatchObject([{ id: 'a', name: 'read_file', isMalformed: true }]);
    expect(() => JSON.stringify(calls)).not.toThrow();
  });

  test('the stop reason shows a refusal and a length limit', async () => {
    const { model } = await scripted(provider, [
      { text: 'I cannot help with that.', stop: 'refused' },
      { text: 'And so on and', stop: 'length' },
    ]);
    expect(await model.answer(request())).toMatchObject({ stopReason: 'refused' });
    expect(await model.answer(request())).toMatchObject({ stopReason: 'length', text: 'And so on and' });
  });

  test.each([
    ['429', { fault: 'status', status: 429, retryAfter: '0' }],
    ['503', { fault: 'status', status: 503 }],
    ['529', { fault: 'status', status: 529 }],
    ['a cut stream', { fault: 'cut' }],
    ['an event that is no JSON', { fault: 'malformed' }],
    ['an error event', { fault: 'overloaded' }],
  ] as const)('after %s the request is retried', async (_, fault) => {
    const { model, server } = await scripted(provider, [fault, fault, { text: 'At last.' }]);
    expect(await model.answer(request())).toMatchObject({ text: 'At last.' });
    expect(server.requests).toHaveLength(3);
    expect(server.requests[2]?.body).toEqual(server.requests[0]?.body);
  });

  test('the gateway gives up after the maximum number of attempts', async () => {
    const { model, server } = await scripted(
      provider,
      () => ({ fault: 'status', status: 529, message: `Overloaded, ${key}` }),
      { attempts: 3 },
    );
    const failed = await failure(model.answer(request()));
    expect(failed).toMatchObject({ name: 'ModelError', reason: 'model_unavailable' });
    expect(failed.message).toContain('answered with status 529');
    expect(JSON.stringify(failed, Object.getOwnPropertyNames(failed))).not.toContain(key);
    expect(server.requests).toHaveLength(3);
  });

  test.each([
    [401, `Incorrect API key provided: ${key}`, 'model_auth'],
    [403, 'No access to this model.', 'model_auth'],
    [400, "This model's maximum context length is 8192 tokens.", 'context_overflow'],
    [400, 'prompt is too long: 210000 tokens > 200000 maximum', 'context_overflow'],
    [400, 'The request exceeds the available context size.', 'context_overflow'],
    [400, 'Blocked by content_filter.', 'refused'],
    [400, 'Unknown parameter.', 'model_unavailable'],
    [404, 'There is no such model.', 'model_unavailable'],
  ] as const)('%i "%s" is not retried and ends as %s', async (status, message, reason) => {
    const { model, server } = await scripted(provider, [{ fault: 'status', status, message }]);
    const failed = await failure(model.answer(request()));
    expect(failed).toMatchObject({ name: 'ModelError', reason });
    expect(failed.message).not.toContain(key);
    expect(server.requests).toHaveLength(1);
  });

  test('an abort ends a hanging stream', async () => {
    const { model, server } = await scripted(provider, [{ fault: 'hang' }]);
    const stop = new AbortController();
    const work = failure(model.answer(request({ signal: stop.signal, onText: () => stop.abort() })));
    expect(await work).toMatchObject({ reason: 'cancelled' });
    expect(server.requests).toHaveLength(1);
  });

  test('an abort ends the pause before a retry', async () => {
    const stop = new AbortController();
    const { model, server } = await scripted(provider, () => {
      setImmediate(() => stop.abort());
      return { fault: 'status', status: 429, retryAfter: '50' };
    });
    expect(await failure(model.answer(request({ signal: stop.signal })))).toMatchObject({
      reason: 'cancelled',
    });
    expect(server.requests).toHaveLength(1);
  });

  test.each(['callSeconds', 'idleSeconds'] as const)(
    '%s ends an attempt, which is retried',
    async (limit) => {
      const { model, server } = await scripted(
        provider,
        ({ turn }) => (turn === 0 ? { fault: 'hang' } : { text: 'Awake.' }),
        { [limit]: 0.3, attempts: 50 },
      );
      expect(await model.answer(request())).toMatchObject({ text: 'Awake.' });
      expect(server.requests.length).toBeGreaterThan(1);
    },
  );

  test('a slow stream that makes progress is not interrupted', async () => {
    const { model } = await scripted(provider, [
      { fault: 'slow', answer: { text: 'Slowly but surely.' }, pauseMilliseconds: 5 },
    ]);
    expect(await model.answer(request())).toMatchObject({ text: 'Slowly but surely.', stopReason: 'end' });
  });

  test('plain HTTP and private addresses need a host that the operator lists', async () => {
    const server = await startModelServer([]);
    onTestFinished(() => server.close());
    const model = createModel(
      { provider, url: server.url, key, name: 'scribe-1' },
      { egress: { allowedHosts: [] } },
    );
    const failed = await failure(model.answer(request()));
    expect(failed.reason).toBe('model_unavailable');
    expect(failed.message).toContain('EGRESS_ALLOW');
    expect(server.requests).toEqual([]);
  });
});

test('an endpoint without usage is charged by text length', async () => {
  const { model } = await scripted('openai', [{ text: 'x'.repeat(400), usage: null }]);
  const messages: Message[] = [{ role: 'user', text: 'y'.repeat(4000) }];
  expect((await model.answer(request({ messages }))).usage).toEqual({
    inputTokens: 1000,
    outputTokens: 100,
    cacheReadTokens: 0,
  });
});

test('Gemini gets the settings of the model beside its limit', async () => {
  const { model, server } = await scripted(
    'gemini',
    [{ text: 'Done.' }],
    {},
    {
      temperature: 0.2,
      maxOutputTokens: 300,
      body: {
        generationConfig: { thinkingConfig: { thinkingBudget: 0 }, maxOutputTokens: 9000 },
        labels: { team: 'docs' },
      },
    },
  );
  await model.answer(request());
  expect(server.requests[0]?.body).toMatchObject({
    generationConfig: { temperature: 0.2, maxOutputTokens: 300, thinkingConfig: { thinkingBudget: 0 } },
    labels: { team: 'docs' },
  });
});

test('Gemini accepts calls of earlier answers without their signatures', async () => {
  const { model, server } = await scripted('gemini', [{ text: 'Done.' }], {}, { name: 'gemini-3-pro' });
  const messages: Message[] = [
    ...opening,
    { role: 'assistant', text: '', calls: [{ id: 'a', name: 'read_file', input: { path: 'a.mdx' } }] },
    { role: 'tool', callId: 'a', name: 'read_file', text: 'Helo', isError: false },
  ];
  await model.answer(request({ messages }));
  expect(JSON.stringify(server.requests[0]?.body)).toContain('skip_thought_signature_validator');
});

test('an endpoint without a key gets no credential', async () => {
  const { server } = await scripted('openai', [{ text: 'Hello.' }]);
  const model = createModel(
    { provider: 'openai', url: server.url, key: null, name: 'local' },
    { egress: { allowedHosts: [server.host] } },
  );
  await model.answer(request());
  expect(server.requests[0]?.headers.authorization).toBeUndefined();
});

test('OpenAI gets the newer name of the limit', async () => {
  const server = await startModelServer([{ text: 'Hello.' }]);
  onTestFinished(() => server.close());
  const url = `http://api.openai.com:${new URL(server.url).port}/v1`;
  const model = createModel(
    { provider: 'openai', url, key, name: 'scribe-1' },
    { egress: { allowedHosts: ['api.openai.com'], lookup: () => Promise.resolve(['127.0.0.1']) } },
  );
  await model.answer(request());
  expect(server.requests[0]?.body['max_completion_tokens']).toBe(500);
  expect(server.requests[0]?.body).not.toHaveProperty('max_tokens');
});

test('Anthropic gets cache marks on the system text and the ends of the last two requests', async () => {
  const { model, server } = await scripted('anthropic', [{ text: 'Done.' }]);
  const messages: Message[] = [
    ...opening,
    { role: 'assistant', text: '', calls: [{ id: 'a', name: 'read_file', input: { path: 'a.mdx' } }] },
    { role: 'tool', callId: 'a', name: 'read_file', text: 'Helo', isError: false },
  ];
  await model.answer(request({ messages }));
  const cached = { cache_control: { type: 'ephemeral' } };
  expect(server.requests[0]?.body).toMatchObject({
    system: [cached],
    messages: [{ content: [cached] }, {}, { content: [cached] }],
  });
  expect(JSON.stringify(server.requests[0]?.body).match(/cache_control/g)).toHaveLength(3);
});

test('tools are described by their schemas, with defaults as optional fields', async () => {
  const { model, server } = await scripted('openai', [{ text: 'Done.' }]);
  await model.answer(request());
  expect(server.requests[0]?.body['tools']).toEqual([
    {
      type: 'function',
      function: {
        name: 'read_file',
        description: 'Reads a file.',
        parameters: {
          type: 'object',
          properties: { path: { type: 'string' }, limit: { type: 'number', default: 400 } },
          required: ['path'],
        },
      },
    },
  ]);
});

test.each([
  ['what the endpoint asks for', '7', 1, 7],
  ['until the date it names', 'Sun, 15 Nov 2026 08:00:09 GMT', 1, 9],
  ['not at all when the date is over', 'Sun, 15 Nov 2026 07:00:00 GMT', 1, 0],
  ['never longer than the limit', '3600', 1, 60],
  ['a little when nothing is asked', null, 1, 1],
  ['twice as long each time', null, 4, 8],
  ['as if nothing was asked when it makes no sense', 'soon', 2, 2],
])('the pause before a retry is %s', (_, retryAfter, attempt, seconds) => {
  const now = Date.parse('2026-11-15T08:00:00Z');
  const limits = { pauseSeconds: 1, maxPauseSeconds: 60 };
  expect(pauseSecondsFor(retryAfter, attempt, limits, now)).toBe(seconds);
});
