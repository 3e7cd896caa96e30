/**
 * The folder with everything that is kept: its lock, its sub-folders, files that must survive. One serving process at a
 * time.
 */
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

/** SQLite cannot say of every error that the disk is the reason, and no start succeeds with less than this. */
const leastStartBytes = 64_000;

/** The error in words for the operator where a full disk has kept the service from starting. */
export async function explainFullDisk(folder: string, error: unknown): Promise<unknown> {
  const freeBytes = await freeBytesOf(folder).catch(() => Infinity);
  const isSqlite = (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR';
  if (!isDiskFull(error) && !(isSqlite && freeBytes < leastStartBytes)) return error;
  const advice = 'Free some space, or choose another folder with --data.';
  return new DataFolderError(`The disk of the data folder ${folder} is full. ${advice}`, { cause: error });
}

const SQLITE_BUSY = 5;

/**
 * Takes the folder for this process. The lock is one that the kernel releases when the process ends, however it
 * ends, so that a kill leaves nothing to clean up.
 */
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

/** What an earlier process was doing when it ended. Only for the process that holds the lock. */
export async function emptyWorkFolder(folder: string): Promise<void> {
  // A git that outlives its killed server may still be writing for a moment.
  await rm(join(folder, 'work'), { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  await mkdir(join(folder, 'work'), { mode: 0o700 });
}

const keptFiles = [
  'docyard.db',
  'docyard.db-wal',
  'docyard.db-shm',
  'lock',
  'lock.pid',
  'secrets.json',
  'blobs',
];

/** The folder may be open to a group, as volumes of containers are; what lies in it must not be. */
export async function restrictKeptFiles(folder: string): Promise<void> {
  await restrictToOwner(keptFiles.map((name) => join(folder, name)));
}

export async function freeBytesOf(folder: string | URL): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
