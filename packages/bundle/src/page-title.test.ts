import { expect, test } from 'vitest';
import { pageTitle } from './page-title.ts';

const titleOf = (text: string, path = 'guides/start.md') => pageTitle(path, Buffer.from(text));

test('is the first heading, wherever the page begins', () => {
  expect(titleOf('> About the whole.\n\n# Start here\n\nText.\n\n# Second')).toBe('Start here');
});

test.each([
  ['a page without a heading', 'Text.\n\n## Below', 'a.md'],
  ['an empty heading', '#  \n', 'a.md'],
  ['an empty file', '', 'a.md'],
  ['a file that is no page', '# Start', 'app.js'],
])('%s has none', (_what, text, path) => {
  expect(titleOf(text, path)).toBeUndefined();
});

test('a long one is cut between characters, so that a manifest of many pages stays small', () => {
  const title = titleOf(`# ${'🚢'.repeat(200)}`);
  expect(title).toBe(`${'🚢'.repeat(99)}…`);
});
