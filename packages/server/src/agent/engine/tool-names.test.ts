import { expect, test } from 'vitest';
import { tools } from '../tools/all-tools.ts';
import { meantTool } from './tool-names.ts';

const meant = (name: string, input: unknown = {}): string | undefined =>
  meantTool(tools, { id: '1', name, input })?.name;

test.each([
  ['read_file', 'read_file'],
  ['Read', 'read_file'],
  ['ReadFile', 'read_file'],
  ['functions.read_file', 'read_file'],
  ['mcp__docyard__page_info', 'page_info'],
  ['default_api:search', 'search'],
  ['read_file<|channel|>commentary', 'read_file'],
  ['Edit', 'edit_file'],
  ['replace', 'edit_file'],
  ['MultiEdit', 'multi_edit'],
  ['Write', 'write_file'],
  ['write_to_file', 'write_file'],
  ['LS', 'list_files'],
  ['Glob', 'list_files'],
  ['Grep', 'search'],
  ['codebase_search', 'find_pages'],
  ['attempt_completion', 'finish'],
])('the name %s means %s', (name, expected) => {
  expect(meant(name)).toBe(expected);
});

test('the editor of other agents means the tool of its command', () => {
  expect(meant('str_replace_editor', { command: 'view' })).toBe('read_file');
  expect(meant('str_replace_based_edit_tool', { command: 'create' })).toBe('write_file');
  expect(meant('str_replace_editor', { command: 'str_replace' })).toBe('edit_file');
  expect(meant('str_replace_editor', { command: 'insert' })).toBeUndefined();
});

test('an edit with a list of edits means the tool for several', () => {
  expect(meant('edit_file', { path: 'a.mdx', edits: [] })).toBe('multi_edit');
  expect(meant('Edit', { edits: [] })).toBe('multi_edit');
});

test('other names mean no tool, and tools that are not offered are never meant', () => {
  for (const name of ['bash', 'run_shell', 'web_search', '', '...', 'constructor', '__proto__'])
    expect(meant(name)).toBeUndefined();
  expect(meantTool([], { id: '1', name: 'read_file', input: {} })).toBeUndefined();
});
