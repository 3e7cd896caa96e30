/**
 * Names the program that renders: what one version has left must not be taken for the work of another. What was installed or
 * built never changes; sources change with each of their files.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { setImmediate as aPause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { builtFrom, version } from '../version.ts';

/** The folders with everything that decides about the bytes of a bundle. */
const sourceFolders = ['..', '../../../render/src', '../../../api/src']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .filter((folder) => existsSync(folder));

const filesWithoutPause = 100;

interface Look {
  atMs: number;
  /** Says how all files were. */
  fingerprint: string;
  /** When the last one of them was written. */
  newestMs: number;
}

let lastLook: Look | undefined;
/** Two questions about them in one command are answered by one look. */
const recentMs = 10_000;

export async function engineIdentity(): Promise<string> {
  const unchanging = unchangingVersion();
  if (unchanging !== undefined) return `docyard ${unchanging} ${process.version}`;
  const { fingerprint } = (lastLook = await lookAtSources());
  return `docyard ${fingerprint}`;
}

/** Undefined where nobody changes them. */
export async function newestSourceMs(): Promise<number | undefined> {
  if (unchangingVersion() !== undefined) return undefined;
  const isRecent = lastLook !== undefined && Date.now() - lastLook.atMs < recentMs;
  return (isRecent ? lastLook : await lookAtSources())?.newestMs;
}

/**
 * The 660 files of a checkout take 10 ms, and 50 in a process that has just started; several times that if another thread were
 * asked for each. A service must be able to answer in between.
 */
async function lookAtSources(): Promise<Look> {
  const [atMs, hash] = [Date.now(), createHash('sha256').update(process.version)];
  let [looked, newestMs] = [0, 0];
  for (const path of sourceFolders.flatMap((folder) => [...sourceFiles(folder)])) {
    if (looked++ % filesWithoutPause === 0) await aPause();
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) continue;
    hash.update(`${path} ${found.mtimeMs} ${found.size}\n`);
    newestMs = Math.max(newestMs, found.mtimeMs);
  }
  return { atMs, fingerprint: hash.digest('hex').slice(0, 24), newestMs };
}

/** Tests decide about nothing. */
function* sourceFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}${sep}${entry.name}`;
    if (entry.isDirectory()) yield* sourceFiles(path);
    else if (!entry.name.endsWith('.test.ts')) yield path;
  }
}

/** Of what was installed, or built: then its sources are not what runs. */
export function unchangingVersion(): string | undefined {
  const isInstalled = fileURLToPath(import.meta.url)
    .split(sep)
    .includes('node_modules');
  return builtFrom ?? (isInstalled ? version : undefined);
}
