/** What of a foreign agent's request reaches an endpoint. */
import { describe, expect, test } from 'vitest';
import { readForeignRequest, RequestRefused } from './foreign-request.ts';

const openai = { provider: 'openai' as const, url: 'https://models.example.com/v1', name: 'writer' };
const anthropic = { ...openai, provider: 'anthropic' as const };
const messages = [{ role: 'user', content: 'Hello.' }];

function sent(body: object, model: typeof openai | typeof anthropic = openai): Record<string, unknown> {
  return JSON.parse(readForeignRequest(JSON.stringify(body), model).withLimit(500)) as Record<
    string,
    unknown
  >;
}

describe('a request', () => {
  test('is passed on with our model and our limit', () => {
    expect(sent({ model: 'huge', max_tokens: 100_000, messages, temperature: 0 })).toEqual({
      model: 'writer',
      messages,
      temperature: 0,
      max_tokens: 500,
    });
  });

  test('names the limit as the makers of the model want it', () => {
    const model = { ...openai, url: 'https://api.openai.com/v1' };
    expect(sent({ max_tokens: 9, messages }, model)).toEqual({
      model: 'writer',
      messages,
      max_completion_tokens: 500,
    });
  });

  test('that streams asks for figures, which the agent sees only when it asked too', () => {
    const stream = { messages, stream: true };
    expect(sent(stream)['stream_options']).toEqual({ include_usage: true });
    const read = (body: object) => readForeignRequest(JSON.stringify(body), openai).hidesUsage;
    expect(read(stream)).toBe(true);
    expect(read({ ...stream, stream_options: { include_usage: true } })).toBe(false);
    expect(sent(stream, anthropic)['stream_options']).toBeUndefined();
  });

  test('loses what would cost more or reach further', () => {
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
    ['a part nobody knows', { type: 'web_fetch', url: 'https://x.example' }],
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
  ])('with %s is refused', (_, part) => {
    expect(() => sent({ messages: [{ role: 'user', content: [part] }] }, anthropic)).toThrow(RequestRefused);
  });

  test('may hold images as data, and calls with any arguments', () => {
    const content = [
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
      { type: 'tool_use', id: 'a', name: 'open', input: { url: 'https://x.example' } },
      { type: 'tool_result', tool_use_id: 'a', content: 'Done.' },
    ];
    expect(sent({ messages: [{ role: 'user', content }] }, anthropic)['messages']).toEqual([
      { role: 'user', content },
    ]);
  });

  test.each([['web_search_20250305'], ['code_execution_20250522'], ['mcp'], [7]])(
    'that offers the tool %s of the endpoint is refused',
    (type) => {
      expect(() => sent({ messages, tools: [{ type, name: 'x' }] }, anthropic)).toThrow('run yourself');
    },
  );

  test.each(['', 'null', '[]', '{}', '{"messages":"x"}'])('such as %j is refused', (text) => {
    expect(() => readForeignRequest(text, openai)).toThrow(RequestRefused);
  });

  test('is estimated before it is sent', () => {
    const text = JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(4000) }], max_tokens: 7.5 });
    expect(readForeignRequest(text, openai)).toMatchObject({ wantedOutputTokens: 7 });
    expect(readForeignRequest(text, openai).inputTokens).toBeGreaterThan(1000);
  });
});
