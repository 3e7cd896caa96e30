/** Files that only the user of the service may read, whatever its umask says and whoever may enter the folder. */
import { closeSync, constants, openSync } from 'node:fs';
import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export const ownerOnly = 0o600;
const forOthers = 0o077;

/** Makes an empty file, for libraries that would make it with the usual mode. One that is there stays as it is. */
export function createForOwner(file: string): void {
  closeSync(openSync(file, constants.O_RDONLY | constants.O_CREAT, ownerOnly));
}

/** Corrects files of an earlier version. A file of another user stays as it is. */
export async function restrictToOwner(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory()) {
      const names = await readdir(path).catch(() => []);
      await restrictToOwner(names.map((name) => join(path, name)));
    } else if (found?.isFile() && (found.mode & forOthers) !== 0) {
      await chmod(path, ownerOnly).catch(() => undefined);
    }
  }
}
