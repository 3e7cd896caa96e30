/**
 * Objects as files in a folder. An object is written atomically: temporary file, fsync, rename, fsync of the
 * folder.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, fdatasync, type WriteStream } from 'node:fs';
import { access, chmod, constants, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ownerOnly } from '../../file-modes.ts';
import { checkBlobName, type BlobInfo, type Blobs } from '../../ports/blobs.ts';
import { Problem } from '../../problem.ts';
import { fileErrorReason } from '@docyard/site/disk';

export class FolderBlobs implements Blobs {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async putBytes(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<BlobInfo> {
    return this.putStream(name, Readable.from([bytes]), signal);
  }

  async putStream(name: string, stream: Readable, signal?: AbortSignal): Promise<BlobInfo> {
    // A stream may fail before the file is open; the pipeline then reports it.
    stream.once('error', () => {});
    return this.putFile(name, async (path) => {
      const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
      const flushed = (chunks: AsyncIterable<Uint8Array>) => flushedOnTheWay(chunks, file);
      await pipeline(stream, flushed, file, signal === undefined ? {} : { signal }).catch(
        async (error: unknown) => {
          // A pending open would create the file again after its removal.
          if (!file.closed) await once(file, 'close');
          throw error;
        },
      );
    });
  }

  async putFile(name: string, write: (path: string) => Promise<void>): Promise<BlobInfo> {
    const path = this.#path(name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      await write(temporary);
      await chmod(temporary, ownerOnly);
      const sizeBytes = await flush(temporary);
      await rename(temporary, path);
      await flush(dirname(path));
      await flush(dirname(dirname(path)));
      return { sizeBytes };
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async stat(name: string): Promise<BlobInfo | undefined> {
    const found = await stat(this.#path(name)).catch(() => undefined);
    return found?.isFile() ? { sizeBytes: found.size } : undefined;
  }

  read(name: string, range?: { start: number; end: number }): Readable {
    return createReadStream(this.#path(name), range === undefined ? {} : range);
  }

  async readBytes(name: string): Promise<Uint8Array> {
    return readFile(this.#path(name));
  }

  async removeAll(prefix: string): Promise<void> {
    await rm(this.#path(prefix.replace(/(?<!\/)\/+$/, '')), { recursive: true, force: true });
  }

  async *listOwners(): AsyncGenerator<{ owner: string; generations: string[] }> {
    const owners = await readdir(this.#root, { withFileTypes: true }).catch(() => []);
    for (const owner of owners) {
      // Links are not followed, because their targets may be foreign.
      const generations = owner.isDirectory()
        ? await readdir(join(this.#root, owner.name)).catch(() => [])
        : [];
      yield { owner: owner.name, generations };
    }
  }

  /** Only this server can serve files of its folder. */
  async link(): Promise<null> {
    return null;
  }

  async check(): Promise<void> {
    await access(this.#root, constants.R_OK | constants.W_OK).catch((error: NodeJS.ErrnoException) => {
      throw new Problem(
        'storage_unavailable',
        `The folder for bundles cannot be used: ${fileErrorReason(error)}.`,
        {
          headers: { 'retry-after': '5' },
          cause: error,
        },
      );
    });
  }

  #path(name: string): string {
    return join(this.#root, checkBlobName(name));
  }
}

const flushEveryBytes = 16 * 1024 ** 2;

/** Flushes while the stream is still being written, so that the final fsync is short. */
async function* flushedOnTheWay(
  chunks: AsyncIterable<Uint8Array>,
  file: WriteStream,
): AsyncGenerator<Uint8Array> {
  let unflushedBytes = 0;
  let flushing: Promise<void> | undefined;
  for await (const chunk of chunks) {
    yield chunk;
    unflushedBytes += chunk.length;
    const { fd } = file as { fd?: number | null };
    if (unflushedBytes < flushEveryBytes || flushing !== undefined || typeof fd !== 'number') continue;
    unflushedBytes = 0;
    // The final flush reports errors.
    flushing = new Promise<void>((resolve) => fdatasync(fd, () => resolve())).then(() => {
      flushing = undefined;
    });
  }
  // The caller closes the file next.
  await flushing;
}

async function flush(path: string): Promise<number> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}
