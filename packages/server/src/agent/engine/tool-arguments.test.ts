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
    const inFence = '```json\n{"path": "a.mdx"}\n```';
    expect(correctedArguments(readFile.input, inFence)).toEqual({ path: 'a.mdx' });
    const edits = JSON.stringify([{ old: 'x', new: 'y' }]);
    expect(
      multiEdit.input.safeParse(correctedArguments(multiEdit.input, { path: 'a.mdx', edits })).success,
    ).toBe(true);
  });

  test('other notations of options are understood', () => {
    const read = (input: object) => readFile.input.parse(correctedArguments(readFile.input, input));
    expect(read({ target_file: 'a.mdx', start_line: 5, end_line: 9 })).toEqual({
      path: 'a.mdx',
      offset: 5,
      limit: 5,
    });
    expect(read({ absolute_path: '/a.mdx', view_range: [3, 4] })).toEqual({
      path: 'a.mdx',
      offset: 3,
      limit: 2,
    });
    expect(read({ AbsolutePath: 'a.mdx', offset: 0, limit: '99999' })).toEqual({
      path: 'a.mdx',
      offset: 1,
      limit: 2000,
    });
    expect(read({ arguments: '{"filePath": "a.mdx", "offset": "None"}' })).toMatchObject({
      path: 'a.mdx',
      offset: 1,
    });
    const find = (input: object) => search.input.parse(correctedArguments(search.input, input));
    expect(
      find({ regex: '^a', include: '*.mdx', directory: 'b', output_mode: 'files_with_matches' }),
    ).toMatchObject({
      pattern: '^a',
      regex: true,
      glob: '*.mdx',
      path: 'b',
      mode: 'files',
    });
    expect(find({ pattern: 'x', glob: '', '-i': 'True', '-C': 9 })).toMatchObject({
      ignore_case: true,
      context: 5,
    });
    const one = { path: 'a.mdx', edits: { oldText: 'x', newText: '' } };
    expect(multiEdit.input.parse(correctedArguments(multiEdit.input, one)).edits).toEqual([
      { old: 'x', new: '', replace_all: false },
    ]);
  });

  test('what cannot be read is left to the validation', () => {
    for (const given of [undefined, null, 5, 'text', [], { path: 5 }, { path: 'a.mdx', offset: 'many' }])
      expect(readFile.input.safeParse(correctedArguments(readFile.input, given)).success).toBe(false);
  });
});
