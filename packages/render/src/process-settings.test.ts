/** What V8 is told in processes that render, as far as another process can see it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'docyard-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

const settings = fileURLToPath(new URL('process-settings.ts', import.meta.url));
const steps = Array.from({ length: 200 }, (_, n) => `  total += Math.sin(total * ${n}) + ${n};`);
writeFileSync(
  join(folder, 'program.mjs'),
  ['export function neverCalled(total) {', ...steps, '  return total;', '}'].join('\n'),
);

/** Runs a program and returns how many bytes of compiled code Node has kept of it, and what it has printed. */
function run(name: string, first: string, keeps = true): { kept: number; printed: string } {
  const entry = join(folder, `${name}.mjs`);
  const cache = join(folder, `${name}-cache`);
  writeFileSync(
    entry,
    [
      `import { cachedDataVersionTag } from 'node:v8';`,
      `import { compileWhole } from ${JSON.stringify(settings)};`,
      `const before = cachedDataVersionTag();`,
      first,
      `await import('./program.mjs');`,
      `console.log(before === cachedDataVersionTag() ? 'as before' : 'other flags');`,
    ].join('\n'),
  );
  const env = keeps ? { NODE_COMPILE_CACHE: cache } : {};
  const { stdout } = spawnSync(process.execPath, ['--no-warnings', entry], { env, encoding: 'utf8' });
  const files = keeps ? readdirSync(cache, { recursive: true, withFileTypes: true }) : [];
  const sizes = files
    .filter((file) => file.isFile())
    .map((file) => statSync(join(file.parentPath, file.name)).size);
  return { kept: sizes.reduce((sum, bytes) => sum + bytes, 0), printed: stdout.trim() };
}

test('functions that nobody has called are compiled and kept, too', () => {
  const [plain, whole] = [run('plain', ''), run('whole', 'compileWhole();')];
  // Each of the 200 lines takes more than ten bytes of code.
  expect(whole.kept).toBeGreaterThan(plain.kept + 2000);
});

test('nothing is compiled for nobody: where nothing is kept, V8 goes on as it would', () => {
  expect(run('kept', 'compileWhole();').printed).toBe('other flags');
  expect(run('not-kept', 'compileWhole();', false).printed).toBe('as before');
});
