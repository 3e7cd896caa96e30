/**
 * Writes compressed blocks as one gzip stream. Writes are asynchronous, so that the next blocks are prepared
 * meanwhile.
 */
import type { Hash } from 'node:crypto';
import { writev } from 'node:fs';
import { promisify } from 'node:util';
import { combineChecksums, type CompressedBlock } from './archive-blocks.ts';

const minWriteBytes = 256 * 1024;
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

export class GzipStream {
  readonly #output: number;
  readonly #hash: Hash | undefined;
  #checksum = 0;
  #sizeBytes = 0;
  rawBytes = 0;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #writing: Promise<void> = Promise.resolve();

  /** The hash is updated with every written byte. */
  constructor(output: number, hash?: Hash) {
    this.#output = output;
    this.#hash = hash;
    this.#append(gzipHeader);
  }

  async add({ checksum, rawBytes, bytes }: CompressedBlock): Promise<void> {
    this.#checksum = combineChecksums(this.#checksum, checksum, rawBytes);
    this.rawBytes += rawBytes;
    this.#append(bytes);
    if (this.#pendingBytes >= minWriteBytes) await this.#write();
  }

  async end(): Promise<{ sizeBytes: number }> {
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.#checksum, 0);
    trailer.writeUInt32LE(this.rawBytes % 2 ** 32, 4);
    this.#append(trailer);
    await this.#write();
    await this.#writing;
    return { sizeBytes: this.#sizeBytes };
  }

  /** Resolves when no write is pending, successful or not. */
  async settled(): Promise<void> {
    await this.#writing.catch(() => undefined);
  }

  #append(bytes: Uint8Array): void {
    this.#hash?.update(bytes);
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#sizeBytes += bytes.length;
  }

  /** Waits for the previous write only. */
  async #write(): Promise<void> {
    await this.#writing;
    this.#writing = writeAll(this.#output, this.#pending);
    // The next write awaits it and reports its failure.
    this.#writing.catch(() => undefined);
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}

const writeParts = promisify(writev);

async function writeAll(handle: number, parts: readonly Uint8Array[]): Promise<void> {
  for (let left = parts; left.length > 0;) {
    const { bytesWritten } = await writeParts(handle, left);
    left = withoutFirst(left, bytesWritten);
  }
}

function withoutFirst(parts: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let left = bytes;
  return parts.flatMap((part) => {
    const written = Math.min(left, part.length);
    left -= written;
    return written === part.length ? [] : [part.subarray(written)];
  });
}
