/** Programs for WebAssembly are committed as they were compiled: each is held to its source. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

it.each([['search', '../search/page-terms.wasm']])('assembly/%s makes %s', async (source, program) => {
  const folder = await mkdtemp(join(tmpdir(), 'docyard-assembly-'));
  try {
    const file = join(folder, 'program.wasm');
    const compiler = join(root, 'node_modules/assemblyscript/bin/asc.js');
    const options = ['--config', `packages/render/assembly/${source}/asconfig.json`, '--outFile', file];
    await promisify(execFile)(process.execPath, [compiler, ...options], { cwd: root });
    const committed = await readFile(new URL(program, import.meta.url));
    expect(
      committed.equals(await readFile(file)),
      `${program} is stale. Run \`npm run assembly\` and commit the result.`,
    ).toBe(true);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
