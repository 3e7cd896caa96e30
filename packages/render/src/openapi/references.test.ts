import { describe, expect, it } from 'vitest';
import { nameOfReference, resolve } from './references.ts';

const ref = (to: string) => ({ $ref: to });

describe('resolve', () => {
  it('returns values that are not references', () => {
    expect(resolve({}, { type: 'string' })).toEqual({ type: 'string' });
    expect(resolve({}, undefined)).toBeUndefined();
  });

  it('follows pointers with escaped names and list indexes', () => {
    const document = { paths: { '/a~b': { parameters: ['first', { at: 'second' }] } }, 'x y': 1 };
    expect(resolve(document, ref('#/paths/~1a~0b/parameters/1/at'))).toBe('second');
    expect(resolve(document, ref('#/x%20y'))).toBe(1);
    expect(resolve(document, ref('#/paths/~1a~0b/parameters/-1'))).toBeUndefined();
  });

  it('follows a chain of at most ten references', () => {
    const links = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`s${i}`, ref(`#/s${i + 1}`)]));
    const document = { ...links, s12: 'end' };
    expect(resolve(document, ref('#/s3'))).toBe('end');
    expect(resolve(document, ref('#/s2'))).toBeUndefined();
  });

  it('follows intermediate references, but not cycles', () => {
    const document = { a: ref('#/b'), b: ref('#/c/0'), c: [{ d: 'end' }], loop: ref('#/loop/x/loop') };
    expect(resolve(document, ref('#/a/d'))).toBe('end');
    expect(resolve(document, ref('#/loop/x/y'))).toBeUndefined();
  });

  it('returns undefined for missing, external and cyclic references', () => {
    const document = { a: ref('#/b'), b: ref('#/a') };
    for (const to of ['#/none', '#/a', 'other.json#/a', 'https://example.com', '', '#/%E0%A4%A']) {
      expect(resolve(document, ref(to))).toBeUndefined();
    }
  });

  it('reads own properties only', () => {
    for (const to of ['#/__proto__', '#/constructor', '#/a/length', '#/toString'])
      expect(resolve({ a: [1] }, ref(to))).toBeUndefined();
    expect(resolve(JSON.parse('{"__proto__": 5}') as { a: 1 }, ref('#/__proto__'))).toBe(5);
  });

  it('names a reference by its last part', () => {
    expect(nameOfReference('#/components/schemas/Pet~1Dog')).toBe('Pet/Dog');
    expect(nameOfReference('other.yaml')).toBe('');
  });
});
