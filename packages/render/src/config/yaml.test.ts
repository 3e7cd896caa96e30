import { describe, expect, test } from 'vitest';
import { dataTree, readYaml } from './yaml.ts';

const read = (source: string): unknown => {
  const result = readYaml(source, 100);
  return 'value' in result ? result.value : result;
};

describe('YAML', () => {
  test.each([
    ['2024-01-02', '2024-01-02'],
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z'],
    ['010', 10],
    ['0o10', 8],
    ['0x1F', 31],
    ['1e3', 1000],
    ['1_000', '1_000'],
    ['1:30', '1:30'],
    ['yes', 'yes'],
    ['off', 'off'],
    ['True', true],
    ['~', null],
    ['!custom text', 'text'],
    ['!!binary aGk=', 'aGk='],
  ])('%s is a value of the core schema of YAML 1.2', (text, value) => {
    expect(read(`a: ${text}\n`)).toEqual({ a: value });
  });

  test('the last of repeated keys wins, and merge keys are merged', () => {
    expect(read('a: 1\na: 2\n')).toEqual({ a: 2 });
    expect(read('x: &x { a: 1 }\ny: { <<: *x, b: 2 }\n')).toEqual({ x: { a: 1 }, y: { a: 1, b: 2 } });
  });

  test('a closing bracket may be indented as far as its key', () => {
    expect(read('a:\n  b: [\n    1,\n  ]\nc: {\n  d: 2\n}\n')).toEqual({ a: { b: [1] }, c: { d: 2 } });
  });

  test('a problem has a position', () => {
    expect(read('a: 1\nb: [1, 2\nc: 3\n')).toMatchObject({ place: { line: 3 } });
    expect(read('a: 1\n  b: 2\n')).toMatchObject({ place: { line: 2 } });
  });

  test('a key named __proto__ does not change the prototype', () => {
    const value = dataTree(read('__proto__: { x: 1 }\na: 2\n'), { depth: 9, values: 9, characters: 99 });
    expect(value).toEqual({ a: 2 });
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test.each([
    ['nested lists', '['.repeat(500_000)],
    ['nested keys', '? '.repeat(500_000)],
    ['nested lines', Array.from({ length: 2000 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')],
    ['open quotes', 'a: "'.repeat(500_000)],
    ['anchors', '&a '.repeat(500_000)],
    ['tags', '! '.repeat(500_000)],
    ['merges', `a: &a {x: 1}\n${Array.from({ length: 200_000 }, (_, n) => `k${n}: {<<: *a}`).join('\n')}`],
    ['spaces', `a:${' '.repeat(2_000_000)}b: c`],
    ['comments', 'a: 1 #'.repeat(300_000)],
  ])('2 MB of %s take less than two seconds', (_name, source) => {
    const start = performance.now();
    read(source);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe('the tree of data with shared parts', () => {
  const limits = { depth: 50, values: 1000, characters: 10_000 };

  test('has a copy for each alias', () => {
    const value = dataTree(read('a: &a { b: [1] }\nc: *a\n'), limits) as Record<string, { b: number[] }>;
    expect(value).toEqual({ a: { b: [1] }, c: { b: [1] } });
    expect(value['a']?.b).not.toBe(value['c']?.b);
  });

  test('is rejected when aliases grow exponentially or are cyclic', () => {
    const doubling = Array.from({ length: 30 }, (_, n) => `l${n + 1}: &l${n + 1} [*l${n}, *l${n}]`);
    expect(() => dataTree(read(`l0: &l0 [x, x]\n${doubling.join('\n')}\n`), limits)).toThrow('too large');
    expect(() => dataTree(read('a: &a [*a]\n'), limits)).toThrow('nested too deeply');
  });
});
