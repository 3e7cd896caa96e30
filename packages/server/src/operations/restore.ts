/**
 * Restores a backup into an empty folder. The backup is verified before the first write, and the database is written
 * last, so that an interrupted restore leaves no folder that would start.
 */
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeFolder, fileErrorReason } from '@docyard/site/disk';
import { readFiles, verifyArchive, type Manifest } from './archive.ts';

export class RestoreError extends Error {
  override name = 'RestoreError';
}

/** `knownMigrations` are the migrations of this version. */
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
      `The backup is from version ${manifest.version} with migrations unknown to this version (${unknown}). Restore it with that version or a newer one.`,
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
    throw new RestoreError(`Cannot use ${folder}: ${fileErrorReason(error)}.`);
  });
  // New volumes contain this folder.
  if (entries.some((name) => name !== 'lost+found'))
    throw new RestoreError(`${folder} is not empty. Choose a new folder with --data.`);
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
