/**
 * Where commands that render a folder without a service remember what they did, for the next time: below the cache folder of
 * whoever calls. Everything in it can be deleted at any time.
 */
import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { openMemory, type MemoryPlace } from '../exports/project-memory.ts';

const keptMs = 30 * 24 * 3600 * 1000;

/** `what` says everything that decides whether two runs are alike. Undefined where nothing can be written. */
export async function openLocalMemory(
  kind: 'builds' | 'exports',
  what: unknown,
): Promise<MemoryPlace | undefined> {
  const root = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'docyard', kind);
  const name = createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 24);
  try {
    await removeOld(root, name);
    return await openMemory(join(root, name));
  } catch {
    // A home that cannot be written to, or is full, costs time and nothing else.
    return undefined;
  }
}

async function removeOld(root: string, wanted: string): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const { mtimeMs } = await stat(join(root, name));
    if (name !== wanted && mtimeMs < Date.now() - keptMs)
      await rm(join(root, name), { recursive: true, force: true });
  }
}
