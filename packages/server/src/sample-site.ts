import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const sampleFolder = fileURLToPath(new URL('../sample', import.meta.url));

/** Writes new files, because those of an installation may be read-only. */
export async function copySample(to: string): Promise<void> {
  for (const entry of await readdir(sampleFolder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const copy = join(to, relative(sampleFolder, file));
    await mkdir(dirname(copy), { recursive: true });
    await writeFile(copy, await readFile(file));
  }
}
