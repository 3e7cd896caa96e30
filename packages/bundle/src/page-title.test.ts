import { expect, test } from 'vitest';
import { pageTitle } from './page-title.ts';

const titleOf = (text: string, path = 'guides/start.md') => pageTitle(path, Buffer.from(text));

test('the title is the first heading', () => {
  expect(titleOf('> About the whole.\n\n# Start here\n\nText.\n\n# Second')).toBe('Start here');
});

test.each([
  ['a page without a heading', 'Text.\n\n## Below', 'a.md'],
  ['an empty heading', '#  \n', 'a.md'],
  ['an empty file', '', 'a.md'],
  ['a file that is not a page', '# Start', 'app.js'],
])('%s has no title', (_what, text, path) => {
  expect(titleOf(text, path)).toBeUndefined();
});

test('a long title is truncated between characters', () => {
  const title = titleOf(`# ${'🚢'.repeat(200)}`);
  expect(title).toBe(`${'🚢'.repeat(99)}…`);
});
