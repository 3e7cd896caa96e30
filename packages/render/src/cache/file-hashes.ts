import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Site } from '../site/site.ts';
import { shortHash } from '../text/short-hash.ts';

/** File system timestamps may lag by this much. */
const clockStepMs = 11;

type HashedSite = Pick<Site, 'root' | 'sourceHashes' | 'loadStartedAtMs'>;

export class FileHashes {
  readonly #root: string;
  readonly #startedAtMs: number;
  readonly #hashes: Map<string, string | undefined>;

  constructor({ root, sourceHashes, loadStartedAtMs }: HashedSite) {
    this.#root = root;
    this.#startedAtMs = loadStartedAtMs - clockStepMs;
    this.#hashes = new Map(sourceHashes);
  }

  /** Undefined for a file that cannot be read. */
  of(file: string): string | undefined {
    if (this.#hashes.has(file)) return this.#hashes.get(file);
    const hash = this.#read(file);
    this.#hashes.set(file, hash);
    return hash;
  }

  /**
   * Undefined for a file that changed since the build started: the page may have been rendered from other
   * bytes.
   */
  ofUnchanged(file: string): string | undefined {
    const found = statSync(join(this.#root, file), { throwIfNoEntry: false });
    return found && Math.max(found.ctimeMs, found.mtimeMs) < this.#startedAtMs ? this.of(file) : undefined;
  }

  #read(file: string): string | undefined {
    try {
      return shortHash(readFileSync(join(this.#root, file)));
    } catch {
      return undefined;
    }
  }
}
