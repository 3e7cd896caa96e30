/** Identifies the version of the renderer, so that a cache of another version is not used. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { setImmediate as aPause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { builtFrom, version } from '../version.ts';

/** The folders whose code determines the bytes of a bundle. */
const sourceFolders = ['..', '../../../render/src', '../../../bundle/src', '../../../api/src']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .filter((folder) => existsSync(folder));

const filesPerBatch = 100;

export async function engineIdentity(): Promise<string> {
  const fixed = fixedVersion();
  return fixed === undefined ? `docyard ${await sourceFingerprint()}` : `docyard ${fixed} ${process.version}`;
}

/** Yields between files, so that the service can answer requests. */
async function sourceFingerprint(): Promise<string> {
  const hash = createHash('sha256').update(process.version);
  const files = sourceFolders.flatMap((folder) => [...sourceFiles(folder)]);
  for (const [index, path] of files.entries()) {
    if (index % filesPerBatch === 0) await aPause();
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined) hash.update(`${path} ${found.mtimeMs} ${found.size}\n`);
  }
  return hash.digest('hex').slice(0, 24);
}

function* sourceFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}${sep}${entry.name}`;
    if (entry.isDirectory()) yield* sourceFiles(path);
    else if (!entry.name.endsWith('.test.ts')) yield path;
  }
}

/** The version of an installed or built program, whose sources do not change. */
function fixedVersion(): string | undefined {
  const isInstalled = fileURLToPath(import.meta.url)
    .split(sep)
    .includes('node_modules');
  return builtFrom ?? (isInstalled ? version : undefined);
}
