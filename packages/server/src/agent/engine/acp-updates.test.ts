import { expect, test } from 'vitest';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { createUpdateReader, type AgentUpdate } from './acp-updates.ts';
import { isComparable } from './external-call.ts';

function callOf(
  ...updates: Omit<Extract<SessionUpdate, { sessionUpdate: 'tool_call_update' }>, 'toolCallId'>[]
) {
  const read = createUpdateReader();
  const results = updates.map((update) => read({ toolCallId: 'a', ...update }));
  return results.at(-1) as Extract<AgentUpdate, { kind: 'call' }>;
}
const update = { sessionUpdate: 'tool_call_update' as const };
const text = (content: string) => ({
  type: 'content' as const,
  content: { type: 'text' as const, text: content },
});

test('a call has the input and the result of all its updates', () => {
  const call = callOf(
    { ...update, title: 'Read', kind: 'read', rawInput: { file_path: '/site/a.mdx' } },
    { ...update, locations: [{ path: '/site/a.mdx' }] },
    { ...update, status: 'completed', content: [text('Hello.'), text('World.')] },
  );
  expect(call.call).toEqual({
    id: 'a',
    name: 'acp_read',
    input: { title: 'Read', path: 'a.mdx', input: { file_path: '/site/a.mdx' } },
  });
  expect(call.text).toBe('Hello.\nWorld.');
});

test('the raw output is shown if there is no content, and the title if there is nothing', () => {
  expect(callOf({ ...update, status: 'failed', rawOutput: { code: 1 } })).toMatchObject({
    text: '{"code":1}',
    isError: true,
  });
  expect(callOf({ ...update, status: 'completed', title: 'Think' }).text).toBe('Think');
});

test('a change of a file names the file', () => {
  const content = [{ type: 'diff' as const, path: '/site/a.mdx', oldText: 'a', newText: 'b' }];
  expect(callOf({ ...update, status: 'completed', content }).text).toBe('Changed a.mdx.');
});

test('long inputs and results are cut', () => {
  const call = callOf(
    { ...update, rawInput: { text: 'x'.repeat(9000) } },
    { ...update, status: 'completed', content: [text('y'.repeat(9000))] },
  );
  expect(JSON.stringify(call).length).toBeLessThan(13_000);
  expect(call.text).toMatch(/y… \(9000 characters\)$/);
});

test('only calls with a path or an input can be compared', () => {
  expect(isComparable({ id: '', name: 'acp_edit', input: { title: 'Edit' } })).toBe(false);
  expect(isComparable({ id: '', name: 'acp_edit', input: { title: 'Edit', path: 'a.mdx' } })).toBe(true);
  expect(isComparable({ id: '', name: 'validate', input: {} })).toBe(true);
});
