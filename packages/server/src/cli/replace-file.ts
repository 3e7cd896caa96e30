/**
 * Puts a file in the place of another at once: whoever looks sees the old one or the new one, whole. What happens to the blocks
 * of a large old one is left to a process that nobody waits for.
 */
import { spawn } from 'node:child_process';
import { constants, open, rename, type FileHandle } from 'node:fs/promises';

/** From here on it takes longer than starting a process. */
const largeBytes = 16 * 1024 ** 2;

export async function replaceFile(draft: string, place: string): Promise<void> {
  const before = await openIfLarge(place);
  try {
    await rename(draft, place);
    if (before) leaveToAnother(before);
  } finally {
    await before?.close();
  }
}

async function openIfLarge(place: string): Promise<FileHandle | undefined> {
  // A pipe would wait for somebody who writes to it.
  const file = await open(place, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined || (await file.stat()).size >= largeBytes) return file;
  await file.close();
  return undefined;
}

/**
 * A file without a name is gone when the last process that has it open ends. Where the disk is told of free blocks (`discard`),
 * that process waits 0.15 s for 110 MB. This one ends after us: when nobody can write to it any more.
 */
function leaveToAnother({ fd }: FileHandle): void {
  const other = spawn('cat', [], { stdio: ['pipe', 'ignore', 'ignore', fd], detached: true });
  // Without one, we wait ourselves.
  other.on('error', () => undefined);
  other.stdin?.on('error', () => undefined);
  other.unref();
  (other.stdin as { unref?: () => void } | null)?.unref?.();
}
