/** Creates and restricts files that only the user of the service may read. */
import { closeSync, constants, openSync } from 'node:fs';
import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export const ownerOnly = 0o600;
const groupAndOtherBits = 0o077;

/** Creates an empty file for libraries that would use the default mode. Existing files keep their content. */
export function createForOwner(file: string): void {
  closeSync(openSync(file, constants.O_RDONLY | constants.O_CREAT, ownerOnly));
}

/** Corrects files of earlier versions. Files of other users are left alone. */
export async function restrictToOwner(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory()) {
      const names = await readdir(path).catch(() => []);
      await restrictToOwner(names.map((name) => join(path, name)));
    } else if (found?.isFile() && (found.mode & groupAndOtherBits) !== 0) {
      await chmod(path, ownerOnly).catch(() => undefined);
    }
  }
}
