/** Names that sites really have are fine; the attacks are in `attacks.test.ts`. */
import { expect, test } from 'vitest';
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
])('%s is a name for every system', (path) => {
  expect(problemOfName(path)).toBeUndefined();
});

test.each([
  ['', 'is not relative'],
  ['a/..', 'leads to another folder'],
  ['a:b', 'holds a character that not every system allows'],
  ['\ud800', 'holds a character that not every system allows'],
  [`${'a/'.repeat(32)}a`, 'lies more than 32 folders deep'],
  [`${'x'.repeat(250)}/`.repeat(4) + 'x', 'has more than 1000 bytes'],
])('%j is none, and the reason is told', (path, problem) => {
  expect(problemOfName(path)).toBe(problem);
});

test('the same name, in any case, is taken once, and no file is the folder of another', () => {
  const names = new DistinctNames();
  const added = ['a/b', 'A/c', 'a/B', 'a', 'A', 'a/b/c', 'ab', 'Ä', 'ä'].map((path) => names.add(path));
  expect(added).toEqual([true, true, false, false, false, false, true, true, false]);
});

test('a name that is printed does nothing to a terminal', () => {
  expect(quoted('a\x1b[31m\u009b\u202e"')).toBe('"a\\u001b[31m��\\""');
  expect(quoted('x'.repeat(500))).toHaveLength(123);
});
