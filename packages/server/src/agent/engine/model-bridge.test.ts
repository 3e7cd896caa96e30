import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { startModelServer, type Script } from '../../../../../test/fakes/model-server.ts';
import { temporaryFolder, until } from '../../../test/support/test-context.ts';
import { defaultLimits, type Limits, type ModelAnswer } from '../contract.ts';
import { createForwarder, type Forward } from '../model/gateway.ts';
import { openModelBridge } from './model-bridge.ts';

const key = 'sk-the-key-that-stays-outside';
const messages = [{ role: 'user', content: 'Hello.' }];
const paths = { openai: '/v1/chat/completions', anthropic: '/v1/messages' };

interface Scene {
  provider?: 'openai' | 'anthropic';
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
  const ask = (body: object, path = paths[provider]) => post(bridge.path, path, body);
  return { server, bridge, begun, paid, spent, stopping, ask };
}

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

function post(socketPath: string, path: string, body: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { socketPath, path, method: 'POST', headers: { authorization: 'Bearer dummy' } },
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
    sent.end(JSON.stringify(body));
  });
}

test.each(['openai', 'anthropic'] as const)(
  'a stream in the format of %s is forwarded and metered',
  async (provider) => {
    const usage = { inputTokens: 1200, outputTokens: 34, cacheReadTokens: 1000 };
    const { server, paid, ask, bridge } = await scene([{ text: 'Hello yourself.', pieces: 1, usage }], {
      provider,
    });
    const { status, headers, text } = await ask({ messages, stream: true, max_tokens: 50 });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/event-stream');
    expect(text).toContain('Hello yourself.');
    await until(() => paid.length === 1);
    expect(paid).toEqual([usage]);
    expect(bridge.failure()).toBeUndefined();
    const sent = server.requests[0]?.headers;
    expect(provider === 'openai' ? sent?.['authorization'] : sent?.['x-api-key']).toContain(key);
    expect(server.requests[0]?.body).toMatchObject({ model: 'writer', max_tokens: 50 });
    expect(JSON.stringify([headers, text])).not.toContain(key);
  },
);

test.each([
  ['openai', { prompt_tokens: 20, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 5 } }],
  [
    'anthropic',
    { input_tokens: 12, cache_read_input_tokens: 5, cache_creation_input_tokens: 3, output_tokens: 3 },
  ],
] as const)('a complete answer in the format of %s is metered', async (provider, usage) => {
  const whole = JSON.stringify({ content: 'Hello.', usage });
  const { ask, paid } = await scene([], { provider, forward: () => Promise.resolve(new Response(whole)) });
  expect((await ask({ messages })).text).toBe(whole);
  expect(paid).toEqual([{ inputTokens: 20, outputTokens: 3, cacheReadTokens: 5 }]);
});

test('usage that the agent did not request is hidden from it', async () => {
  const { ask } = await scene([{ text: 'One.' }, { text: 'Two.' }]);
  expect((await ask({ messages, stream: true })).text).not.toContain('prompt_tokens');
  const options = { stream_options: { include_usage: true } };
  expect((await ask({ messages, stream: true, ...options })).text).toContain('prompt_tokens');
});

test('the usage of an endpoint that reports none is estimated', async () => {
  const { ask, paid } = await scene([{ text: 'x'.repeat(400), usage: null }]);
  await ask({ messages, stream: true });
  await until(() => paid.length === 1);
  expect(paid[0]).toMatchObject({ outputTokens: 100 });
  expect(paid[0]?.inputTokens).toBeGreaterThan(5);
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

test('other requests are refused', async () => {
  const { ask, server } = await scene([]);
  for (const path of ['/v1/files', '/v1/messages', '/', 'http://models.example.com/v1/chat/completions']) {
    expect((await ask({ messages }, path)).status).toBe(404);
  }
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
