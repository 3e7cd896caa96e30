/**
 * Reads files of a site whose names are fixed. A repository may hold symbolic links to anywhere, and a folder also pipes and
 * devices, which never end; only what really is a file inside the folder is read.
 */
import { readFile, realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';

/** Undefined when there is no such file inside of the folder, or when it is larger than `maximumBytes`. */
export async function readInside(
  root: string,
  path: string,
  maximumBytes: number,
): Promise<string | undefined> {
  const [folder, file] = await Promise.all([root, path].map((name) => realpath(name).catch(() => undefined)));
  if (folder === undefined || file === undefined || !file.startsWith(folder + sep)) return undefined;
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile() || found.size > maximumBytes) return undefined;
  return readFile(file, 'utf8').catch(() => undefined);
}
