/** Bundles on disk: one file, or the newest archive of a folder. Waits until a file is completely copied. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SourceError, type Source } from './source.ts';
import { fileErrorReason } from '../disk/file-error.ts';

/** A file without changes for this long counts as complete. */
const settleMs = 2000;
const maxWaitMs = 60_000;
const pollMs = 200;
const maxFiles = 10_000;

interface Found {
  file: string;
  /** Changes with every write. */
  fingerprint: string;
  modifiedMs: number;
}

export function folderSource(path: string): Source {
  return {
    origin: path,
    async look(known, signal) {
      const newest = await newestIn(path);
      if (newest.fingerprint === known) return 'unchanged';
      const { file, fingerprint } = await settled(path, newest, signal);
      return {
        fingerprint,
        sha256: null,
        version: undefined,
        jobId: null,
        fetch: async () => file,
      };
    },
  };
}

/** Waits until the newest file no longer changes. */
async function settled(path: string, first: Found, signal: AbortSignal): Promise<Found> {
  const deadline = performance.now() + maxWaitMs;
  for (let found = first; ; found = await newestIn(path)) {
    if (Date.now() - found.modifiedMs >= settleMs) return found;
    if (performance.now() > deadline)
      throw new SourceError('not_ready', `${found.file} is still being written after a minute.`);
    await pause(pollMs, undefined, { signal });
  }
}

async function newestIn(path: string): Promise<Found> {
  const entry = await stat(path).catch((error: unknown) => {
    throw new SourceError('not_found', `${path} cannot be read: ${fileErrorReason(error)}.`);
  });
  if (!entry.isDirectory()) return found(path, entry);
  const names = (await readdir(path))
    .filter((name) => /^[^.].*\.(tar\.gz|tgz)$/.test(name))
    .slice(0, maxFiles);
  const files = await Promise.all(
    names.map(async (name) => {
      const file = join(path, name);
      const entry = await stat(file).catch(() => undefined);
      return entry?.isFile() ? found(file, entry) : undefined;
    }),
  );
  const [newest] = files
    .filter((file) => file !== undefined)
    .toSorted((a, b) => b.modifiedMs - a.modifiedMs || (a.file < b.file ? 1 : -1));
  if (newest === undefined) throw new SourceError('not_found', `${path} contains no .tar.gz yet.`);
  return newest;
}

function found(file: string, entry: { size: number; mtimeMs: number; ino: number }): Found {
  const fingerprint = `file:${file} ${entry.size} ${entry.mtimeMs} ${entry.ino}`;
  return { file, fingerprint, modifiedMs: entry.mtimeMs };
}
