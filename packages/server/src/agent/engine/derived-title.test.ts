import { expect, test } from 'vitest';
import { deriveTitle } from './derived-title.ts';

const modified = (...paths: string[]) => paths.map((path) => ({ path, status: 'modified' as const }));

test.each([
  [
    'I fixed the broken link on the first page. It pointed to a typo.',
    'Fixed the broken link on the first page',
  ],
  ["I've **added** a section about `retries`.\n\nIt explains the limits.", 'Added a section about retries'],
  ['Done!\n\n- Corrected the port in index.mdx', 'Corrected the port in index.mdx'],
  ["Here's what I changed:\n1. Renamed the guide to Mooring", 'Renamed the guide to Mooring'],
])('the title of %j is its first usable sentence', (summary, title) => {
  expect(deriveTitle(summary, modified('index.mdx'))).toBe(title);
});

test.each(['', 'Done.', 'All set!', 'Would you like me to continue with the next page?', 'x'.repeat(200)])(
  'the changed pages replace the unusable summary %j',
  (summary) => {
    expect(deriveTitle(summary, modified('guides/start.mdx'))).toBe('Update guides/start');
  },
);

test('the verb and the number of files follow the change', () => {
  const added = { path: 'a.mdx', status: 'added' as const };
  expect(deriveTitle('', [added])).toBe('Add a');
  expect(deriveTitle('', [added, { path: 'b.md', status: 'added' }])).toBe('Add a and b');
  expect(deriveTitle('', [added, ...modified('b.md', 'docs.json')])).toBe('Update a and 2 more files');
  expect(deriveTitle('', [{ path: `${'folder/'.repeat(9)}end.mdx`, status: 'removed' }])).toBe('Remove end');
});

test('a run without a change has no title', () => {
  expect(deriveTitle('I fixed the broken link on the first page.', [])).toBe('');
});
