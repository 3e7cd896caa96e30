/**
 * The file that blocks of an archive make together: one gzip stream, with a checksum of everything. What is written goes
 * through another thread, so that the next blocks are got meanwhile.
 */
import type { Hash } from 'node:crypto';
import { writev } from 'node:fs';
import { promisify } from 'node:util';
import { joinedChecksum, type CompressedBlock } from './archive-blocks.ts';

/** Still in the cache of the processor: 144 MB take 0.28 s like this, and 0.36 with a megabyte each time. */
const leastWriteBytes = 256 * 1024;
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

export class GzipStream {
  readonly #output: number;
  readonly #hash: Hash | undefined;
  #checksum = 0;
  #sizeBytes = 0;
  rawBytes = 0;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> = Promise.resolve();

  /** A hash is shown all that is written. */
  constructor(output: number, hash?: Hash) {
    this.#output = output;
    this.#hash = hash;
    this.#take(gzipHeader);
  }

  async add({ checksum, rawBytes, bytes }: CompressedBlock): Promise<void> {
    this.#checksum = joinedChecksum(this.#checksum, checksum, rawBytes);
    this.rawBytes += rawBytes;
    this.#take(bytes);
    if (this.#waitingBytes >= leastWriteBytes) await this.#write();
  }

  async end(): Promise<{ sizeBytes: number }> {
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.#checksum, 0);
    trailer.writeUInt32LE(this.rawBytes % 2 ** 32, 4);
    this.#take(trailer);
    await this.#write();
    await this.#writing;
    return { sizeBytes: this.#sizeBytes };
  }

  /** Nothing is being written any more, however it ended. */
  async settled(): Promise<void> {
    await this.#writing.catch(() => undefined);
  }

  #take(bytes: Uint8Array): void {
    this.#hash?.update(bytes);
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#sizeBytes += bytes.length;
  }

  /** Waits for what was written before, not for this. */
  async #write(): Promise<void> {
    await this.#writing;
    this.#writing = writeAll(this.#output, this.#waiting);
    // The next write awaits it and reports its failure.
    this.#writing.catch(() => undefined);
    this.#waiting = [];
    this.#waitingBytes = 0;
  }
}

const writeAtOnce = promisify(writev);

async function writeAll(handle: number, parts: readonly Uint8Array[]): Promise<void> {
  for (let left = parts; left.length > 0;) {
    const { bytesWritten } = await writeAtOnce(handle, left);
    left = withoutFirst(left, bytesWritten);
  }
}

function withoutFirst(parts: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let left = bytes;
  return parts.flatMap((part) => {
    const gone = Math.min(left, part.length);
    left -= gone;
    return gone === part.length ? [] : [part.subarray(gone)];
  });
}
