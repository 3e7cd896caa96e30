/**
 * Puts a backup into an empty folder. Everything is read and held to its hashes before the first byte is written, and the
 * database comes last: a restore that is cut off leaves no folder that would start.
 */
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '@docyard/site/disk';
import { readFiles, verifyArchive, type Manifest } from './archive.ts';

export class RestoreError extends Error {
  override name = 'RestoreError';
}

/** `knownMigrations` are the steps that this program has; tables that went through others are not for it. */
export async function restore(
  file: string,
  folder: string,
  knownMigrations: readonly string[],
): Promise<Manifest> {
  await refuseFullFolder(folder);
  const manifest = await verifyArchive(file);
  const unknown = manifest.migrations.find((name) => !knownMigrations.includes(name));
  if (unknown !== undefined) {
    throw new RestoreError(
      `The backup was made by version ${manifest.version}, whose tables this version does not know (${unknown}). Restore it with that version or a newer one.`,
    );
  }
  await makeFolder(folder, 0o700);
  try {
    await writeAll(file, folder);
  } catch (error) {
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
    throw error;
  }
  return manifest;
}

async function refuseFullFolder(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new RestoreError(`${folder} cannot be used (${error.code}).`);
  });
  // A volume of its own begins with this one.
  if (entries.some((name) => name !== 'lost+found'))
    throw new RestoreError(
      `${folder} is not empty. Nothing is overwritten: choose a new folder with --data.`,
    );
}

const databaseName = 'docyard.db';

async function writeAll(file: string, folder: string): Promise<void> {
  const unfinished = join(folder, `${databaseName}.restoring`);
  let hasDatabase = false;
  for await (const { name, content } of readFiles(file)) {
    const path = name === databaseName ? unfinished : join(folder, name);
    hasDatabase ||= name === databaseName;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await pipeline(content, createWriteStream(path, { mode: 0o600, flags: 'wx', flush: true }));
  }
  if (!hasDatabase) return;
  await rename(unfinished, join(folder, databaseName));
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
