/**
 * Where commands that render a folder without a service remember what they did, for the next time: below the cache folder of
 * whoever calls. Everything in it can be deleted at any time.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { memoryKeptMs, openMemory, type MemoryPlace } from '../exports/project-memory.ts';

/** `what` says everything that decides whether two runs are alike. Undefined where nothing can be written. */
export async function openLocalMemory(
  kind: 'builds' | 'exports',
  what: unknown,
): Promise<MemoryPlace | undefined> {
  const root = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'docyard', kind);
  try {
    const memory = await openMemory(root, what);
    await removeOld(root);
    return memory;
  } catch {
    // A home that cannot be written to, or is full, costs time and nothing else.
    return undefined;
  }
}

/** The one that was just opened is the newest. */
async function removeOld(root: string): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const { mtimeMs } = await stat(join(root, name));
    if (mtimeMs < Date.now() - memoryKeptMs) await rm(join(root, name), { recursive: true, force: true });
  }
}
