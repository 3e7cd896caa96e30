import { expect, test } from 'vitest';
import { bench } from '../../../test/support/tool-bench.ts';
import type { ToolCall } from '../contract.ts';
import { tools } from '../tools/all-tools.ts';
import { callTool } from './call-tool.ts';

function call(given: Partial<ToolCall>) {
  const { context } = bench({ 'guides/start.mdx': 'one' });
  const runner = { tools, toolContext: context, limits: { toolSeconds: 30 } };
  return callTool(runner, { id: '1', name: 'read_file', input: {}, ...given }, context.signal);
}

test('a call in the notation of another agent runs', async () => {
  for (const given of [
    { name: 'Read', input: { file_path: '/guides/start' } },
    { name: 'functions.read_file', input: '{"path": "guides/start.mdx",}</tool_call>', isMalformed: true },
    { name: 'str_replace_editor', input: { command: 'view', path: 'docs/guides/start.mdx' } },
  ])
    expect(await call(given)).toEqual({ text: 'guides/start.mdx: lines 1–1 of 1\n    1\tone' });
});

test('the error for missing arguments lists the expected ones', async () => {
  expect(await call({ name: 'edit', input: { path: 'a.mdx', old: 5 } })).toEqual({
    text: [
      'The arguments are invalid:',
      '- old: Invalid input: expected string, received number',
      '- new is missing',
      'Correct them and send the call again.',
      'The arguments of edit_file are: path, old, new, replace_all (optional).',
    ].join('\n'),
    isError: true,
  });
});

test('unreadable arguments and unknown tools say what to send', async () => {
  const cut = await call({ input: '{"path": "gui', isMalformed: true });
  expect(cut.text).toMatch(/not valid JSON.+one JSON object.+The arguments of read_file are: path, offset/);
  expect((await call({ name: 'run_shell' })).text).toContain(
    'There is no tool run_shell. The tools are: outline,',
  );
});
