/**
 * Fills a new folder durably. The folder is removed on failure. Names must have been checked by `names.ts`.
 */
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Files up to this size are buffered, so that several can be written at the same time. */
const smallBytes = 256 * 1024;
const maxInFlight = 16;

export class NewFolder {
  readonly #folder: string;
  readonly #folders = new Set<string>();
  readonly #inFlight = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Resolves after everything that `work` wrote is synced. */
  static async fill<Result>(folder: string, work: (files: NewFolder) => Promise<Result>): Promise<Result> {
    await mkdir(folder);
    const files = new NewFolder(folder);
    try {
      const result = await work(files);
      await files.#finish();
      return result;
    } catch (error) {
      await Promise.all(files.#inFlight);
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Reads all content. A write error may be reported by a later call. */
  async write(path: string, content: AsyncIterable<Uint8Array>, sizeBytes: number): Promise<void> {
    const file = join(this.#folder, path);
    await this.#makeFolder(dirname(path));
    if (sizeBytes > smallBytes) return writeNew(file, content);
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(chunk);
    await this.#inBackground(writeNew(file, [Buffer.concat(chunks)]));
  }

  async #inBackground(writing: Promise<void>): Promise<void> {
    const settled = writing
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#inFlight.delete(settled));
    this.#inFlight.add(settled);
    if (this.#inFlight.size >= maxInFlight) await Promise.race(this.#inFlight);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #makeFolder(path: string): Promise<void> {
    if (path === '.' || this.#folders.has(path)) return;
    await this.#makeFolder(dirname(path));
    await mkdir(join(this.#folder, path));
    this.#folders.add(path);
  }

  /** A file survives a power loss only if its folder is synced too. */
  async #finish(): Promise<void> {
    await this.#settle();
    for (const path of ['.', ...this.#folders])
      await this.#inBackground(syncFolder(join(this.#folder, path)));
    await this.#settle();
    await syncFolder(dirname(this.#folder));
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#inFlight);
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

async function writeNew(
  file: string,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  // Neither follows links nor overwrites files.
  const handle = await open(file, 'wx', 0o644);
  try {
    for await (const chunk of content) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
