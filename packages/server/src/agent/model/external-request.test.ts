import { describe, expect, test } from 'vitest';
import { readExternalRequest, RequestRefusedError } from './external-request.ts';

const openai = { provider: 'openai' as const, url: 'https://models.example.com/v1', name: 'writer' };
const anthropic = { ...openai, provider: 'anthropic' as const };
const messages = [{ role: 'user', content: 'Hello.' }];

function sent(body: object, model: typeof openai | typeof anthropic = openai): Record<string, unknown> {
  return JSON.parse(readExternalRequest(JSON.stringify(body), model).withLimit(500)) as Record<
    string,
    unknown
  >;
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
    const model = { ...openai, url: 'https://api.openai.com/v1' };
    expect(sent({ max_tokens: 9, messages }, model)).toEqual({
      model: 'writer',
      messages,
      max_completion_tokens: 500,
    });
  });

  test('a stream requests usage, which the agent sees only if it asked for it', () => {
    const stream = { messages, stream: true };
    expect(sent(stream)['stream_options']).toEqual({ include_usage: true });
    const read = (body: object) => readExternalRequest(JSON.stringify(body), openai).hidesUsage;
    expect(read(stream)).toBe(true);
    expect(read({ ...stream, stream_options: { include_usage: true } })).toBe(false);
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
    'a request that offers the endpoint tool %s is refused',
    (type) => {
      expect(() => sent({ messages, tools: [{ type, name: 'x' }] }, anthropic)).toThrow('run yourself');
    },
  );

  test.each(['', 'null', '[]', '{}', '{"messages":"x"}'])('the request %j is refused', (text) => {
    expect(() => readExternalRequest(text, openai)).toThrow(RequestRefusedError);
  });

  test('the tokens of a request are estimated before it is sent', () => {
    const text = JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(4000) }], max_tokens: 7.5 });
    expect(readExternalRequest(text, openai)).toMatchObject({ wantedOutputTokens: 7 });
    expect(readExternalRequest(text, openai).inputTokens).toBeGreaterThan(1000);
  });
});
