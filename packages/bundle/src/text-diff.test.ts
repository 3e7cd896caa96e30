import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary-resources.ts';
import { diffTexts } from './text-diff.ts';

/** Applies the patch with git. */
function applied(before: string, patch: string): string {
  const folder = temporaryFolder('diff');
  writeFileSync(join(folder, 'page.md'), before);
  if (patch === '') return before;
  const ended = spawnSync('git', ['apply', '--unidiff-zero', '-'], {
    cwd: folder,
    input: patch,
    encoding: 'utf8',
  });
  if (ended.status !== 0) throw new Error(`${ended.stderr}\n${patch}`);
  return readFileSync(join(folder, 'page.md'), 'utf8');
}

const numbered = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, n) => `${word} ${n}\n`).join('');

describe('a text diff', () => {
  test.each([
    [
      'an edit in the middle',
      numbered(40),
      numbered(40).replace('line 20\n', 'another line\nand one more\n'),
    ],
    ['an edit of the first line', numbered(5), numbered(5).replace('line 0', 'the first')],
    [
      'two edits far apart',
      numbered(60),
      numbered(60).replace('line 5\n', '').replace('line 50', 'line fifty'),
    ],
    [
      'two edits close together',
      numbered(20),
      numbered(20).replace('line 5\n', 'a\n').replace('line 11\n', 'b\n'),
    ],
    ['a text without a line break at the end', 'one\ntwo', 'one\ntwo\nthree'],
    ['a text that loses its last line break', 'one\ntwo\n', 'one\ntwo'],
    ['lines that repeat', 'a\nb\na\nb\nc\n', 'b\na\nc\na\nb\n'],
    ['a text that is emptied', 'one\ntwo\n', ''],
    ['a text that is filled', '', 'one\ntwo\n'],
  ])('of %s is applied by git and gives the new text', (_, before, after) => {
    const { patch } = diffTexts('page.md', before, after);
    expect(applied(before, patch)).toBe(after);
  });

  test('of random edits is applied by git and gives the new text', () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let round = 0; round < 25; round += 1) {
      const before = Array.from({ length: 30 }, () => `w${random(6)}\n`);
      const after = before.flatMap(
        (line) => [[line], [], [`w${random(6)}\n`], [line, `w${random(6)}\n`]][random(4)] ?? [],
      );
      const { patch } = diffTexts('page.md', before.join(''), after.join(''));
      expect(applied(before.join(''), patch)).toBe(after.join(''));
    }
  });

  test('of equal texts is empty', () => {
    expect(diffTexts('page.md', 'same\n', 'same\n')).toMatchObject({
      patch: '',
      addedLines: 0,
      removedLines: 0,
    });
  });

  test('counts lines and names a missing side like git', () => {
    const { patch, addedLines, removedLines } = diffTexts('page.md', null, 'one\ntwo\n');
    expect({ addedLines, removedLines }).toEqual({ addedLines: 2, removedLines: 0 });
    expect(patch).toContain('--- /dev/null\n+++ b/page.md\n@@ -0,0 +1,2 @@\n+one\n+two\n');
  });

  test('of entirely different texts ends quickly and is truncated', () => {
    const began = performance.now();
    const { isTruncated, patch } = diffTexts('page.md', numbered(20_000, 'old'), numbered(20_000, 'new'));
    expect(performance.now() - began).toBeLessThan(2000);
    expect(isTruncated).toBe(true);
    expect(patch.split('\n').length).toBeLessThan(4100);
  });
});
