import { describe, expect, test } from 'vitest';
import { editFile, multiEdit } from '../tools/edit-file.ts';
import { readFile } from '../tools/read-file.ts';
import { search } from '../tools/search.ts';
import { correctedArguments } from './tool-arguments.ts';

describe('the arguments of a tool call', () => {
  test('arguments that match the schema stay as they are', () => {
    const given = { path: 'a.mdx', old: '/x', new: './y', replace_all: true };
    expect(correctedArguments(editFile.input, given)).toEqual(given);
  });

  test('names of other agents are understood, also in the edits of a list', () => {
    const one = correctedArguments(editFile.input, { file_path: '/a.mdx', old_string: 'x', newString: 'y' });
    expect(editFile.input.parse(one)).toEqual({ path: 'a.mdx', old: 'x', new: 'y', replace_all: false });
    const several = { path: './a.mdx', edits: [{ old_str: 'x', new_str: 'y', replaceAll: 'true' }] };
    expect(multiEdit.input.parse(correctedArguments(multiEdit.input, several))).toEqual({
      path: 'a.mdx',
      edits: [{ old: 'x', new: 'y', replace_all: true }],
    });
  });

  test('an argument of the tool has precedence over another name for it', () => {
    const given = { path: 'a.mdx', file: 'b.mdx' };
    expect(readFile.input.parse(correctedArguments(readFile.input, given))).toMatchObject({ path: 'a.mdx' });
  });

  test('null, numbers and flags as text, and arguments that are encoded twice are read', () => {
    const given = JSON.stringify({ query: 'x', path: null, context: '2', regex: 'false', ignoreCase: true });
    expect(search.input.parse(correctedArguments(search.input, given))).toEqual({
      pattern: 'x',
      path: '',
      mode: 'content',
      context: 2,
      regex: false,
      ignore_case: true,
    });
    const text = JSON.stringify(JSON.stringify({ path: 'a.mdx' }));
    expect(correctedArguments(readFile.input, text)).toEqual({ path: 'a.mdx' });
    const edits = JSON.stringify([{ old: 'x', new: 'y' }]);
    expect(
      multiEdit.input.safeParse(correctedArguments(multiEdit.input, { path: 'a.mdx', edits })).success,
    ).toBe(true);
  });

  test('what cannot be read is left to the validation', () => {
    for (const given of [undefined, null, 5, 'text', [], { path: 5 }, { path: 'a.mdx', offset: 'many' }])
      expect(readFile.input.safeParse(correctedArguments(readFile.input, given)).success).toBe(false);
  });
});
