import { assert, constantFrom, integer, jsonValue, property, string, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tools } from '../tools/all-tools.ts';
import { repairedJson } from './json-repair.ts';
import { correctedCall } from './tool-arguments.ts';

describe('JSON with the mistakes of models', () => {
  const readable: [string, string, unknown][] = [
    ['a closing tag behind it', '{"path": "a.mdx"}</tool_call>', { path: 'a.mdx' }],
    ['tags around it', '<arguments>{"path": "a.mdx"}</arguments>\n', { path: 'a.mdx' }],
    ['a code fence', '```json\n{"path": "a.mdx"}\n```', { path: 'a.mdx' }],
    ['a trailing comma', '{"edits": [{"old": "a",},],}', { edits: [{ old: 'a' }] }],
    ['line breaks in text', '{"content": "a\nb\tc"}', { content: 'a\nb\tc' }],
    [
      'escapes that JSON does not have',
      String.raw`{"pattern": "it\'s \d+\\n"}`,
      { pattern: String.raw`it's \d+\n` },
    ],
    ['single quotes', "{'path': 'a.mdx', 'offset': 3}", { path: 'a.mdx', offset: 3 }],
    ['a missing last brace', '{"path": "a.mdx", "old": "x"', { path: 'a.mdx', old: 'x' }],
  ];
  test.each(readable)('JSON with %s is read', (_, text, value) => {
    expect(repairedJson(text)).toEqual(value);
  });

  test('text with several readings or without its end is not read', () => {
    for (const text of [
      '{"content": "half of a se',
      '{"path": "a.mdx", "content": ',
      '{"edits": [{"old": "a", "new": "b"}',
      '{"content": "say "hi" there"}',
      "{'text': 'it's'}",
      '{"a": 1}{"a": 2}',
      '{"limit": 1',
      'read the file',
      '',
    ])
      expect(repairedJson(text)).toBeUndefined();
  });

  test('valid JSON keeps its value', () => {
    const kept = property(jsonValue(), (value) => {
      expect(repairedJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
    });
    assert(kept, { examples: [[JSON.parse('{"__proto__": null}')]] });
  });

  test('random damage of the arguments of any tool never throws', () => {
    const call = tuple(constantFrom(...tools), jsonValue(), integer({ min: 0, max: 80 }), string());
    const damaged = property(call, ([tool, value, at, extra]) => {
      const text = JSON.stringify({ path: 'a.mdx', old: value, edits: [value], offset: value });
      const input = text.slice(0, at) + extra + text.slice(at + extra.length);
      const { name } = correctedCall(tools, { id: '1', name: tool.name, input, isMalformed: true });
      return name === tool.name;
    });
    assert(damaged, { numRuns: 500 });
  });
});
