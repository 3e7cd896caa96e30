/**
 * Reads site files with fixed names. Symbolic links may point outside of the site, and FIFOs and devices never
 * end, so only regular files inside the folder are read.
 */
import { readFile, realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';

/** Undefined when the folder has no such file or it exceeds `maxBytes`. */
export async function readInside(root: string, path: string, maxBytes: number): Promise<string | undefined> {
  const [folder, file] = await Promise.all([root, path].map((name) => realpath(name).catch(() => undefined)));
  if (folder === undefined || file === undefined || !file.startsWith(folder + sep)) return undefined;
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile() || found.size > maxBytes) return undefined;
  return readFile(file, 'utf8').catch(() => undefined);
}
