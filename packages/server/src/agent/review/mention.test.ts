import { describe, expect, test } from 'vitest';
import { hasAnyMention, mentions } from './mention.ts';

describe('a mention counts', () => {
  test.each([
    '@docyard please fix this',
    'Please fix this, @Docyard.',
    'Two lines\n(@docyard): the table is wrong',
    'After a quote:\n> it works\n\n@docyard it does not',
    'After code:\n```\nx\n```\n@docyard shorten it',
    'Beside `code`, @docyard',
    '`` a ` b `` @docyard',
  ])('in %j', (body) => {
    expect(mentions(body, ['docyard'])).toBe(true);
  });

  test('for each of the names', () => {
    expect(mentions('@docs-bot fix it', ['docyard', 'docs-bot'])).toBe(true);
  });
});

describe('a mention is ignored', () => {
  test.each([
    'no mention at all',
    'ada@docyard.example',
    '@docyard-fan look',
    '@docyards look',
    'user@docyard',
    'https://example.com/@docyard',
    '> @docyard said a reader',
    '  > > @docyard deeper',
    '```\n@docyard in a fence\n```',
    '~~~md\n@docyard\n```\n@docyard\n~~~',
    '````\n```\n@docyard\n```\n````',
    '```\n@docyard in a fence that never ends',
    '    @docyard in indented code',
    '`@docyard` in a span',
    '`` ` @docyard `` in a longer span',
    '<!-- @docyard hidden -->',
    '<!-- @docyard hidden to the end',
  ])('in %j', (body) => {
    expect(mentions(body, ['docyard'])).toBe(false);
  });

  test('in a large comment without delay', () => {
    const body = `${'`'.repeat(1)}${'a`b``c'.repeat(3000)}${'<!--'.repeat(500)}`;
    const start = performance.now();
    expect(mentions(body, ['docyard'])).toBe(false);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

test('a comment that mentions another account may be about the account of the job', () => {
  expect(hasAnyMention('@docs-bot fix it')).toBe(true);
  expect(hasAnyMention('`@docs-bot` is the account')).toBe(false);
});
