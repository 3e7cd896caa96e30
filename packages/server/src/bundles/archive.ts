/**
 * Builds `bundle.tar.gz` so that the same files always give the same bytes, in whatever order they arrive:
 * the entries that describe the others first, the rest sorted by name, fixed times and modes. Content goes to a spool file first, so memory does not grow with
 * the site; packing then compresses blocks on all cores into one gzip stream (several gzip members would be
 * simpler, but browsers' DecompressionStream reads only the first).
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, writeSync, unlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import { manifestName, signatureName } from './manifest.ts';
import { openingBytes, pageTitle } from './page-title.ts';
import { endOfArchive, entryHeader, entryPadding } from './tar.ts';

export interface ArchivedFile {
  path: string;
  sizeBytes: number;
  sha256: string;
  /** Of a page, with its Markdown. */
  title?: string | undefined;
}

export interface PackedArchive {
  sizeBytes: number;
  sha256: string;
  fileCount: number;
}

const blockBytes = 1024 * 1024;
const windowBytes = 32 * 1024;
const blocksInFlight = 4;
const compressionLevel = 6;
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

const deflate = promisify(deflateRaw as (data: Buffer, options: object, done: DeflateDone) => void);
type DeflateDone = (error: Error | null, result: Buffer) => void;

export class Archive {
  /** Removed at the end. */
  readonly #spoolFile: string | undefined;
  readonly #spool: number;
  readonly #entries = new Map<string, ArchivedFile & { offset: number }>();
  readonly #first: readonly string[];
  #spooledBytes = 0;

  /**
   * `spool` names a file that is made and removed again, or is one that is open and empty. `first` names the entries that a
   * reader must have seen before it can judge the others.
   */
  constructor(spool: string | number, first: readonly string[] = [manifestName, signatureName]) {
    this.#spoolFile = typeof spool === 'string' ? spool : undefined;
    this.#first = first;
    this.#spool = typeof spool === 'string' ? openSync(spool, 'w+', 0o600) : spool;
  }

  add(path: string, content: Uint8Array): void {
    this.#record(path, [content]);
  }

  /** Copies a file in without holding it in memory. */
  addFile(path: string, file: string): void {
    const handle = openSync(file, 'r');
    try {
      this.#record(path, readWhole(handle));
    } finally {
      closeSync(handle);
    }
  }

  #record(path: string, chunks: Iterable<Uint8Array>): void {
    const entry = this.#begin(path);
    for (const chunk of chunks) entry.append(chunk);
    entry.end();
  }

  /** One at a time: the spool is one file. */
  async addStream(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const entry = this.#begin(path);
    for await (const chunk of chunks) entry.append(chunk);
    entry.end();
  }

  #begin(path: string) {
    const offset = this.#spooledBytes;
    const hash = createHash('sha256');
    return {
      append: (chunk: Uint8Array) => {
        hash.update(chunk);
        writeFully(this.#spool, chunk);
        this.#spooledBytes += chunk.length;
      },
      end: () => {
        const sizeBytes = this.#spooledBytes - offset;
        this.#entries.set(path, { path, sizeBytes, sha256: hash.digest('hex'), offset });
      },
    };
  }

  /** What the archive will hold, in its order. */
  list(): ArchivedFile[] {
    return this.#sorted().map(({ path, sizeBytes, sha256, offset }) => {
      if (!path.endsWith('.md')) return { path, sizeBytes, sha256 };
      // From the spool: what came in pieces has the same title as what came at once.
      const opening = [...readRange(this.#spool, offset, Math.min(sizeBytes, openingBytes))];
      return { path, sizeBytes, sha256, title: pageTitle(path, Buffer.concat(opening)) };
    });
  }

  /** Writes the archive to an open file or pipe; `onProgress` is told the share that is done, 0 to 1. */
  async pack(output: number, onProgress: (share: number) => void = () => {}): Promise<PackedArchive> {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    let rawBytes = 0;
    let checksum = 0;
    const emit = (bytes: Uint8Array) => {
      writeFully(output, bytes);
      hash.update(bytes);
      sizeBytes += bytes.length;
    };
    emit(gzipHeader);
    const inFlight: Promise<Buffer>[] = [];
    let dictionary: Buffer | undefined;
    for (const { block, last } of intoBlocks(this.#tarStream(), blockBytes)) {
      checksum = crc32(block, checksum);
      rawBytes += block.length;
      inFlight.push(compress(block, last, dictionary));
      dictionary = block.subarray(-windowBytes);
      if (inFlight.length >= blocksInFlight) emit(await (inFlight.shift() as Promise<Buffer>));
      onProgress(Math.min(1, rawBytes / Math.max(1, this.#spooledBytes)));
    }
    for (const compressed of inFlight) emit(await compressed);
    emit(gzipTrailer(checksum, rawBytes));
    return { sizeBytes, sha256: hash.digest('hex'), fileCount: this.#entries.size };
  }

  close(): void {
    closeSync(this.#spool);
    if (this.#spoolFile !== undefined) unlinkSync(this.#spoolFile);
  }

  *#tarStream(): Generator<Uint8Array> {
    for (const entry of this.#sorted()) {
      yield entryHeader(entry.path, entry.sizeBytes);
      yield* readRange(this.#spool, entry.offset, entry.sizeBytes);
      yield entryPadding(entry.sizeBytes);
    }
    yield endOfArchive;
  }

  #sorted() {
    const place = ({ path }: ArchivedFile) => {
      const index = this.#first.indexOf(path);
      return index === -1 ? this.#first.length : index;
    };
    return [...this.#entries.values()].toSorted(
      (a, b) => place(a) - place(b) || Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)),
    );
  }
}

/** Each block may refer back to the end of the one before it, which the reader still has in its window. */
function compress(block: Buffer, last: boolean, dictionary: Buffer | undefined): Promise<Buffer> {
  return deflate(block, {
    level: compressionLevel,
    finishFlush: last ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
    ...(dictionary === undefined ? {} : { dictionary }),
  });
}

function* intoBlocks(
  chunks: Iterable<Uint8Array>,
  size: number,
): Generator<{ block: Buffer; last: boolean }> {
  let block = Buffer.allocUnsafe(size);
  let filled = 0;
  for (const chunk of chunks) {
    for (let taken = 0; taken < chunk.length;) {
      if (filled === size) {
        yield { block, last: false };
        block = Buffer.allocUnsafe(size);
        filled = 0;
      }
      const step = Math.min(size - filled, chunk.length - taken);
      block.set(chunk.subarray(taken, taken + step), filled);
      filled += step;
      taken += step;
    }
  }
  yield { block: block.subarray(0, filled), last: true };
}

function gzipTrailer(checksum: number, rawBytes: number): Buffer {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(rawBytes % 2 ** 32, 4);
  return trailer;
}

function* readWhole(handle: number): Generator<Uint8Array> {
  for (let position = 0; ;) {
    const buffer = Buffer.allocUnsafe(blockBytes);
    const got = readSync(handle, buffer, 0, buffer.length, position);
    if (got === 0) return;
    position += got;
    yield buffer.subarray(0, got);
  }
}

function* readRange(handle: number, offset: number, length: number): Generator<Uint8Array> {
  for (let done = 0; done < length;) {
    const buffer = Buffer.allocUnsafe(Math.min(blockBytes, length - done));
    const got = readSync(handle, buffer, 0, buffer.length, offset + done);
    if (got === 0) throw new Error('The spool file is shorter than it was.');
    done += got;
    yield buffer.subarray(0, got);
  }
}

function writeFully(handle: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(handle, bytes, done);
}
