import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Atomic and durable: a crash leaves the old or the new file. Readable only by the owner. */
export async function writeDurably(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`;
  const handle = await open(temporary, 'wx', 0o600).catch((error: Error) => {
    throw Object.assign(error, { path: file });
  });
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
  await syncFolder(dirname(file));
}

/** A new or renamed file survives a power loss only if its folder is synced too. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * `mkdir` with `recursive` never returns where the kernel reports ENOENT although the parent exists, as below
 * /proc.
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  const path = resolve(folder);
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (await isFolder(path)) return;
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || (await isFolder(parent))) throw error;
    await makeFolder(parent, mode);
    await mkdir(path, { mode }).catch(async (again: unknown) => {
      if (!(await isFolder(path))) throw again;
    });
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}
