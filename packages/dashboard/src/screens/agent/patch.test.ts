import { describe, expect, test } from 'vitest';
import { readPatch, rowsOf, type Line } from './patch.ts';

const patch = `diff --git a/docs/index.mdx b/docs/index.mdx
index 1111111..2222222 100644
--- a/docs/index.mdx
+++ b/docs/index.mdx
@@ -2,5 +2,6 @@ title: Welcome
 ---
 
-Read about moring first.
+Read about mooring first.
+Then cast off.
 
-diff --git a/x b/x
+--- nothing
diff --git a/gone.mdx b/gone.mdx
deleted file mode 100644
--- a/gone.mdx
+++ /dev/null
@@ -1 +0,0 @@
-Bye
\\ No newline at end of file
diff --git a/old.mdx b/new name.mdx
similarity index 100%
rename from old.mdx
rename to new name.mdx
diff --git a/sign.png b/sign.png
new file mode 100644
index 0000000..3333333
Binary files /dev/null and b/sign.png differ
`;

const shown = (line: Line | undefined) =>
  line === undefined ? '' : `${line.before ?? line.after} ${line.pieces.map(({ text }) => text).join('')}`;

describe('a patch of git', () => {
  const [index, gone, moved, sign] = readPatch(patch);

  test('a patch lists changed, moved, removed and binary files', () => {
    expect([index?.path, gone?.path, moved?.path, sign?.path]).toEqual([
      'docs/index.mdx',
      'gone.mdx',
      'new name.mdx',
      'sign.png',
    ]);
    expect(moved?.hunks).toEqual([]);
    expect([index?.isBinary, sign?.isBinary]).toEqual([false, true]);
  });

  test('lines are numbered on both sides, and content that looks like a header stays content', () => {
    expect(index?.hunks[0]?.title).toBe('title: Welcome');
    expect(index?.hunks[0]?.lines.map(({ kind, before, after }) => [kind, before, after])).toEqual([
      ['same', 2, 2],
      ['same', 3, 3],
      ['removed', 4, undefined],
      ['added', undefined, 4],
      ['added', undefined, 5],
      ['same', 5, 6],
      ['removed', 6, undefined],
      ['added', undefined, 7],
    ]);
    expect(shown(index?.hunks[0]?.lines.at(-2))).toBe('6 diff --git a/x b/x');
  });

  test('a removed line and its replacement share a row', () => {
    expect(rowsOf(index!.hunks[0]!).map(({ before, after }) => [shown(before), shown(after)])).toEqual([
      ['2 ---', '2 ---'],
      ['3 ', '3 '],
      ['4 Read about moring first.', '4 Read about mooring first.'],
      ['', '5 Then cast off.'],
      ['5 ', '5 '],
      ['6 diff --git a/x b/x', '7 --- nothing'],
    ]);
  });

  test('changed words are marked', () => {
    const [, , removed, added] = index!.hunks[0]!.lines;
    expect(removed?.pieces.filter(({ isChanged }) => isChanged).map(({ text }) => text)).toEqual(['moring']);
    expect(added?.pieces.filter(({ isChanged }) => isChanged).map(({ text }) => text)).toEqual(['mooring']);
  });

  test('a missing line break at the end of a file is detected', () => {
    expect(gone?.hunks[0]?.lines[0]?.endsOpen).toBe(true);
    expect(index?.hunks[0]?.lines[0]?.endsOpen).toBe(false);
  });

  test('text that is not a patch has no files', () => {
    expect(readPatch('')).toEqual([]);
    expect(readPatch('@@ -1 +1 @@\n+no head\n')).toEqual([]);
  });
});
