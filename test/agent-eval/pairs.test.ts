import { describe, expect, test } from 'vitest';
import { anchorProblems, formProblems } from './anchors.ts';
import { numberOf } from './instruction.ts';
import { isNoOp, kinds, pairOf, readPairs } from './pair.ts';
import { sampleFolder as folder } from './sites.ts';

const pairs = readPairs();

test('at least 40 pairs cover every kind, eight real sites and a dozen changes without an effect', () => {
  const real = pairs.filter(({ site }) => site !== 'sample');
  expect(real.length).toBeGreaterThanOrEqual(40);
  expect(new Set(real.map(({ site }) => site)).size).toBeGreaterThanOrEqual(8);
  expect(real.filter(isNoOp).length).toBeGreaterThanOrEqual(12);
  expect(kinds.filter((kind) => !real.some((pair) => pair.kind === kind))).toEqual([]);
});

test.each(pairs)('$name is well formed', (pair) => {
  expect(formProblems(pair)).toEqual([]);
});

test('the numbers of the pull requests identify the pairs', () => {
  expect(new Set(pairs.map(({ name }) => numberOf(name))).size).toBe(pairs.length);
});

test.each(pairs.filter(({ site }) => site === 'sample'))('$name fits the text of the sample site', (pair) => {
  expect(anchorProblems(pair, folder)).toEqual([]);
});

describe('a pair that no longer fits its site is reported', () => {
  const [pair] = pairs.filter(({ name }) => name === 'sample/more-requests');
  if (pair === undefined) throw new Error('The pair is missing.');
  const [page] = pair.expected;
  if (page === undefined) throw new Error('The pair expects no page.');

  test('if the old text is gone', () => {
    const expected = [{ ...page, drops: ['More than eleven requests'] }];
    const edits = pair.edits.map((edit) => ({ ...edit, old: 'More than eleven requests' }));
    expect(anchorProblems({ ...pair, expected, edits }, folder)).toEqual([
      'api/introduction.mdx does not contain "More than eleven requests"',
      'api/introduction.mdx does not contain "More than eleven requests"',
    ]);
  });

  test('if the page says already what it should', () => {
    const expected = [{ ...page, states: ['More than ten requests'] }];
    expect(anchorProblems({ ...pair, expected }, folder)).toEqual([
      'api/introduction.mdx already states "More than ten requests"',
    ]);
  });

  test('if the text of an edit is ambiguous', () => {
    const edits = [{ page: 'api/introduction.mdx', old: 'token', new: 'key' }];
    expect(anchorProblems({ ...pair, edits }, folder)).toEqual([
      expect.stringMatching(/^api\/introduction\.mdx contains "token" \d+ times$/),
    ]);
  });

  test('if a page was moved', () => {
    const untouched = ['living/gone.mdx'];
    expect(anchorProblems({ ...pair, untouched }, folder)).toEqual(['living/gone.mdx does not exist']);
  });

  test('if the oracle searches for words that only the page has', () => {
    expect(formProblems({ ...pair, find: ['small box'] })).toEqual([
      'the oracle searches for "small box", which the change does not contain',
    ]);
  });
});

test('a file with an unknown field or kind is refused with its name', () => {
  expect(() => pairOf('site/a', 'kind: no-op\nplaces: none\n')).toThrow('site/a has unknown fields: places.');
  expect(() => pairOf('site/b', 'kind: rewrite\nplace: none\n')).toThrow('site/b lacks a field');
});
