import { expect, test } from 'vitest';
import { partsOf, sectionsOf } from './sections.ts';

test('headings in fences of any kind do not begin a section', () => {
  const markdown = '# A\n\n~~~\n## no\n```\n~~~\n\n````md\n```\n## no\n```\n````\n\n## B\nend';
  expect(sectionsOf(markdown).map(({ heading }) => heading)).toEqual(['A', 'B']);
});

test('a long section is divided between blocks and keeps short code blocks whole', () => {
  const code = '```\nfirst\n\nsecond\n```';
  const parts = partsOf(`${'word '.repeat(30).trim()}\n\n${code}\n\n${'text '.repeat(30).trim()}`, 200);
  expect(parts.length).toBe(2);
  expect(parts[0]).toContain(code);
});

test('no part is longer than the limit', () => {
  for (const text of [
    'a'.repeat(5000),
    '```\n'.repeat(2000),
    '\n'.repeat(5000),
    `${'b'.repeat(90)}\n`.repeat(100),
  ])
    for (const part of partsOf(text, 100)) expect(part.length).toBeLessThanOrEqual(100);
});
