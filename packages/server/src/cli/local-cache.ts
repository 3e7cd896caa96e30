/**
 * The build cache of commands that render without a service, below the user's cache folder. It can be deleted at any
 * time.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { maxCacheAgeMs, openCacheFolder, type CacheFolder } from '../build-cache/cache-folder.ts';

/** `what` separates caches that must not be shared. Undefined when the folder is not writable. */
export async function openLocalCache(
  kind: 'builds' | 'exports',
  what: unknown,
): Promise<CacheFolder | undefined> {
  const root = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'docyard', kind);
  try {
    const folder = await openCacheFolder(root, what);
    await removeOld(root);
    return folder;
  } catch {
    // A read-only or full home folder only costs time.
    return undefined;
  }
}

/** The opened folder is the newest and is never removed. */
async function removeOld(root: string): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const { mtimeMs } = await stat(join(root, name));
    if (mtimeMs < Date.now() - maxCacheAgeMs) await rm(join(root, name), { recursive: true, force: true });
  }
}
