import { describe, expect, test } from 'vitest';
import { toolNameIn, type OfferedTool } from './text-call-formats.ts';
import { readTextCalls } from './text-calls.ts';

const tools: OfferedTool[] = [
  { name: 'read_file', textParameters: new Set(['path']) },
  { name: 'write_file', textParameters: new Set(['path', 'content']) },
  { name: 'multi_edit', textParameters: new Set(['path']) },
];
const read = { name: 'read_file', input: { path: 'a.mdx' } };
const json = '{"name": "read_file", "arguments": {"path": "a.mdx"}}';

describe('a call in the text is read, and the text keeps the rest', () => {
  test.each([
    ['Hermes', `<tool_call>\n${json}\n</tool_call>`],
    ['Hermes without the closing tag', `<tool_call>${json}`],
    [
      'Qwen',
      '<tool_call>\n<function=read_file>\n<parameter=path>\na.mdx\n</parameter>\n</function>\n</tool_call>',
    ],
    ['Qwen without the outer tag', '<function=read_file><parameter=path>a.mdx</parameter></function>'],
    ['Llama 3.1', '<function=read_file>{"path": "a.mdx"}</function>'],
    [
      'Llama 3.1 with its token',
      '<|python_tag|>{"name": "read_file", "parameters": {"path": "a.mdx"}}<|eom_id|>',
    ],
    ['Granite', '<|tool_call|>[{"name": "read_file", "arguments": {"path": "a.mdx"}}]'],
    ['Mistral', '[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a.mdx"}}]'],
    ['Mistral, newer', '[TOOL_CALLS]read_file[ARGS]{"path": "a.mdx"}'],
    [
      'Harmony',
      '<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path": "a.mdx"}<|call|>',
    ],
    ['a name with its namespace', 'functions.read_file:0 {"path": "a.mdx"}'],
    ['a name with parentheses', 'functions.read_file({"path": "a.mdx"})'],
    [
      'Kimi',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "a.mdx"}<|tool_call_end|><|tool_calls_section_end|>',
    ],
    [
      'DeepSeek',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{"path": "a.mdx"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ],
    ['DeepSeek, newer', '<｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "a.mdx"}<｜tool▁call▁end｜>'],
    [
      'MiniMax',
      '<minimax:tool_call>\n<invoke name="read_file">\n<parameter name="path">a.mdx</parameter>\n</invoke>\n</minimax:tool_call>',
    ],
    [
      'Anthropic XML',
      '<function_calls><invoke name="read_file"><parameter name="path">a.mdx</parameter></invoke></function_calls>',
    ],
    ['GLM', '<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.mdx</arg_value>\n</tool_call>'],
    ['bare JSON', '{"name": "read_file", "parameters": {"path": "a.mdx"}}'],
    [
      'JSON in the form of OpenAI',
      '{"type":"function","function":{"name":"read_file","arguments":"{\\"path\\": \\"a.mdx\\"}"}}',
    ],
    ['a list', `{"tool_calls": [${json}]}`],
    ['a block of JSON', `\`\`\`json\n${json}\n\`\`\``],
    ['a block of code', `\`\`\`tool_code\n${json}\n\`\`\``],
  ])('%s', (_, markup) => {
    expect(readTextCalls(markup, tools)).toEqual({ text: '', calls: [read] });
    expect(readTextCalls(`I read the page.\n\n${markup}`, tools)).toEqual({
      text: 'I read the page.',
      calls: [read],
    });
  });
});

test('several calls are read in their order', () => {
  const markup = `First.\n<tool_call>${json}</tool_call>\n<tool_call>${json.replace('a.mdx', 'b.mdx')}</tool_call>`;
  expect(readTextCalls(markup, tools)).toEqual({
    text: 'First.',
    calls: [read, { name: 'read_file', input: { path: 'b.mdx' } }],
  });
  const semicolons = `<|python_tag|>${json}; ${json}`;
  expect(readTextCalls(semicolons, tools).calls).toEqual([read, read]);
});

test('values between tags keep their text, and other types are parsed', () => {
  const markup = `<function=write_file>
<parameter=path>
data.json
</parameter>
<parameter=content>
{"a": 1}

</parameter>
<parameter=limit>
5
</parameter>
</function>`;
  expect(readTextCalls(markup, tools).calls).toEqual([
    { name: 'write_file', input: { path: 'data.json', content: '{"a": 1}\n', limit: 5 } },
  ]);
});

test('markup inside the strings of a call belongs to the call', () => {
  const input = { path: 'a.mdx', content: 'Use `</tool_call>` and {"name": "x"}.\n```js\n}\n```' };
  const markup = `<tool_call>${JSON.stringify({ name: 'write_file', arguments: input })}</tool_call>`;
  expect(readTextCalls(markup, tools)).toEqual({ text: '', calls: [{ name: 'write_file', input }] });
});

test('a block of code that a call opens does not hide the next call', () => {
  const write = '<function=write_file>\n<parameter=content>\n```js\n</parameter>\n</function>';
  expect(readTextCalls(`${write}\n<tool_call>${json}</tool_call>`, tools).calls).toEqual([
    { name: 'write_file', input: { content: '```js' } },
    read,
  ]);
});

test('line breaks inside strings are accepted', () => {
  const markup =
    '<tool_call>{"name": "write_file", "arguments": {"content": "one\ntwo \\"x\\"\n"}}</tool_call>';
  expect(readTextCalls(markup, tools).calls).toEqual([
    { name: 'write_file', input: { content: 'one\ntwo "x"\n' } },
  ]);
});

test.each([
  ['a quotation in a block of code', `Write this:\n\n\`\`\`xml\n<tool_call>${json}</tool_call>\n\`\`\`\n`],
  ['a quotation in a line', `The tag \`<tool_call>${json}</tool_call>\` starts a call.`],
  ['prose about a tag', 'A model writes <tool_call> before a call.'],
  ['JSON with another name', '{"name": "docyard", "version": "1.0.0"}'],
  ['a block of JSON with another name', '```json\n{"name": "run_shell", "arguments": {}}\n```'],
  ['JSON in the middle of prose', `The call is ${json} and so on.`],
  ['a plain answer', 'The page is correct. Nothing to do.'],
])('%s is not a call', (_, text) => {
  expect(readTextCalls(text, tools)).toEqual({ text, calls: [] });
});

test.each([
  ['Hermes', '<tool_call>{"name": "read_file", "arguments": {"path": "a'],
  ['Hermes', '<tool_call>\n{"name": "run_shell", "arguments": {}}\n</tool_call>'],
  ['Qwen', '<function=read_file>\n<parameter=path>\na.mdx'],
  ['Mistral', 'Reading. [TOOL_CALLS]read_file{"path": '],
  ['Harmony', '<|channel|>commentary to=functions.read_file<|message|>{"path"'],
  ['tool_code', '```tool_code\nread_file(path="a.mdx")\n```'],
])('a call of %s that cannot be read stays in the text and is named', (format, text) => {
  expect(readTextCalls(text, tools)).toEqual({ text, calls: [], unreadCall: format });
});

test('a call that can be read counts if another one is cut off', () => {
  const markup = `<tool_call>${json}</tool_call>\n<tool_call>{"name": "read_f`;
  expect(readTextCalls(markup, tools)).toMatchObject({ calls: [read] });
});

test.each([
  ['read_file', 'read_file'],
  ['functions.read_file', 'read_file'],
  ['functions.read_file:0', 'read_file'],
  ['read_file<|channel|>commentary', 'read_file'],
  [' read_file<|channel|>json', 'read_file'],
  ['run_shell', undefined],
])('the name %s means the tool %s', (given, name) => {
  expect(toolNameIn(given, tools)).toBe(name);
});

test('a text of repeated markers is read in bounded time', () => {
  const text = '<tool_call>{"a": ['.repeat(50_000);
  const start = process.cpuUsage();
  expect(readTextCalls(text, tools).calls).toEqual([]);
  expect(process.cpuUsage(start).user / 1e6).toBeLessThan(2);
});
