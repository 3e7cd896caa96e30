// Shared by scripts that build only when their sources have changed. Runs on the system's Node (20 or newer).
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The system's Node may be older than the one the tools need. */
export function newNode() {
  const own = join(root, 'node_modules/.bin/node');
  return existsSync(own) ? own : process.execPath;
}

/**
 * Of everything that a build reads: its sources and the versions of all packages. Tests decide about nothing.
 * @param {string[]} folders
 * @param {string[]} scripts
 */
export function fingerprintOf(folders, scripts) {
  const hash = createHash('sha256');
  const files = folders.flatMap((folder) => filesBelow(join(root, folder)));
  for (const file of [...files, join(root, 'package-lock.json'), ...scripts]) {
    if (file.endsWith('.test.ts')) continue;
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  return hash.digest('hex');
}

/** @param {string} folder */
export function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
