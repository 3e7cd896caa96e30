import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { startModelServer, type Script } from '../../../../../test/fakes/model-server.ts';
import { temporaryFolder, until } from '../../../test/support/test-context.ts';
import { defaultLimits, type Limits, type ModelAnswer } from '../contract.ts';
import { createForwarder, type Forward } from '../model/gateway.ts';
import { openModelBridge } from './model-bridge.ts';

const key = 'sk-the-key-that-stays-outside';
const messages = [{ role: 'user', content: 'Hello.' }];
const contents = [{ role: 'user', parts: [{ text: 'Hello.' }] }];
const paths = {
  openai: '/v1/chat/completions',
  anthropic: '/v1/messages',
  gemini: '/v1beta/models/any:streamGenerateContent?alt=sse',
};
/** A stream of each format. */
const streams = [
  ['openai', paths.openai, { messages, stream: true, max_tokens: 50 }],
  ['openai', '/v1/responses', { input: 'Hello.', stream: true, max_output_tokens: 50 }],
  ['anthropic', paths.anthropic, { messages, stream: true, max_tokens: 50 }],
  ['gemini', paths.gemini, { contents, generationConfig: { maxOutputTokens: 50 } }],
] as const;

interface Scene {
  provider?: keyof typeof paths;
  limits?: Partial<Limits>;
  used?: Partial<ModelAnswer['usage']> & { steps?: number };
  forward?: Forward;
}

async function scene(script: Script, { provider = 'openai', limits, used, forward }: Scene = {}) {
  const server = await startModelServer(script);
  const model = { provider, url: server.url, name: 'writer' };
  const paid: ModelAnswer['usage'][] = [];
  const spent: true[] = [];
  const stopping = new AbortController();
  const egress = { allowedHosts: [server.host], offline: false };
  const quick = { attempts: 2, pauseSeconds: 0.01 };
  const reached = forward ?? createForwarder({ ...model, key }, { egress, limits: quick });
  const begun: Response[] = [];
  const bridge = await openModelBridge({
    folder: temporaryFolder('bridge'),
    model,
    async forward(...call) {
      const answer = await reached(...call);
      begun.push(answer);
      return answer;
    },
    used: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, steps: 0, ...used },
    limits: { ...defaultLimits, ...limits },
    signal: stopping.signal,
    onAnswer: (usage) => void paid.push(usage),
    onSpent: () => void spent.push(true),
  });
  onTestFinished(async () => {
    await bridge.close();
    await server.close();
  });
  const ask = (body: object, path: string = paths[provider]) => post(bridge.path, path, body);
  return { server, bridge, begun, paid, spent, stopping, ask };
}

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

/** Without a body it is a GET. A text is sent as it is. */
function post(socketPath: string, path: string, body: object | string | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        socketPath,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: 'Bearer dummy' },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.once('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
        response.once('error', reject);
      },
    );
    sent.once('error', reject);
    sent.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  });
}

test.each(streams)('a stream of %s at %s is forwarded and metered', async (provider, path, body) => {
  const usage = { inputTokens: 1200, outputTokens: 34, cacheReadTokens: 1000 };
  const { server, paid, ask, bridge } = await scene([{ text: 'Hello yourself.', pieces: 1, usage }], {
    provider,
  });
  const { status, headers, text } = await ask(body, path);
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/event-stream');
  expect(text).toContain('Hello yourself.');
  await until(() => paid.length === 1);
  expect(paid).toEqual([usage]);
  expect(bridge.failure()).toBeUndefined();
  const [request] = server.requests;
  const header = { openai: 'authorization', anthropic: 'x-api-key', gemini: 'x-goog-api-key' }[provider];
  expect(request?.headers[header]).toContain(key);
  expect(JSON.stringify([request?.path, request?.body])).toContain('writer');
  expect(JSON.stringify(request?.body)).toMatch(/"(?:max_tokens|max_output_tokens|maxOutputTokens)":50\b/);
  expect(JSON.stringify([headers, text, request?.path])).not.toContain(key);
});

test.each(streams)('the usage of a stream of %s at %s is estimated', async (provider, path, body) => {
  const { ask, paid } = await scene([{ text: 'x'.repeat(400), usage: null }], { provider });
  await ask(body, path);
  await until(() => paid.length === 1);
  // Anthropic always reports usage.
  if (provider !== 'anthropic') expect(paid[0]).toMatchObject({ outputTokens: 100 });
  expect(paid[0]?.inputTokens).toBeGreaterThan(5);
});

test.each(streams)('a rejected key of %s at %s stays secret', async (provider, path, body) => {
  const message = `Incorrect API key provided: ${key}.`;
  const { ask, bridge } = await scene([{ fault: 'status', status: 403, message }], { provider });
  const answer = await ask(body, path);
  expect(answer.status).toBe(401);
  expect(JSON.parse(answer.text)).toMatchObject({
    error: { message: expect.stringContaining('refused the key') as string },
  });
  expect(JSON.stringify(answer)).not.toContain(key);
  expect(bridge.failure()?.reason).toBe('model_auth');
});

test.each(streams)('an error of %s at %s that quotes the key is masked', async (provider, path, body) => {
  const message = `No model for ${key}.`;
  const { ask } = await scene([{ fault: 'status', status: 400, message }], { provider });
  const answer = await ask(body, path);
  expect(answer.status).toBe(503);
  expect(answer.text).toContain('No model for ***');
});

test.each([
  ['openai', { prompt_tokens: 20, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 5 } }],
  [
    'anthropic',
    { input_tokens: 12, cache_read_input_tokens: 5, cache_creation_input_tokens: 3, output_tokens: 3 },
  ],
  [
    'gemini',
    { promptTokenCount: 20, cachedContentTokenCount: 5, candidatesTokenCount: 2, thoughtsTokenCount: 1 },
  ],
] as const)('a complete answer in the format of %s is metered', async (provider, usage) => {
  const whole = JSON.stringify({
    content: 'Hello.',
    [provider === 'gemini' ? 'usageMetadata' : 'usage']: usage,
  });
  const { ask, paid } = await scene([], { provider, forward: () => Promise.resolve(new Response(whole)) });
  expect((await ask({ messages, contents })).text).toBe(whole);
  expect(paid).toEqual([{ inputTokens: 20, outputTokens: 3, cacheReadTokens: 5 }]);
});

test('usage that the agent did not request is hidden from it', async () => {
  const { ask } = await scene([{ text: 'One.' }, { text: 'Two.' }]);
  expect((await ask({ messages, stream: true })).text).not.toContain('prompt_tokens');
  const options = { stream_options: { include_usage: true } };
  expect((await ask({ messages, stream: true, ...options })).text).toContain('prompt_tokens');
});

test('an interrupted answer is charged and reported', async () => {
  const answer = { text: 'x'.repeat(300), pieces: 10 };
  const { ask, paid, bridge } = await scene([{ fault: 'cut', answer }], { provider: 'anthropic' });
  await expect(ask({ messages, stream: true })).rejects.toThrow();
  await until(() => paid.length === 1);
  expect(paid[0]?.inputTokens).toBe(100);
  expect(paid[0]?.outputTokens).toBeGreaterThan(5);
  await until(() => bridge.failure() !== undefined);
  expect(bridge.failure()?.reason).toBe('model_unavailable');
});

test('a temporary failure is retried, a permanent one is reported without the key', async () => {
  const { ask, paid, bridge } = await scene([
    { fault: 'status', status: 529 },
    { text: 'Now.' },
    { fault: 'status', status: 401, message: `Wrong key ${key}.` },
  ]);
  expect((await ask({ messages, stream: true })).status).toBe(200);
  const refused = await ask({ messages, stream: true });
  expect(refused.status).toBe(401);
  expect(refused.text).not.toContain(key);
  expect(bridge.failure()?.reason).toBe('model_auth');
  expect(paid).toHaveLength(1);
});

test.each([
  ['steps', { used: { steps: 3 }, limits: { steps: 3 } }],
  ['input', { used: { inputTokens: 999 }, limits: { inputTokens: 1000 } }],
  ['output', { used: { outputTokens: 900 }, limits: { outputTokens: 1000 } }],
])('a call over the budget of %s is not made', async (_, given) => {
  const { ask, spent, server } = await scene([], given);
  expect((await ask({ messages })).status).toBe(400);
  expect(spent).toEqual([true]);
  expect(server.requests).toEqual([]);
});

test('the output limit is the rest of the budget', async () => {
  const { ask, server } = await scene([{ text: 'Hello.' }], { limits: { outputTokens: 700 } });
  await ask({ messages, stream: true, max_tokens: 100_000 });
  expect(server.requests[0]?.body['max_tokens']).toBe(700);
});

test.each([
  [
    'openai',
    ['/v1/messages', '/v1/responses/compact', '/v1/responses/resp_1', '/v1beta/models/x:generateContent'],
  ],
  ['anthropic', ['/v1/chat/completions', '/v1/messages/batches', '/v1/responses']],
  [
    'gemini',
    ['/v1/messages', '/v1beta/models/x:embedContent', '/v1beta/cachedContents', '/upload/v1beta/files'],
  ],
] as const)('requests that an endpoint of %s does not have are refused', async (provider, others) => {
  const { ask, server } = await scene([], { provider });
  const paths = ['/v1/files', '/', 'http://models.example.com/v1/chat/completions', '/v1/models', ...others];
  for (const path of paths) expect((await ask({ messages, contents }, path)).status).toBe(404);
  expect(server.requests).toEqual([]);
});

test('an endpoint without Responses is reported with advice', async () => {
  const { ask, bridge } = await scene([{ fault: 'status', status: 404 }]);
  await ask({ input: 'Hello.' }, '/v1/responses');
  expect(bridge.failure()?.message).toContain('an agent that sends chat completions');
});

test.each([
  ['openai', '/v1/models', '/v1/models/other', { id: 'writer', object: 'model' }],
  ['anthropic', '/v1/models', '/v1/models/other', { id: 'writer', type: 'model' }],
  ['gemini', '/v1beta/models', '/v1beta/models/other', { name: 'models/writer' }],
] as const)('an endpoint of %s has only the configured model', async (provider, all, one, model) => {
  const { bridge, server } = await scene([], { provider });
  const list = JSON.parse((await post(bridge.path, all, undefined)).text) as Record<string, unknown>;
  expect(list[provider === 'gemini' ? 'models' : 'data']).toEqual([expect.objectContaining(model)]);
  expect(JSON.parse((await post(bridge.path, one, undefined)).text)).toMatchObject(model);
  expect(server.requests).toEqual([]);
});

test.each([
  ['anthropic', '/v1/messages/count_tokens', 'input_tokens'],
  ['gemini', '/v1beta/models/any:countTokens', 'totalTokens'],
] as const)(
  'the tokens of a request to %s are estimated without the endpoint',
  async (provider, path, field) => {
    const { ask, server, paid } = await scene([], { provider });
    const text = 'x'.repeat(4000);
    const counted = JSON.parse((await ask({ messages: text }, path)).text) as Record<string, number>;
    expect(counted[field]).toBeGreaterThanOrEqual(1000);
    expect(server.requests).toEqual([]);
    expect(paid).toEqual([]);
  },
);

test.each(streams)(
  'hostile requests to %s at %s are answered without the endpoint',
  async (provider, path) => {
    const { bridge, server, paid } = await scene([{ text: 'Still here.' }], { provider });
    const depth = 500_000;
    const hostile = [
      '',
      '{',
      '[]',
      'null',
      '\0',
      '{"a":'.repeat(depth),
      `${'['.repeat(depth)}${']'.repeat(depth)}`,
    ];
    for (const text of hostile) {
      const { status, text: answer } = await post(bridge.path, path, text);
      expect(status).toBe(400);
      expect(JSON.parse(answer)).toMatchObject({ error: { message: expect.any(String) as string } });
    }
    expect((await post(bridge.path, path, 'x'.repeat(8_000_001))).status).toBe(413);
    expect(server.requests).toEqual([]);
    expect(paid).toEqual([]);
  },
);

test('requests with unknown parts are refused', async () => {
  const { ask, server } = await scene([]);
  expect((await ask({ messages: [{ role: 'user', content: [{ type: 'file' }] }] })).status).toBe(400);
  expect(server.requests).toEqual([]);
});

test('an aborted run ends its calls', async () => {
  const { ask, begun, stopping, paid } = await scene([{ fault: 'hang' }]);
  const asked = ask({ messages, stream: true }).catch((error: unknown) => error);
  await until(() => begun.length === 1);
  stopping.abort();
  await asked;
  await until(() => paid.length === 1);
});
