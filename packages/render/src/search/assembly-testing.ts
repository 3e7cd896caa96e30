/** Compiles the program that counts terms anew, as `npm run assembly` does, for the test that holds the committed one to its source. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const termProgramFile = new URL('page-terms.wasm', import.meta.url);

const root = fileURLToPath(new URL('../../../..', import.meta.url));

export async function compileTermProgram(): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'docyard-assembly-'));
  try {
    const file = join(folder, 'page-terms.wasm');
    const compiler = join(root, 'node_modules/assemblyscript/bin/asc.js');
    const options = ['--config', 'packages/render/assembly/asconfig.json', '--outFile', file];
    await promisify(execFile)(process.execPath, [compiler, ...options], { cwd: root });
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
