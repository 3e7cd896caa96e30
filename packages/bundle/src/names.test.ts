/** Valid names; hostile ones are in `attacks.slow.test.ts`. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { OutputNames } from '../../render/src/navigation/output-names.ts';
import { DistinctNames, problemOfName, quoted } from './names.ts';

test.each([
  'index.html',
  'assets/Inter Variable (1).woff2',
  'übersicht/日本語.html',
  'a/.well-known/x',
  '_redirects',
  'api-reference/[id]/{name}.html',
  'com/nullable/console.html',
  "a&b=c,d;e~f@g+h!i$j'k%20.html",
  `${'a/'.repeat(31)}a`,
  `${'x'.repeat(255)}/${'y'.repeat(255)}`,
])('%s is a valid name', (path) => {
  expect(problemOfName(path)).toBeUndefined();
});

test.each([
  ['', 'is not relative'],
  ['a/..', 'leads to another folder'],
  ['a:b', 'contains a character that some systems do not allow'],
  ['\ud800', 'contains a character that some systems do not allow'],
  [`${'a/'.repeat(32)}a`, 'is nested more than 32 folders deep'],
  [`${'x'.repeat(250)}/`.repeat(4) + 'x', 'has more than 1000 bytes'],
])('%j is invalid with the reason %s', (path, problem) => {
  expect(problemOfName(path)).toBe(problem);
});

test('names are unique regardless of case, and no file is the folder of another', () => {
  const names = new DistinctNames();
  const added = ['a/b', 'A/c', 'a/B', 'a', 'A', 'a/b/c', 'ab', 'Ä', 'ä'].map((path) => names.add(path));
  expect(added).toEqual([true, true, false, false, false, false, true, true, false]);
});

test('a quoted name contains no control characters', () => {
  expect(quoted('a\x1b[31m\u009b\u202e"')).toBe('"a\\u001b[31m��\\""');
  expect(quoted('x'.repeat(500))).toHaveLength(123);
});

test('every name that the renderer accepts is valid in a bundle', () => {
  const segment = fc.oneof(
    fc.constantFrom(
      'con',
      'AUX.html',
      'com¹',
      'lpt10',
      '..',
      '.',
      '...',
      ' ',
      'a.',
      'A',
      'a',
      'manifest.json',
      '',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.string({
      unit: fc.constantFrom('a', 'B', 'é', 'e\u0301', '.', ' ', ':', '\\', '\x80', '\ud800'),
      maxLength: 4,
    }),
    fc.integer({ min: 200, max: 300 }).map((length) => 'x'.repeat(length)),
  );
  const path = fc.array(segment, { minLength: 1, maxLength: 40 }).map((segments) => segments.join('/'));
  fc.assert(
    fc.property(fc.array(path, { maxLength: 8 }), (paths) => {
      const [output, bundle] = [new OutputNames(), new DistinctNames()];
      for (const own of ['manifest.json', 'manifest.json.minisig']) bundle.add(own);
      for (const each of new Set(paths)) {
        if (output.take(each) !== undefined) continue;
        expect([problemOfName(each), bundle.add(each)]).toEqual([undefined, true]);
      }
    }),
    { numRuns: 1000 },
  );
});
