import { assert, property, constantFrom, array, string, integer } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { replaceIn } from './replace.ts';

const replace = (file: string, old: string, text: string) =>
  replaceIn(file, { old, new: text, replace_all: false });

describe('text that is not in the file exactly', () => {
  const cases: [string, { file: string; old: string; new: string; after: string; note: string }][] = [
    [
      'white space in a line',
      {
        file: 'a\nPull  the oars.\nb\n',
        old: 'Pull the\toars.',
        new: 'Push it.',
        after: 'a\nPush it.\nb\n',
        note: 'white space',
      },
    ],
    [
      'trailing white space and line breaks',
      {
        file: 'a\nb  \nc\n',
        old: 'a\nb\nc\n\n',
        new: 'a\nd\nc\n\n',
        after: 'a\nd\nc\n',
        note: 'white space',
      },
    ],
    [
      'typographic quotes and spaces, which stay where nothing changes',
      {
        file: 'It’s a “good”\u00a0boat – really.\n',
        old: 'It\'s a "good" boat - really.',
        new: 'It\'s a "good" ship - really.',
        after: 'It’s a “good”\u00a0ship – really.\n',
        note: 'punctuation',
      },
    ],
    [
      'the indentation, which new lines receive too',
      {
        file: '<Steps>\n    <Step>\n        One\n    </Step>\n</Steps>\n',
        old: '<Step>\n  One\n</Step>',
        new: '<Step>\n  One\n</Step>\n<Step>\n  Two\n</Step>',
        after:
          '<Steps>\n    <Step>\n        One\n    </Step>\n    <Step>\n        Two\n    </Step>\n</Steps>\n',
        note: 'white space',
      },
    ],
    [
      'tabs instead of spaces',
      {
        file: '{\n\t"pages": [\n\t\t"a"\n\t]\n}\n',
        old: '  "pages": [\n    "a"\n  ]',
        new: '  "pages": [\n    "a",\n    "b"\n  ]',
        after: '{\n\t"pages": [\n\t\t"a",\n\t\t"b"\n\t]\n}\n',
        note: 'white space',
      },
    ],
    [
      'line numbers of a result',
      {
        file: 'a\nb\nc\n',
        old: '    2\tb\n    3\tc',
        new: '    2\tB\n    3\tc',
        after: 'a\nB\nc\n',
        note: 'line numbers',
      },
    ],
    [
      'escapes of JSON',
      {
        file: 'say "hi"\nnow\n',
        old: 'say \\"hi\\"\\nnow',
        new: 'say \\"ho\\"\\nnow',
        after: 'say "ho"\nnow\n',
        note: 'escapes',
      },
    ],
    [
      'Windows line endings',
      {
        file: 'a\r\nb \r\nc\r\n',
        old: 'a\nb\nc',
        new: 'a\nb\nd\nc',
        after: 'a\r\nb \r\nd\r\nc\r\n',
        note: 'white space',
      },
    ],
    ['removed lines', { file: 'a\n  b  c\nd\n', old: 'b c', new: '', after: 'a\nd\n', note: 'white space' }],
  ];
  test.each(cases)('text is replaced despite %s', (_, { file, old, new: text, after, note }) => {
    const replaced = replace(file, old, text);
    expect(replaced.text).toBe(after);
    expect(replaced.note).toContain(note);
  });

  test('exact text has precedence and no note', () => {
    expect(replace('a  b\na b\n', 'a b', 'c')).toEqual({ text: 'a  b\nc\n' });
  });

  test('text with several approximate places is refused with their lines', () => {
    expect(() => replace('a  b\nx\na  b\n', 'a b', 'c')).toThrow(/similar text is at lines 1, 3/);
  });

  test('a change that is already made is refused', () => {
    expect(() => replace('a b\n', 'a  b', 'a b')).toThrow(/`new` already is, at line 1/);
  });

  test('text of other lines and words is refused', () => {
    for (const old of ['one two', 'two\none', 'One', 'onetwo'])
      expect(() => replace('one\ntwo\n', old, 'x')).toThrow('`old` is not in the file');
  });
});

describe('random damage', () => {
  const line = string({ unit: constantFrom(...'ab \t\'"-’“–é{}<>#'.split('')), maxLength: 12 });
  const document = array(line, { minLength: 4, maxLength: 12 });

  test('text before and after the matched lines never changes', () => {
    const damage = constantFrom(
      (text: string) => text.replaceAll(/[’‘]/g, "'").replaceAll(/[“”]/g, '"').replaceAll('–', '-'),
      (text: string) => text.replaceAll(/^[ \t]+/gm, ''),
      (text: string) => text.replaceAll(/[ \t]+/g, '  '),
      (text: string) => text.replaceAll(/^/gm, '\t'),
      (text: string) => `\n${text}\n`,
    );
    const damaged = property(document, integer({ min: 1, max: 2 }), damage, (lines, count, apply) => {
      const block = ['UNIQUE start', ...lines.slice(1, 1 + count), 'UNIQUE end'];
      const head = `${lines[0] ?? ''}\n`;
      const tail = `\n${lines.slice(1 + count).join('\n')}`;
      const file = head + block.join('\n') + tail;
      const old = apply(block.join('\n'));
      const { text } = replace(file, old, old.replace('start', 'begin').replace('end', 'stop'));
      const isFramed = text.startsWith(head) && text.endsWith(tail);
      return isFramed && /UNIQUE +begin/.test(text) && /UNIQUE +stop/.test(text);
    });
    assert(damaged, { numRuns: 300 });
  });

  test('any old text is replaced, refused with a message, or absent', () => {
    const any = property(document, line, line, (lines, old, text) => {
      try {
        return typeof replace(lines.join('\n'), old, text).text === 'string';
      } catch (error) {
        return error instanceof Error && error.name === 'ToolError';
      }
    });
    assert(any, { numRuns: 500 });
  });
});
