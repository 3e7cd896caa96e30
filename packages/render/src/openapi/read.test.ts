import { describe, expect, it } from 'vitest';
import { kindOf, looksLike, readDescription } from './read.ts';

function value(text: string): unknown {
  const read = readDescription(text);
  return 'value' in read ? read.value : `refused: ${read.problem}`;
}

describe('reading a description', () => {
  it('accepts JSON, JSON with comments and trailing commas, and YAML', () => {
    expect(value('{"openapi":"3.1.0"}')).toEqual({ openapi: '3.1.0' });
    expect(value('\uFEFF{"openapi":"3.1.0", // the version\n}')).toEqual({ openapi: '3.1.0' });
    expect(value('openapi: 3.1.0\npaths: {}\n')).toEqual({ openapi: '3.1.0', paths: {} });
  });

  it('accepts repeated keys, merge keys and unquoted status codes', () => {
    const text = 'base: &base { a: 1 }\nresponses:\n  200: { <<: *base, b: 2 }\n  default: 1\n  default: 2\n';
    expect(value(text)).toEqual({ base: { a: 1 }, responses: { '200': { a: 1, b: 2 }, default: 2 } });
  });

  it.each([
    ['JSON', '{\n  "a": [1, 2\n}', { line: 3, column: 1 }],
    ['YAML', 'a: 1\nb: [1, 2\nc: 3\n', { line: 3, column: 1 }],
  ])('reports the position of an error in %s', (_, text, place) => {
    const read = readDescription(text);
    expect(read).toMatchObject({ place });
    expect(read).toHaveProperty('problem', expect.stringMatching(/\w/));
  });

  it('rejects values that are not objects', () => {
    expect(value('[1, 2]')).toBe('refused: it is not an object');
    expect(value('just text')).toBe('refused: it is not an object');
    expect(value('')).toBe('refused: it is not an object');
  });

  it('expands aliases, so that no part is shared', () => {
    const read = value('a: &x { deep: { n: 1 } }\nb: *x\n') as Record<string, unknown>;
    expect(read['b']).toEqual(read['a']);
    expect(read['b']).not.toBe(read['a']);
  });

  it('limits exponential aliases, cyclic aliases and depth', () => {
    const levels = Array.from({ length: 12 }, (_, level) =>
      level === 0
        ? 'l0: &l0 [1,1,1,1,1,1,1,1,1,1]'
        : `l${level}: &l${level} [${Array(10)
            .fill(`*l${level - 1}`)
            .join()}]`,
    );
    expect(value(levels.join('\n'))).toMatch(/^refused/);
    expect(value('a: &a\n  b: *a\n')).toMatch(/^refused/);
    expect(value(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`)).toMatch(/^refused.*deep/);
    expect(value('['.repeat(100_000))).toMatch(/^refused/);
  });

  it('refuses keys that are nested too deeply', () => {
    expect(value(`${'? '.repeat(300)}a: b\n`)).toMatch(/^refused.*nested too deeply/);
  });

  it('refuses several documents in one file', () => {
    expect(value('a: 1\n---\nb: 2\n')).toMatch(/^refused.*several documents/);
  });

  it('reports the first of a million errors without collecting the others', () => {
    expect(readDescription(`a: 1\n${'}}'.repeat(500_000)}`)).toMatchObject({ place: { line: 2, column: 1 } });
  });

  it('does not modify prototypes', () => {
    const read = value('{"__proto__":{"polluted":true},"a":1}') as Record<string, unknown>;
    expect(Object.keys(read)).toEqual(['a']);
    expect(read['polluted']).toBeUndefined();
  });
});

describe('the kind of a document', () => {
  it.each([
    [{ openapi: '3.0.1' }, 'openapi'],
    [{ openapi: '3.2.0' }, 'openapi'],
    [{ swagger: 2 }, 'openapi'],
    [{ asyncapi: '3.0.0' }, 'asyncapi'],
    [{ overlay: '1.0.0' }, 'overlay'],
    [{ openapi: 'openapi.json' }, { unsupported: 'OpenAPI openapi.json' }],
    [{ asyncapi: '2.6.0' }, { unsupported: 'AsyncAPI 2.6.0' }],
    [{ name: 'data' }, undefined],
  ])('of %j is detected', (document, kind) => expect(kindOf(document)).toEqual(kind));
});

describe('the first bytes of a file', () => {
  it.each([
    ['{"openapi":"3.1.0"', 'description'],
    ['# A comment\nopenapi: 3.0.0\n', 'description'],
    ["swagger: '2.0'\n", 'description'],
    ['{\n  "info": {},\n  "asyncapi": "3.0.0"', 'description'],
    ['overlay: 1.0.0\n', 'overlay'],
    ['{"components":{"schemas":{', 'unclear'],
    ['{"rows":[{"openapi":true}]}', 'nothing'],
    ['{"openapi":"openapi.json","name":"A site"}', 'nothing'],
    ['', 'nothing'],
  ])('classify the file: %j', (head, answer) => expect(looksLike(head)).toBe(answer));

  it('are classified in linear time', () => {
    expect(looksLike(`{${' '.repeat(4000)}`)).toBe('nothing');
    expect(looksLike('{,'.repeat(2000))).toBe('nothing');
  });
});
