/**
 * A folder that is being filled: it appears with the first file, every byte of it is on the disk at the end, and it is gone
 * when anything goes wrong. It trusts the names it is given: `names.ts` has looked at them.
 */
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Files up to this size are held in memory, so that several can wait for the disk at the same time. */
const smallBytes = 256 * 1024;
const mostInFlight = 16;

export class NewFolder {
  readonly #folder: string;
  readonly #folders = new Set<string>();
  readonly #inFlight = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Resolves with what `work` does, once everything that it wrote is safe. */
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

  /** Reads the content to its end. A failure to write may show with a later file, or at the end. */
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
    if (this.#inFlight.size >= mostInFlight) await Promise.race(this.#inFlight);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #makeFolder(path: string): Promise<void> {
    if (path === '.' || this.#folders.has(path)) return;
    await this.#makeFolder(dirname(path));
    await mkdir(join(this.#folder, path));
    this.#folders.add(path);
  }

  /** A file is found again after a power cut only when its folder is on the disk too. */
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
  // Never through a link, and never over something that is there.
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
