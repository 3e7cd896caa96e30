/** Answers of model servers as they occur, each sent by a real server and read through the gateway. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Model, ModelError, ModelRequest } from '../contract.ts';
import type { ModelSettings } from './endpoint.ts';
import { createForwarder, createModel, type GatewayLimits } from './gateway.ts';

type Body = Record<string, unknown>;
type Answer = (body: Body, response: ServerResponse) => void;

interface Dialect {
  model: Model;
  bodies: Body[];
  headers: Record<string, unknown>[];
  url: string;
  host: string;
}

async function server(
  provider: ModelSettings['provider'],
  answer: Answer,
  settings: Partial<ModelSettings> = {},
  limits: Partial<GatewayLimits> = {},
): Promise<Dialect> {
  const bodies: Body[] = [];
  const headers: Record<string, unknown>[] = [];
  const http = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const body = JSON.parse(text) as Body;
      bodies.push(body);
      headers.push(request.headers);
      answer(body, response);
    });
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const host = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  const model = createModel(
    { provider, url: `http://${host}/v1`, key: null, name: 'scribe-1', ...settings },
    { egress: { allowedHosts: [host] }, limits: { pauseSeconds: 0, attempts: 2, ...limits } },
  );
  return { model, bodies, headers, url: `http://${host}/v1`, host };
}

function ask(model: Model, more: Partial<ModelRequest> = {}): ReturnType<Model['answer']> {
  return model.answer({
    messages: [{ role: 'user', text: 'Fix the typo.' }],
    tools: [
      { name: 'read_file', description: 'Reads a file.', input: z.object({ path: z.string() }) },
      { name: 'list_files', description: 'Lists files.', input: z.object({}) },
    ],
    maxOutputTokens: 500,
    signal: new AbortController().signal,
    ...more,
  });
}

async function failure(work: Promise<unknown>): Promise<ModelError> {
  return work.then(
    () => expect.unreachable('there was no failure'),
    (error: unknown) => error as ModelError,
  );
}

function stream(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).end(text);
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function data(...events: unknown[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

const chunk = (delta: unknown, finish_reason: unknown = null) => ({ choices: [{ delta, finish_reason }] });
const call = (more: object, args: unknown = '{"path": "a.mdx"}') =>
  chunk({ tool_calls: [{ ...more, function: { name: 'read_file', arguments: args } }] });
const called = { name: 'read_file', input: { path: 'a.mdx' } };
const done = 'data: [DONE]\n\n';

describe('an OpenAI-compatible stream is read', () => {
  test.each<[string, string, object]>([
    ['without [DONE]', data(chunk({ content: 'Hi' }), chunk({}, 'stop')), { text: 'Hi', stopReason: 'end' }],
    ['without a finish reason', data(chunk({ content: 'Hi' })) + done, { text: 'Hi', stopReason: 'end' }],
    ['with an empty finish reason', data(chunk({ content: 'Hi' }, '')), { text: 'Hi', stopReason: 'end' }],
    ['of TGI', data(chunk({ content: 'Hi' }), chunk({}, 'eos_token')), { text: 'Hi', stopReason: 'end' }],
    [
      'with lines that end in CRLF and no space',
      data(chunk({ content: 'Hi' }, 'stop'))
        .replaceAll('\n', '\r\n')
        .replace('data: ', 'data:'),
      { text: 'Hi' },
    ],
    [
      'with comments and unknown events',
      `: processing\n\nevent: ping\ndata: hi\n\n${data({ type: 'progress', percent: 5 }, chunk({ content: 'Hi' }, 'stop'))}`,
      { text: 'Hi' },
    ],
    [
      'with content in parts',
      data(chunk({ content: [{ type: 'text', text: 'Hi' }] }), chunk({ content: null }, 'stop')),
      { text: 'Hi' },
    ],
    [
      'with usage null',
      data({ ...chunk({ content: 'Hi' }, 'stop'), usage: null }),
      { usage: { inputTokens: 4, outputTokens: 1, cacheReadTokens: 0 } },
    ],
    [
      'with roles, ids and times of other types',
      data({ id: 1, created: '0', ...chunk({ role: 'bot', content: 'Hi' }, 'stop') }),
      { text: 'Hi' },
    ],
    [
      'with a call whose arguments are an object',
      data(call({ index: 0 }, { path: 'a.mdx' }), chunk({}, 'stop')),
      {
        calls: [called],
        stopReason: 'tool-calls',
      },
    ],
    [
      'with a numeric id',
      data(call({ index: 0, id: 7 }), chunk({}, 'tool_calls')),
      {
        calls: [{ ...called, id: '7' }],
      },
    ],
    [
      'with a call and no finish reason',
      data(call({ index: 0 })),
      { calls: [called], stopReason: 'tool-calls' },
    ],
    [
      'with calls without an index',
      data(
        chunk({ tool_calls: [{ id: 'a', function: { name: 'read_file', arguments: '{"path":' } }] }),
        chunk({ tool_calls: [{ function: { arguments: ' "a.mdx"}' } }] }),
        chunk({ tool_calls: [{ id: 'b', function: { name: 'read_file', arguments: '' } }] }),
        chunk({ tool_calls: [{ id: 'b', function: { arguments: '{"path": "b.mdx"}' } }] }, 'tool_calls'),
      ),
      { calls: [called, { id: 'b', name: 'read_file', input: { path: 'b.mdx' } }] },
    ],
    [
      'with the same index for every call',
      data(call({ index: 0, id: 'a' }), call({ index: 0, id: 'b' }, '{"path": "b.mdx"}'), chunk({}, 'stop')),
      {
        calls: [
          { ...called, id: 'a' },
          { id: 'b', name: 'read_file', input: { path: 'b.mdx' } },
        ],
      },
    ],
    [
      'with one call instead of a list',
      data(
        chunk({ tool_calls: { index: 0, id: '', function: { name: 'read_file', arguments: '{"path"' } } }),
        chunk({ tool_calls: { index: 0, id: '', function: { name: 'read_file', arguments: ': "a.mdx"}' } } }),
        chunk({}, 'stop'),
      ),
      { calls: [called] },
    ],
    [
      'with the older function call',
      data(chunk({ function_call: { name: 'read_file', arguments: '{"path": "a.mdx"}' } }, 'function_call')),
      { calls: [called], stopReason: 'tool-calls' },
    ],
    [
      'with a channel in the name',
      data(
        chunk({
          tool_calls: [
            {
              index: 0,
              id: 'a',
              function: { name: 'read_file<|channel|>commentary', arguments: '{"path": "a.mdx"}' },
            },
          ],
        }),
        chunk({}, 'stop'),
      ),
      { calls: [called] },
    ],
    [
      'with a call and reasoning in the text',
      data(
        chunk({ content: '<think>Hm.</think>\n\nReading.\n<tool_call>{"name": "read_file", ' }),
        chunk({ content: '"arguments": {"path": "a.mdx"}}</tool_call>' }, 'stop'),
      ),
      { text: 'Reading.', reasoning: 'Hm.', calls: [called], stopReason: 'tool-calls' },
    ],
    [
      'with a call in the reasoning',
      data(
        chunk({
          reasoning_content:
            'Hm. <tool_call>{"name": "read_file", "arguments": {"path": "a.mdx"}}</tool_call>',
        }),
        chunk({}, 'stop'),
      ),
      { text: '', calls: [called], stopReason: 'tool-calls' },
    ],
    [
      'with a call that is cut off',
      data(call({ index: 0 }, '{"path": "a'), chunk({}, 'length')),
      { calls: [{ name: 'read_file', input: '{"path": "a', isMalformed: true }], stopReason: 'length' },
    ],
    [
      'with a call in the text that is cut off',
      data(chunk({ content: '<tool_call>{"name": "read_file", "argu' }, 'length')),
      { calls: [], stopReason: 'length', unreadCall: 'Hermes' },
    ],
  ])('%s', async (_, text, expected) => {
    const { model, bodies } = await server('openai', (_body, response) => stream(response, text));
    expect(await ask(model)).toMatchObject(expected);
    expect(bodies).toHaveLength(1);
  });

  test('when the connection stays open after [DONE]', async () => {
    const { model } = await server('openai', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(data(chunk({ content: 'Hi' }, 'stop')) + done);
    });
    expect(await ask(model)).toMatchObject({ text: 'Hi' });
  });
});

test.each([
  ['an answer that ends without text', data(chunk({ role: 'assistant' }))],
  ['an answer that ends inside a call', data(call({ index: 0 }, '{"path": "a'))],
  ['an error in a field of its name', 'error: {"code": 500, "message": "slot unavailable"}\n\n'],
  ['an error event', 'event: error\ndata: {"message": "slot unavailable"}\n\n'],
  ['an error in a text', data({ error: 'slot unavailable' })],
])('%s is requested again', async (_, text) => {
  const { model, bodies } = await server('openai', (_body, response) =>
    stream(response, bodies.length === 1 ? text : data(chunk({ content: 'Hi' }, 'stop'))),
  );
  expect(await ask(model)).toMatchObject({ text: 'Hi' });
  expect(bodies).toHaveLength(2);
});

test('a context error in a stream is not retried', async () => {
  const message = 'the request exceeds the available context size';
  const { model, bodies } = await server('openai', (_, response) =>
    stream(response, data({ error: { code: 400, message: `${message} (n_ctx: 8192)` } })),
  );
  expect(await failure(ask(model))).toMatchObject({ reason: 'context_overflow', maxContextTokens: 8192 });
  expect(bodies).toHaveLength(1);
});

const whole = {
  choices: [
    {
      message: {
        content: null,
        tool_calls: [{ function: { name: 'read_file', arguments: { path: 'a.mdx' } } }],
      },
    },
  ],
  usage: { prompt_tokens: 9, completion_tokens: 3 },
};
const message = {
  content: [
    { type: 'text', text: 'Reading.' },
    { type: 'tool_use', name: 'read_file', input: { path: 'a.mdx' } },
  ],
  usage: { input_tokens: 9, output_tokens: 3 },
};

test.each([
  ['openai', whole],
  ['anthropic', message],
] as const)(
  'an %s server that ignores the stream answers with one JSON document',
  async (provider, answer) => {
    const { model } = await server(provider, (_, response) => json(response, answer));
    expect(await ask(model)).toMatchObject({
      calls: [called],
      stopReason: 'tool-calls',
      usage: { inputTokens: 9, outputTokens: 3 },
    });
  },
);

test('a page instead of an answer is requested again and names the URL as the cause', async () => {
  const { model, bodies } = await server('openai', (_, response) => void response.end('<html></html>'));
  expect((await failure(ask(model))).message).toContain('Check the URL');
  expect(bodies).toHaveLength(2);
});

describe('a server that refuses a part of the request gets one without it, also later', () => {
  test.each([
    ['streams with tools', 500, 'Cannot use tools with stream', { stream: false, stream_options: undefined }],
    ['streams', 422, 'stream: only false is supported', { stream: false, stream_options: undefined }],
    [
      'stream options',
      400,
      "Unrecognized request argument: 'stream_options'",
      { stream: true, stream_options: undefined },
    ],
    [
      'the older name of the limit',
      400,
      "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
      { max_tokens: undefined, max_completion_tokens: 500 },
    ],
  ])('%s', async (_, status, text, expected) => {
    const { model, bodies } = await server('openai', (body, response) => {
      const isRefused = Object.entries(expected).some(([name, value]) => body[name] !== value);
      if (isRefused) return json(response, { error: { message: text } }, status);
      if (body['stream'] === true) return stream(response, data(chunk({ content: 'Hi' }, 'stop')));
      json(response, { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] });
    });
    expect(await ask(model)).toMatchObject({ text: 'Hi', stopReason: 'end' });
    expect(await ask(model)).toMatchObject({ text: 'Hi' });
    expect(bodies).toHaveLength(3);
  });

  const thought = {
    role: 'assistant' as const,
    text: '',
    reasoning: 'I need the page.',
    calls: [{ id: 'c', name: 'read_file', input: { path: 'a.mdx' } }],
  };
  const thoughtful: ModelRequest['messages'] = [
    { role: 'user', text: 'Fix the typo.' },
    thought,
    { role: 'tool', callId: 'c', name: 'read_file', text: 'The page.', isError: false },
  ];

  test.each([
    ['unwanted reasoning', "property 'reasoning_content' is unsupported", 2],
    ['missing reasoning', 'The reasoning_content must be passed back to the API.', 1],
  ])('%s', async (_, text, requests) => {
    const { model, bodies } = await server('openai', (body, response) => {
      if (JSON.stringify(body).includes('reasoning_content'))
        return json(response, { error: { message: text } }, 400);
      stream(response, data(chunk({ content: 'Hi' }, 'stop')));
    });
    await ask(model, { messages: thoughtful }).catch(() => undefined);
    expect(bodies).toHaveLength(requests);
  });

  test('an error that is not about the request is not tried without a stream', async () => {
    const { model, bodies } = await server('openai', (_, response) =>
      json(response, { error: { message: 'upstream connect error' } }, 400),
    );
    await failure(ask(model));
    expect(bodies).toHaveLength(1);
  });
});

const start = { type: 'message_start', message: { id: 'm', usage: { input_tokens: 9 } } };
const textBlock = [
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
];
const blockStop = { type: 'content_block_stop', index: 0 };
const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } };
const toolBlock = (input?: unknown) => ({
  type: 'content_block_start',
  index: 1,
  content_block: { type: 'tool_use', id: 'a', name: 'read_file', input },
});
const part = (partial_json: unknown) => ({
  type: 'content_block_delta',
  index: 1,
  delta: { type: 'input_json_delta', partial_json },
});

describe('an Anthropic stream is read', () => {
  test.each<[string, unknown[], object]>([
    ['without message_stop', [start, ...textBlock, blockStop, end], { text: 'Hi', stopReason: 'end' }],
    [
      'without message_delta',
      [start, ...textBlock, blockStop, { type: 'message_stop' }],
      { text: 'Hi', stopReason: 'end' },
    ],
    ['without the end of a block', [start, ...textBlock, end, { type: 'message_stop' }], { text: 'Hi' }],
    ['without message_start and block starts', [textBlock[1], { type: 'message_stop' }], { text: 'Hi' }],
    [
      'with unknown events, blocks and pieces',
      [
        { type: 'ping' },
        { type: 'vendor_event', percent: 3 },
        start,
        { type: 'content_block_start', index: 5, content_block: { type: 'vendor_block' } },
        { type: 'content_block_delta', index: 5, delta: { type: 'vendor_delta', text: 'x' } },
        { type: 'content_block_stop', index: 5 },
        ...textBlock,
        { type: 'content_block_delta', index: 0, delta: { type: 'vendor_delta', text: 'x' } },
        blockStop,
        end,
        { type: 'message_stop' },
      ],
      { text: 'Hi', usage: { inputTokens: 9, outputTokens: 3 } },
    ],
    [
      'without usage',
      [{ type: 'message_start', message: {} }, ...textBlock, blockStop, { ...end, usage: undefined }],
      { text: 'Hi', usage: { inputTokens: 4, outputTokens: 1 } },
    ],
    [
      'with the input at the start of a call',
      [start, toolBlock({ path: 'a.mdx' }), end],
      {
        calls: [{ ...called, id: 'a' }],
        stopReason: 'tool-calls',
      },
    ],
    [
      'with the input as an object',
      [start, toolBlock({}), part({ path: 'a.mdx' }), { type: 'message_stop' }],
      {
        calls: [called],
        stopReason: 'tool-calls',
      },
    ],
    [
      'with a call that is cut off',
      [start, toolBlock(), part('{"path": "a'), { ...end, delta: { stop_reason: 'max_tokens' } }],
      {
        calls: [{ id: 'a', name: 'read_file', input: '{"path": "a', isMalformed: true }],
        stopReason: 'length',
      },
    ],
  ])('%s', async (_, events, expected) => {
    const { model, bodies } = await server('anthropic', (_body, response) =>
      stream(response, data(...events)),
    );
    expect(await ask(model)).toMatchObject(expected);
    expect(bodies).toHaveLength(1);
  });

  test('again when it ends inside a call', async () => {
    const { model, bodies } = await server('anthropic', (_, response) =>
      stream(
        response,
        bodies.length === 1
          ? data(start, toolBlock(), part('{"path'))
          : data(start, ...textBlock, blockStop, end),
      ),
    );
    expect(await ask(model)).toMatchObject({ text: 'Hi' });
    expect(bodies).toHaveLength(2);
  });
});

describe('the settings of a model', () => {
  test('extra headers and fields are part of every request', async () => {
    const settings = {
      headers: { 'x-team': 'docs' },
      body: { chat_template_kwargs: { enable_thinking: false } },
      temperature: 0.2,
      maxOutputTokens: 300,
    };
    const { model, bodies, headers } = await server(
      'openai',
      (_, response) => stream(response, data(chunk({ content: 'Hi' }, 'stop'))),
      settings,
    );
    await ask(model);
    expect(bodies[0]).toMatchObject({ ...settings.body, temperature: 0.2, max_tokens: 300, stream: true });
    expect(headers[0]).toMatchObject({ 'x-team': 'docs', 'content-type': 'application/json' });
  });

  test('requests of external agents have the same headers, fields and limits', async () => {
    const { bodies, headers, url, host } = await server('openai', (_, response) => json(response, whole));
    const forward = createForwarder(
      {
        provider: 'openai',
        url,
        key: null,
        name: 'scribe-1',
        headers: { 'x-team': 'docs' },
        body: { top_k: 20 },
        temperature: 0.2,
        maxOutputTokens: 300,
      },
      { egress: { allowedHosts: [host] } },
    );
    const { signal } = new AbortController();
    const body = JSON.stringify({ messages: [], max_tokens: 8192, temperature: 1 });
    await forward({ path: 'chat/completions', body }, signal);
    expect(bodies[0]).toEqual({ messages: [], max_tokens: 300, temperature: 0.2, top_k: 20 });
    expect(headers[0]).toMatchObject({ 'x-team': 'docs' });
  });

  test('a server may take longer to begin than between two pieces', async () => {
    const { model, bodies } = await server(
      'openai',
      (_, response) => {
        setTimeout(() => stream(response, data(chunk({ content: 'Hi' }, 'stop'))), 600);
      },
      { firstByteSeconds: 60, idleSeconds: 0.3 },
      { attempts: 1 },
    );
    expect(await ask(model)).toMatchObject({ text: 'Hi' });
    expect(bodies).toHaveLength(1);
  });

  test.each([
    ['firstByteSeconds', (): void => {}, { firstByteSeconds: 0.2 }],
    [
      'idleSeconds',
      (response: ServerResponse): void => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(data(chunk({ content: 'Hi' })));
      },
      { firstByteSeconds: 60, idleSeconds: 0.2 },
    ],
  ])('the error of a silent server names %s', async (setting, answer, settings) => {
    const { model } = await server('openai', (_, response) => answer(response), settings, { attempts: 1 });
    const failed = await failure(ask(model));
    expect(failed.reason).toBe('model_unavailable');
    expect(failed.message).toContain(setting);
  });
});
