import { describe, expect, test } from 'vitest';
import {
  readExternalRequest,
  RequestRefusedError,
  routeOf,
  type ExternalRequest,
} from './external-request.ts';
import type { TargetModel } from './wire-formats/wire-format.ts';

const openai: TargetModel = { provider: 'openai', url: 'https://models.example.com/v1', name: 'writer' };
const anthropic: TargetModel = { ...openai, provider: 'anthropic' };
const gemini: TargetModel = { ...openai, provider: 'gemini' };
const messages = [{ role: 'user', content: 'Hello.' }];
const contents = [{ role: 'user', parts: [{ text: 'Hello.' }] }];
const paths = {
  openai: '/v1/chat/completions',
  anthropic: '/v1/messages',
  gemini: '/v1beta/models/any:streamGenerateContent?alt=sse',
};
const answersPath = '/v1/responses';

function read(
  text: string,
  model = openai,
  url = paths[model.provider],
  headers: Record<string, string> = {},
): ExternalRequest {
  const [path = '', query] = url.split('?');
  const header = (name: string): string | undefined => headers[name];
  const asked = { method: 'POST', path, query: new URLSearchParams(query), text, header };
  const route = routeOf(model.provider, asked);
  if (route?.kind !== 'answer') throw new Error(`${url} is not a request to the model.`);
  return readExternalRequest(asked, model, route);
}

function sent(body: object, model = openai, url = paths[model.provider]): Record<string, unknown> {
  return JSON.parse(read(JSON.stringify(body), model, url).withLimit(500).body) as Record<string, unknown>;
}

describe('a request of an external agent', () => {
  test('the request is forwarded with the configured model and limit', () => {
    expect(sent({ model: 'huge', max_tokens: 100_000, messages, temperature: 0 })).toEqual({
      model: 'writer',
      messages,
      temperature: 0,
      max_tokens: 500,
    });
  });

  test('the name of the limit depends on the provider', () => {
    const model: TargetModel = { ...openai, url: 'https://api.openai.com/v1' };
    expect(sent({ max_tokens: 9, messages }, model)).toEqual({
      model: 'writer',
      messages,
      max_completion_tokens: 500,
    });
  });

  test('a stream requests usage, which the agent sees only if it asked for it', () => {
    const stream = { messages, stream: true };
    expect(sent(stream)['stream_options']).toEqual({ include_usage: true });
    const isHidden = (body: object) => read(JSON.stringify(body)).hidesUsage;
    expect(isHidden(stream)).toBe(true);
    expect(isHidden({ ...stream, stream_options: { include_usage: true } })).toBe(false);
    expect(sent(stream, anthropic)['stream_options']).toBeUndefined();
  });

  test('fields that cost more or give more access are removed', () => {
    const more = {
      n: 8,
      web_search_options: {},
      mcp_servers: [{ url: 'https://x.example' }],
      container: 'c',
    };
    expect(Object.keys(sent({ messages, ...more })).toSorted()).toEqual(['max_tokens', 'messages', 'model']);
    expect(Object.keys(sent({ messages, ...more }, anthropic)).toSorted()).toEqual([
      'max_tokens',
      'messages',
      'model',
    ]);
  });

  test.each([
    ['an image at an address', { type: 'image_url', image_url: { url: 'https://x.example/?d=1' } }],
    ['an image at an address, in short', { type: 'image_url', image_url: 'https://x.example/?d=1' }],
    ['a source at an address', { type: 'image', source: { type: 'url', url: 'https://x.example' } }],
    ['a file kept by the endpoint', { type: 'document', source: { type: 'file', file_id: 'f' } }],
    ['an unknown part', { type: 'web_fetch', url: 'https://x.example' }],
    [
      'an address inside a result',
      {
        type: 'tool_result',
        content: [{ type: 'image', source: { type: 'url', url: 'https://x.example' } }],
      },
    ],
    [
      'an address inside a document',
      {
        type: 'document',
        source: {
          type: 'content',
          content: [{ type: 'image', source: { type: 'url', url: 'https://x.example' } }],
        },
      },
    ],
  ])('a request with %s is refused', (_, part) => {
    expect(() => sent({ messages: [{ role: 'user', content: [part] }] }, anthropic)).toThrow(
      RequestRefusedError,
    );
  });

  test('inline images and calls with any arguments are allowed', () => {
    const content = [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
      { type: 'tool_use', id: 'a', name: 'open', input: { url: 'https://x.example' } },
      { type: 'tool_result', tool_use_id: 'a', content: 'Done.' },
    ];
    expect(sent({ messages: [{ role: 'user', content }] }, anthropic)['messages']).toEqual([
      { role: 'user', content },
    ]);
    const image = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }];
    expect(sent({ messages: [{ role: 'user', content: image }] })['messages']).toEqual([
      { role: 'user', content: image },
    ]);
  });

  test.each([['web_search_20250305'], ['code_execution_20250522'], ['mcp'], [7]])(
    'a request that offers the endpoint tool %s is refused',
    (type) => {
      expect(() => sent({ messages, tools: [{ type, name: 'x' }] }, anthropic)).toThrow('run yourself');
    },
  );

  test('tools of the endpoint are removed if the agent offers others', () => {
    const own = { name: 'edit', input_schema: { type: 'object' } };
    const tools = [own, { type: 'web_search_20250305', name: 'web_search' }];
    expect(sent({ messages, tools }, anthropic)['tools']).toEqual([own]);
  });

  test('the tokens of a request are estimated before it is sent', () => {
    const text = JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(4000) }], max_tokens: 7.5 });
    expect(read(text)).toMatchObject({ wantedOutputTokens: 7 });
    expect(read(text).inputTokens).toBeGreaterThan(1000);
  });
});

describe('a request in the format of Anthropic', () => {
  test('only known versions of the format are passed on', () => {
    const headers = {
      'anthropic-beta': 'interleaved-thinking-2025-05-14, mcp-client-2025-04-04,code-execution-2025-05-22',
    };
    const text = JSON.stringify({ messages });
    const { withLimit } = read(text, anthropic, '/v1/messages?beta=true', headers);
    expect(withLimit(500)).toMatchObject({
      path: 'messages',
      headers: { 'anthropic-beta': 'interleaved-thinking-2025-05-14' },
    });
    expect(read(text, anthropic).withLimit(500).headers).toBeUndefined();
  });

  test('the reasoning stays shorter than the answer', () => {
    const text = JSON.stringify({ messages, thinking: { type: 'enabled', budget_tokens: 20_000 } });
    const thinkingWithin = (limit: number) =>
      (JSON.parse(read(text, anthropic).withLimit(limit).body) as { thinking: unknown }).thinking;
    expect(thinkingWithin(32_000)).toEqual({ type: 'enabled', budget_tokens: 20_000 });
    expect(thinkingWithin(8000)).toEqual({ type: 'enabled', budget_tokens: 4000 });
    expect(thinkingWithin(1500)).toEqual({ type: 'disabled' });
  });
});

describe('a request in the format of Responses', () => {
  const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] }];
  const asked = (body: object) => sent({ input, ...body }, openai, answersPath);

  test('the request is forwarded with the configured model and limit, and nothing is stored', () => {
    const items = [
      ...input,
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
      { type: 'function_call', call_id: 'a', name: 'open', arguments: '{"url":"https://x.example"}' },
      { type: 'function_call_output', call_id: 'a', output: 'Done.' },
      { role: 'user', content: 'Continue.' },
    ];
    const given = {
      model: 'huge',
      input: items,
      instructions: 'Edit.',
      stream: true,
      store: true,
      max_output_tokens: 9000,
      service_tier: 'priority',
      metadata: { a: 'b' },
      include: ['reasoning.encrypted_content', 'web_search_call.action.sources'],
    };
    expect(asked(given)).toEqual({
      model: 'writer',
      input: items,
      instructions: 'Edit.',
      stream: true,
      store: false,
      max_output_tokens: 500,
      include: ['reasoning.encrypted_content'],
    });
    expect(read(JSON.stringify(given), openai, answersPath)).toMatchObject({ wantedOutputTokens: 9000 });
    expect(read(JSON.stringify(given), openai, answersPath).withLimit(1).path).toBe('responses');
  });

  test.each([
    ['previous_response_id', 'resp_1'],
    ['background', true],
    ['conversation', { id: 'conv_1' }],
    ['prompt', { id: 'pmpt_1' }],
  ])('the field %s is refused', (field, value) => {
    expect(() => asked({ [field]: value })).toThrow(`The field ${field} is not supported`);
    expect(asked({ [field]: null })).not.toHaveProperty(field);
  });

  test('tools of the endpoint are removed, also from namespaces', () => {
    const own = { type: 'function', name: 'shell', parameters: {} };
    const patch = { type: 'custom', name: 'apply_patch', format: { type: 'grammar' } };
    const hosted = [
      { type: 'web_search' },
      { type: 'file_search', vector_store_ids: ['v'] },
      { type: 'code_interpreter', container: { type: 'auto' } },
      { type: 'mcp', server_label: 'x', server_url: 'https://x.example' },
      { type: 'image_generation' },
      { type: 'namespace', name: 'x', tools: [{ type: 'mcp' }] },
    ];
    const grouped = { type: 'namespace', name: 'docs', tools: [own, { type: 'web_search' }] };
    expect(asked({ tools: [own, ...hosted, patch, grouped] })['tools']).toEqual([
      own,
      patch,
      { ...grouped, tools: [own] },
    ]);
    expect(() => asked({ tools: [{ type: 'web_search' }] })).toThrow('run yourself');
  });

  test('tools of the endpoint are removed from the items that add tools', () => {
    const own = { type: 'function', name: 'shell', parameters: {} };
    const search = { type: 'tool_search', execution: 'client' };
    const tools = [own, search, { type: 'tool_search' }, { type: 'mcp', server_url: 'https://x.example' }];
    const added = { type: 'additional_tools', role: 'developer', tools };
    const found = { type: 'tool_search_output', call_id: 'a', tools };
    expect(asked({ input: [added, found, ...input] })['input']).toEqual([
      { ...added, tools: [own, search] },
      { ...found, tools: [own, search] },
      ...input,
    ]);
  });

  test.each([
    [
      'an image at an address',
      { role: 'user', content: [{ type: 'input_image', image_url: 'https://x.example' }] },
    ],
    ['an image kept by the endpoint', { role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }],
    ['a file', { role: 'user', content: [{ type: 'input_file', file_url: 'https://x.example' }] }],
    ['a reference to an item', { type: 'item_reference', id: 'msg_1' }],
    ['a call of the endpoint', { type: 'web_search_call', id: 'ws_1' }],
    ['an address inside a result', { type: 'function_call_output', output: [{ type: 'input_file' }] }],
  ])('an input with %s is refused', (_, item) => {
    expect(() => asked({ input: [item] })).toThrow(RequestRefusedError);
  });
});

describe('a request in the format of Gemini', () => {
  const asked = (body: object) => sent({ contents, ...body }, gemini);

  test('the request is forwarded to the configured model with the limit', () => {
    const functionDeclarations = [{ name: 'edit', parametersJsonSchema: {} }];
    const given = {
      contents,
      systemInstruction: { parts: [{ text: 'Edit.' }] },
      tools: [{ functionDeclarations, codeExecution: {} }, { googleSearch: {} }, { urlContext: {} }],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' }, retrievalConfig: {} },
      generationConfig: { temperature: 0, candidateCount: 8, maxOutputTokens: 9000, responseModalities: [] },
      safetySettings: [],
      labels: { a: 'b' },
    };
    expect(asked(given)).toEqual({
      contents,
      systemInstruction: given.systemInstruction,
      tools: [{ functionDeclarations }],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
      generationConfig: { temperature: 0, maxOutputTokens: 500 },
    });
    const { wantedOutputTokens, withLimit } = read(JSON.stringify(given), gemini);
    expect(wantedOutputTokens).toBe(9000);
    expect(withLimit(1).path).toBe('models/writer:streamGenerateContent?alt=sse');
    const whole = read(JSON.stringify(given), gemini, '/v1beta/models/any:generateContent');
    expect(whole.withLimit(1).path).toBe('models/writer:generateContent');
  });

  test.each([
    ['a file', { fileData: { fileUri: 'https://x.example' } }],
    ['a file in the other spelling', { file_data: { file_uri: 'https://x.example' } }],
    ['code of the endpoint', { executableCode: { code: '1' } }],
    ['a file inside a result', { functionResponse: { name: 'a', parts: [{ fileData: {} }] } }],
  ])('a message with %s is refused', (_, part) => {
    expect(() => asked({ contents: [{ parts: [part] }] })).toThrow(RequestRefusedError);
    expect(() => asked({ systemInstruction: { parts: [part] } })).toThrow(RequestRefusedError);
  });

  test('calls, results, thoughts and inline images are allowed', () => {
    const parts = [
      { text: 'Hm.', thought: true, thoughtSignature: 'x' },
      { functionCall: { name: 'a', args: { url: 'https://x.example' } } },
      { functionResponse: { name: 'a', response: { output: 'Done.' } } },
      { inlineData: { mimeType: 'image/png', data: 'AA==' } },
    ];
    expect(asked({ contents: [{ role: 'user', parts }] })['contents']).toEqual([{ role: 'user', parts }]);
  });

  test('a conversation that the endpoint keeps and tools that only it runs are refused', () => {
    expect(() => asked({ cachedContent: 'cachedContents/1' })).toThrow('cachedContent is not supported');
    expect(() => asked({ tools: [{ googleSearch: {} }] })).toThrow('run yourself');
  });

  test('a stream that is not sent as events is refused', () => {
    expect(() => read('{}', gemini, '/v1beta/models/any:streamGenerateContent')).toThrow('?alt=sse');
  });
});

describe.each([
  ['chat completions', openai, paths.openai],
  ['Responses', openai, answersPath],
  ['messages', anthropic, paths.anthropic],
  ['Gemini', gemini, paths.gemini],
] as const)('a hostile request in the format of %s', (_, model, url) => {
  const list = { '/v1/responses': 'input', [paths.gemini]: 'contents' }[url] ?? 'messages';
  const item = list === 'contents' ? { parts: [{ text: 'Hello.' }] } : { role: 'user', content: 'Hello.' };

  test.each([
    '',
    'null',
    '[]',
    '{}',
    '7',
    '"text"',
    '{"a":',
    `{"${list}":7}`,
    `{"${list}":{}}`,
    `{"${list}":[7]}`,
    `{"${list}":["text"]}`,
    `{"${list}":[[]]}`,
    `{"${list}":[null]}`,
  ])('%j is refused', (text) => {
    expect(() => read(text, model, url)).toThrow(RequestRefusedError);
  });

  test.each([
    ['content that is an object', { content: { type: 'image' }, parts: { fileData: {} } }],
    ['content that is a number', { content: 7, parts: 7 }],
    ['parts that are texts', { content: ['text'], parts: ['text'] }],
    ['parts without a type', { content: [{}], parts: [{ unknown: 1 }] }],
    ['parts whose type is an object', { content: [{ type: {} }], parts: [{ type: {} }] }],
  ])('%s is refused', (_name, content) => {
    expect(() => sent({ [list]: [content] }, model, url)).toThrow(RequestRefusedError);
  });

  test('tools of the wrong type are refused', () => {
    for (const tools of [7, 'all', {}, [7], ['web_search'], [null]]) {
      expect(() => sent({ [list]: [item], tools }, model, url)).toThrow(RequestRefusedError);
    }
  });

  test('deep nesting is refused without exhausting the stack', () => {
    const depth = 200_000;
    const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const text = `{"${list}":[${JSON.stringify(item)}],"tool_choice":${deep}}`;
    expect(() => read(text, model, url)).toThrow('nested too deeply');
  });

  test('names of the prototype are passed over', () => {
    const text = `{"${list}":[${JSON.stringify(item)}],"__proto__":{"n":8},"constructor":{"prototype":{"n":8}}}`;
    const body = JSON.parse(read(text, model, url).withLimit(9).body) as object;
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['__proto__']));
    expect(body).not.toHaveProperty('n');
    expect({}).not.toHaveProperty('n');
  });

  test.each([-1, 0, 0.5, '9', null, {}, Number.MAX_VALUE])(
    'the limit %j never exceeds the reservation',
    (limit) => {
      const limits = { max_tokens: limit, max_completion_tokens: limit, max_output_tokens: limit };
      const body = { [list]: [item], ...limits, generationConfig: { maxOutputTokens: limit } };
      const text = JSON.stringify(sent(body, model, url));
      expect(text).toMatch(/"(?:max_tokens|max_output_tokens|maxOutputTokens)":500/);
      expect(text.match(/max_?(?:output_?|completion_)?tokens/gi)).toHaveLength(1);
    },
  );
});
