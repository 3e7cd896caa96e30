/** The output of the previous build: unchanged files are hard-linked instead of written. */
import { linkSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { manifestName, parseManifest } from '@docyard/bundle';

export class PreviousBuild {
  readonly #folder: string;
  readonly #hashes = new Map<string, string>();
  #writtenAtMs = 0;

  /** A folder without a readable manifest has no reusable files. */
  constructor(folder: string) {
    this.#folder = folder;
    try {
      const manifest = join(folder, manifestName);
      for (const { path, sha256 } of parseManifest(readFileSync(manifest)).files)
        this.#hashes.set(path, sha256);
      this.#writtenAtMs = statSync(manifest).mtimeMs;
    } catch {
      this.#hashes.clear();
    }
  }

  /** False when the file must be written because its content differs or was modified. */
  link(path: string, { sha256, sizeBytes }: { sha256: string; sizeBytes: number }, target: string): boolean {
    if (this.#hashes.get(path) !== sha256) return false;
    const file = join(this.#folder, path);
    try {
      const { size, mtimeMs } = statSync(file);
      if (size !== sizeBytes || mtimeMs > this.#writtenAtMs) return false;
      linkSync(file, target);
      return true;
    } catch {
      return false;
    }
  }
}
