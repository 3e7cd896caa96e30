import { expect, test } from 'vitest';
import { changedLines } from './changed-lines.ts';

test('added lines are found in every hunk and joined to ranges', () => {
  const patch = [
    'diff --git a/docs/a.mdx b/docs/a.mdx',
    'index 1..2 100644',
    '--- a/docs/a.mdx',
    '+++ b/docs/a.mdx',
    '@@ -1,3 +1,4 @@',
    ' one',
    '+two',
    '+three',
    '-old',
    ' four',
    '@@ -20 +21 @@ heading',
    '-was',
    '+is',
    'diff --git a/docs/b.mdx b/docs/b.mdx',
    '--- a/docs/b.mdx',
    '+++ b/docs/b.mdx',
    '@@ -5,2 +4,0 @@',
    '-gone',
    '-too',
  ].join('\n');
  expect(changedLines(patch)).toEqual([
    {
      path: 'docs/a.mdx',
      ranges: [
        [2, 3],
        [21, 21],
      ],
    },
    { path: 'docs/b.mdx', ranges: [] },
  ]);
});

test('content that looks like a header of a patch is content', () => {
  const patch = [
    '+++ b/a.md',
    '@@ -1,2 +1,3 @@',
    ' text',
    '+++ b/evil.md',
    '+@@ -1 +100 @@',
    '-- a/x',
    '\\ No newline at end of file',
    '+++ b/c.md',
    '@@ -0,0 +1 @@',
    '+new',
  ].join('\n');
  expect(changedLines(patch)).toEqual([
    { path: 'a.md', ranges: [[2, 3]] },
    { path: 'c.md', ranges: [[1, 1]] },
  ]);
});

test('a removed file and an empty patch have no lines', () => {
  expect(changedLines('--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x')).toEqual([]);
  expect(changedLines('')).toEqual([]);
});
