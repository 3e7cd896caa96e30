/**
 * Names the program that renders: what one version has left must not be taken for the work of another. An installed version
 * never changes; a checkout changes with each of its files.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { setImmediate as aPause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { version } from '../version.ts';

/** The folders with everything that decides about the bytes of a bundle. */
const sourceFolders = ['..', '../../../render/src', '../../../api/src']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .filter((folder) => existsSync(folder));

const filesWithoutPause = 100;

/**
 * Looking at the 1,018 files of a checkout takes 12 ms; 70 if another thread were asked for each. A service must be able to
 * answer in between.
 */
export async function engineIdentity(): Promise<string> {
  if (isInstalled()) return `docyard ${version} ${process.version}`;
  const hash = createHash('sha256').update(process.version);
  let looked = 0;
  for (const { path, mtimeMs, size } of sourceFiles()) {
    if (looked++ % filesWithoutPause === 0) await aPause();
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  }
  return `docyard ${hash.digest('hex').slice(0, 24)}`;
}

/** Of a checkout, one after the other and without waiting. */
export function* sourceFiles(): Generator<{ path: string; mtimeMs: number; size: number }> {
  for (const folder of sourceFolders) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const path = join(folder, name);
      const found = statSync(path, { throwIfNoEntry: false });
      if (found?.isFile()) yield { path, mtimeMs: found.mtimeMs, size: found.size };
    }
  }
}

export function isInstalled(): boolean {
  return import.meta.dirname.split(sep).includes('node_modules');
}
