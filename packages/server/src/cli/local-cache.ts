/** The build cache of commands that render a folder without a service, below the user's cache folder. It can be deleted at any time. */
import { readdir, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { maxCacheAgeMs, openCacheFolder, type CacheFolder } from '../build-cache/cache-folder.ts';

/** `what` tells apart what must not share a cache. Undefined where nothing can be written. */
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
    // A home folder that is read-only or full costs time only.
    return undefined;
  }
}

/** The folder that was just opened is the newest. */
async function removeOld(root: string): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const { mtimeMs } = await stat(join(root, name));
    if (mtimeMs < Date.now() - maxCacheAgeMs) await rm(join(root, name), { recursive: true, force: true });
  }
}
