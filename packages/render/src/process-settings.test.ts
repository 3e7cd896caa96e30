/** What V8 is told in processes that render, as far as another process can see it. */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withFolder } from './render-fixture.ts';

const settings = fileURLToPath(new URL('process-settings.ts', import.meta.url));
const steps = Array.from({ length: 200 }, (_, n) => `  total += Math.sin(total * ${n}) + ${n};`);
const program = ['export function neverCalled(total) {', ...steps, '  return total;', '}'].join('\n');

/** Runs the program and returns how many bytes of compiled code Node has kept of it, and what it has printed. */
function run(first: string, keeps = true): Promise<{ kept: number; printed: string }> {
  const entry = [
    `import { cachedDataVersionTag } from 'node:v8';`,
    `import { compileWhole } from ${JSON.stringify(settings)};`,
    `const before = cachedDataVersionTag();`,
    first,
    `await import('./program.mjs');`,
    `console.log(before === cachedDataVersionTag() ? 'as before' : 'other flags');`,
  ].join('\n');
  return withFolder({ 'entry.mjs': entry, 'program.mjs': program }, async (root) => {
    const cache = join(root, 'cache');
    const env = keeps ? { NODE_COMPILE_CACHE: cache } : {};
    const args = ['--no-warnings', join(root, 'entry.mjs')];
    const { stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    const files = keeps ? readdirSync(cache, { recursive: true, withFileTypes: true }) : [];
    const sizes = files
      .filter((file) => file.isFile())
      .map((file) => statSync(join(file.parentPath, file.name)).size);
    return { kept: sizes.reduce((sum, bytes) => sum + bytes, 0), printed: stdout.trim() };
  });
}

test('functions that nobody has called are compiled and kept, too', async () => {
  const [plain, whole] = [await run(''), await run('compileWhole();')];
  // Each of the 200 lines takes more than ten bytes of code.
  expect(whole.kept).toBeGreaterThan(plain.kept + 2000);
});

test('nothing is compiled for nobody: where nothing is kept, V8 goes on as it would', async () => {
  expect((await run('compileWhole();')).printed).toBe('other flags');
  expect((await run('compileWhole();', false)).printed).toBe('as before');
});
