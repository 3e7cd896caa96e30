/** Plain sequential file operations: the lower bound for anything that reads sources and writes pages. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Reads all sources and copies the output, one file after the other. */
export async function secondsToCopy(sources: string, output: string, target: string): Promise<number> {
  const began = performance.now();
  for (const file of filesBelow(sources)) await readFile(file);
  const made = new Set<string>();
  for (const file of filesBelow(output)) {
    const copy = join(target, file.slice(output.length));
    if (!made.has(dirname(copy))) await mkdir(dirname(copy), { recursive: true });
    made.add(dirname(copy));
    await copyFile(file, copy);
  }
  const seconds = (performance.now() - began) / 1000;
  rmSync(target, { recursive: true });
  return seconds;
}

export function sizeOf(folder: string): { files: number; bytes: number } {
  const sizes = filesBelow(folder).map((file) => statSync(file).size);
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
