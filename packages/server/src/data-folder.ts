/** The data folder: its lock, its subfolders and the modes of its files. One process serves from it at a time. */
import { access, constants, mkdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileErrorReason, isDiskFull, makeFolder } from '@docyard/site/disk';
import { DataFolderError } from '@docyard/site/errors';
import { createForOwner, ownerOnly, restrictToOwner } from './file-modes.ts';

export async function prepareDataFolder(folder: string): Promise<void> {
  try {
    for (const name of ['work', 'blobs', 'cache']) await makeFolder(join(folder, name), 0o700);
    await access(folder, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new DataFolderError(
      `Cannot use the data folder ${folder}: ${fileErrorReason(error)}. Choose another with --data.`,
      { cause: error },
    );
  }
}

/** SQLite does not report a full disk for every error. No start succeeds with less free space. */
const minStartBytes = 64_000;

/** Replaces an error caused by a full disk with a message for the operator. */
export async function explainFullDisk(folder: string, error: unknown): Promise<unknown> {
  const freeBytes = await freeBytesOf(folder).catch(() => Infinity);
  const isSqlite = (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR';
  if (!isDiskFull(error) && !(isSqlite && freeBytes < minStartBytes)) return error;
  const advice = 'Free some space, or choose another folder with --data.';
  return new DataFolderError(`The disk of the data folder ${folder} is full. ${advice}`, { cause: error });
}

const SQLITE_BUSY = 5;

/** The kernel releases this lock when the process ends, so a crash leaves no lock behind. */
export async function lockDataFolder(folder: string): Promise<() => void> {
  const file = join(folder, 'lock');
  createForOwner(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  const ownerFile = join(folder, 'lock.pid');
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    const owner = await readFile(ownerFile, 'utf8').catch(() => 'unknown');
    throw new DataFolderError(
      `Another docyard process (pid ${owner.trim()}) is using ${folder}. Stop it first, or choose another folder with --data.`,
    );
  }
  await writeFile(ownerFile, `${process.pid}\n`, { mode: ownerOnly });
  return () => lock.close();
}

/** Removes the temporary files of earlier processes. Only for the process that holds the lock. */
export async function emptyWorkFolder(folder: string): Promise<void> {
  // A git process that outlives its killed server may still be writing.
  await rm(join(folder, 'work'), { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  await mkdir(join(folder, 'work'), { mode: 0o700 });
}

const restrictedFiles = [
  'docyard.db',
  'docyard.db-wal',
  'docyard.db-shm',
  'lock',
  'lock.pid',
  'secrets.json',
  'blobs',
  'backups',
];

/** Container volumes are often open to a group; the files in the folder must not be. */
export async function restrictDataFiles(folder: string): Promise<void> {
  await restrictToOwner(restrictedFiles.map((name) => join(folder, name)));
}

export async function freeBytesOf(folder: string | URL): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
