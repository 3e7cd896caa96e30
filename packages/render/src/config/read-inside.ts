/**
 * Reads site files with fixed names. Symbolic links may point outside of the site, and FIFOs and devices never
 * end, so only regular files inside the folder are read.
 */
import { readFile, realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';

/** Undefined when the folder has no such file or it exceeds `maxBytes`. */
export async function readInside(root: string, path: string, maxBytes: number): Promise<string | undefined> {
  const file = await realPathInside(root, path);
  if (file === undefined) return undefined;
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile() || found.size > maxBytes) return undefined;
  return readFile(file, 'utf8').catch(() => undefined);
}

/** The path without symbolic links; undefined outside of the folder. */
export async function realPathInside(root: string, path: string): Promise<string | undefined> {
  const [folder, file] = await Promise.all([root, path].map((name) => realpath(name).catch(() => undefined)));
  return folder !== undefined && file?.startsWith(folder + sep) ? file : undefined;
}
