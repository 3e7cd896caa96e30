import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { growthOf } from '../scripts/redos/analysis.ts';
import { findPatterns } from '../scripts/redos/patterns.ts';
import { cleanUp } from './cleanups.ts';

test.each([
  ['^[a-z]+$', 'linear'],
  ['^a{1,5}b?$', 'linear'],
  ['\\s+$', 'polynomial'],
  ['^(?:a+)+$', 'exponential'],
  ['^GET((?:\\r\\n[a-z]+: ?[ -~]*)+)\\r\\n\\r\\n$', 'exponential'],
])('the pattern %s takes %s time', async (source, growth) => {
  expect(await growthOf({ source, flags: '' })).toBe(growth);
});

test('literals and constant arguments of RegExp are found, with their lines', () => {
  const root = mkdtempSync(join(tmpdir(), 'docyard-redos-'));
  cleanUp(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'src'));
  const lines = [
    'const a = /x+/gi;',
    "const b = new RegExp('y*', 'u');",
    'const c = RegExp(String.raw`\\d+`);',
  ];
  writeFileSync(join(root, 'src/a.ts'), lines.join('\n'));
  spawnSync('git', ['init', '--quiet'], { cwd: root });
  expect(findPatterns(root)).toEqual([
    { file: 'src/a.ts', line: 1, source: 'x+', flags: 'gi' },
    { file: 'src/a.ts', line: 2, source: 'y*', flags: 'u' },
    { file: 'src/a.ts', line: 3, source: String.raw`\d+`, flags: '' },
  ]);
});
