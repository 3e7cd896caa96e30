import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { yamlText } from './trim-yaml.ts';

describe('yamlText', () => {
  it('writes idiomatic YAML', () => {
    const value = {
      openapi: '3.1.0',
      paths: {
        '/pets/{id}': {
          get: { tags: ['pets'], description: 'First line\nSecond: line\n', deprecated: false },
        },
      },
      parameters: [{ name: 'id', in: 'path' }, { $ref: '#/components/parameters/limit' }],
      empty: [{}, [], null, ''],
      nested: [
        [1, 2],
        ['no', 'plain words, mostly'],
      ],
    };
    expect(yamlText(value).split('\n')).toEqual([
      'openapi: "3.1.0"',
      'paths:',
      '  /pets/{id}:',
      '    get:',
      '      tags:',
      '        - pets',
      '      description: |',
      '        First line',
      '        Second: line',
      '      deprecated: false',
      'parameters:',
      '  - name: id',
      '    in: path',
      '  - $ref: "#/components/parameters/limit"',
      'empty:',
      '  - {}',
      '  - []',
      '  - null',
      '  - ""',
      'nested:',
      '  - - 1',
      '    - 2',
      '  - - "no"',
      '    - plain words, mostly',
      '',
    ]);
    expect(parse(yamlText(value))).toEqual(value);
  });

  it('round-trips arbitrary values', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^[-\w \n:#'"|>{}[\],&*!%@`~?.]*$/),
      fc.constantFrom(
        'yes',
        'NULL',
        '1e3',
        '0x1F',
        '- a',
        'a: b',
        ' a\n b',
        'a\n\n',
        '# a',
        '2024-01-01',
        '...',
        '---',
      ),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(
          text.filter((key) => key !== '__proto__'),
          tie('value'),
          { maxKeys: 4 },
        ),
      ),
    }));
    fc.assert(
      fc.property(value, (any) => JSON.stringify(parse(yamlText(any))) === JSON.stringify(any)),
      { numRuns: 200 },
    );
  });
});
