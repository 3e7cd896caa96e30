/**
 * Writes `bundle.tar.gz`. The same files always yield the same bytes: sorted entries with fixed times and
 * modes. Content is spooled to a file, so that memory does not grow with the site. The archive is one gzip
 * stream, because DecompressionStream in browsers reads only the first member.
 */
import { createHash, hash, type Hash } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync } from 'node:fs';
import { AppendedFile } from './appended-file.ts';
import {
  blockContent,
  BufferPool,
  compressBlock,
  CompressedBlocks,
  inByteOrder,
  intoBlocks,
  rules,
  spoolIsShorter,
  type Block,
  type BlockEntry,
  type BlockCache,
  type CompressedBlock,
  type Piece,
} from './archive-blocks.ts';
import { GzipStream } from './gzip-stream.ts';
import { BackgroundWork, orderedResults } from './concurrency.ts';
import { LargeFile, maxPieceBytes } from './content-defined-chunks.ts';
import { manifestName, signatureName } from './manifest.ts';
import { openingBytes, pageTitle } from './page-title.ts';
import { endOfArchive } from './tar.ts';

export interface ArchivedFile {
  path: string;
  sizeBytes: number;
  sha256: string;
  /** Title of a page, also for its Markdown. */
  title?: string | undefined;
}

export interface PackedArchive {
  sizeBytes: number;
  fileCount: number;
}

interface Packing {
  /** Called with the completed share, from 0 to 1. */
  onProgress?: (share: number) => void;
  /** Updated with every byte of the archive. */
  hash?: Hash | undefined;
}

export interface FileContent {
  sizeBytes: number;
  sha256: string;
  /** Content in memory is copied to the spool; other content is read when it is packed. */
  isInMemory: boolean;
  read(): Uint8Array;
}

interface Entry extends ArchivedFile, BlockEntry {
  /** Position in the spool. */
  offset?: number;
  /** Reads a file that is not in the spool. */
  read?: () => Uint8Array;
  /** Positions of the pieces of a large file in the spool, by their start in the file. */
  pieceOffsets?: ReadonlyMap<number, number>;
}

export interface ArchiveOptions {
  /** Entries that a reader needs before the others. */
  first?: readonly string[];
  /** Blocks of earlier archives. */
  cache?: BlockCache | undefined;
}

const chunkBytes = 1024 * 1024;
/** More than there are threads, so that no thread waits for the next block. */
const blocksInFlight = 8;

export class Archive {
  /** Removed by `close`. */
  readonly #spoolFile: string | undefined;
  readonly #handle: number;
  readonly #spool: AppendedFile;
  readonly #entries = new Map<string, Entry>();
  /** All but the first entries, sorted; undefined after an addition. */
  #sortedRest: Entry[] | undefined;
  readonly #first: readonly string[];
  readonly #compressedBlocks: CompressedBlocks;
  readonly #hasCache: boolean;
  readonly #pool = new BufferPool();
  /** A buffer for splitting large files. */
  #splitBuffer: Buffer | undefined;
  /** Undefined until `compressAhead`. */
  #ahead: BackgroundWork<Block<Entry>> | undefined;

  /** `spool` is the name of a file to create and remove, or an open empty file. */
  constructor(spool: string | number, { first = [manifestName, signatureName], cache }: ArchiveOptions = {}) {
    this.#spoolFile = typeof spool === 'string' ? spool : undefined;
    this.#first = first;
    this.#handle = typeof spool === 'string' ? openSync(spool, 'w+', 0o600) : spool;
    this.#spool = new AppendedFile(this.#handle, 0);
    this.#compressedBlocks = new CompressedBlocks(this.#spool, cache);
    this.#hasCache = cache !== undefined;
  }

  /** `sha256` is the hash of the content, if the caller knows it. */
  add(path: string, content: Uint8Array, sha256 = hash('sha256', content, 'hex')): void {
    const sizeBytes = content.length;
    if (sizeBytes > maxPieceBytes) return this.#addChunks(path, [content]);
    const offset = this.#spool.append(content);
    this.#register({ path, sizeBytes, sha256, offset, title: pageTitle(path, content) });
  }

  addContent(path: string, { sizeBytes, sha256, isInMemory, read }: FileContent): void {
    if (isInMemory || sizeBytes > maxPieceBytes) return this.add(path, read(), sha256);
    const title = path.endsWith('.md') ? pageTitle(path, read()) : undefined;
    this.#register({ path, sizeBytes, sha256, read, title });
  }

  /** A piece may be overwritten when the next one is requested. */
  addPieces(path: string, pieces: Iterable<Uint8Array>): void {
    this.#addChunks(path, pieces);
  }

  /** Copies a file without loading it into memory. */
  addFile(path: string, file: string): void {
    const handle = openSync(file, 'r');
    try {
      this.#addChunks(path, readWhole(handle));
    } finally {
      closeSync(handle);
    }
  }

  /** Stores bytes in the spool that are not part of the archive. Returns a function that reads them. */
  setAside(bytes: Uint8Array): () => Uint8Array {
    const { length } = bytes;
    const offset = this.#spool.append(bytes);
    return () => {
      const found = Buffer.allocUnsafeSlow(length);
      this.#fromSpool(found, offset);
      return found;
    };
  }

  #addChunks(path: string, chunks: Iterable<Uint8Array>): void {
    const entry = this.#openEntry(path);
    for (const chunk of chunks) entry.append(chunk);
    entry.end();
  }

  /** One at a time, because the spool is one file. */
  async addStream(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const entry = this.#openEntry(path);
    for await (const chunk of chunks) entry.append(chunk);
    entry.end();
  }

  #openEntry(path: string) {
    const offset = this.#spool.sizeBytes;
    const sha256 = createHash('sha256');
    let firstChunk: Uint8Array | undefined;
    let sizeBytes = 0;
    let large: LargeFile | undefined;
    return {
      append: (chunk: Uint8Array) => {
        sha256.update(chunk);
        if (large === undefined && sizeBytes + chunk.length > maxPieceBytes) {
          large = new LargeFile(path, rules, this.#pieceStorage());
          // The part that was spooled before the file was known to be large.
          if (sizeBytes > 0) large.add(this.#window(offset, sizeBytes));
        }
        firstChunk ??= chunk;
        sizeBytes += chunk.length;
        if (large === undefined) this.#spool.append(chunk);
        else large.add(chunk);
      },
      end: () => {
        const { pieces, offsets } = large?.end() ?? {};
        const facts = { path, sizeBytes, sha256: sha256.digest('hex'), largePieces: pieces, offset };
        const entry = offsets === undefined ? facts : { ...facts, pieceOffsets: offsets };
        if (!path.endsWith('.md')) return this.#register(entry);
        // The first chunk may be overwritten by now, so the title is read from the spool.
        const start = Math.min(sizeBytes, openingBytes);
        const whole = firstChunk?.length === sizeBytes ? firstChunk.subarray(0, start) : undefined;
        const title = pageTitle(path, whole ?? this.#window(offsets?.get(0) ?? offset, start));
        this.#register({ ...entry, title });
      },
    };
  }

  #pieceStorage() {
    return {
      buffer: (this.#splitBuffer ??= Buffer.allocUnsafeSlow(2 * maxPieceBytes)),
      put: (bytes: Uint8Array) => this.#spool.append(bytes),
    };
  }

  #register(entry: Entry): void {
    this.#entries.set(entry.path, entry);
    // A large file never shares blocks with others.
    if (entry.largePieces) this.#ahead?.add(intoBlocks([entry]));
    if (!this.#first.includes(entry.path)) this.#sortedRest = undefined;
  }

  /** Bytes of the spool, valid until the next call. */
  #window(offset: number, length: number): Buffer {
    const taken = this.#pool.take(length);
    const window = taken.subarray(0, length);
    this.#fromSpool(window, offset);
    this.#pool.giveBack(taken);
    return window;
  }

  /** In the order of the archive. */
  list(): ArchivedFile[] {
    return this.#sorted().map(({ path, sizeBytes, sha256, title }) => ({ path, sizeBytes, sha256, title }));
  }

  /**
   * Starts to compress while the rest is being rendered. The division into blocks is a guess until the last
   * file; blocks that change are compressed again. No streams may be added afterwards.
   */
  compressAhead(): void {
    if (this.#ahead) return;
    this.#ahead = new BackgroundWork(blocksInFlight, async (block) => {
      if (this.#compressedBlocks.has(block.key)) return;
      await this.#compress(block, { isKept: true });
    });
    this.#ahead.add(intoBlocks(this.#sorted()));
  }

  async pack(output: number, { onProgress, hash: archiveHash }: Packing = {}): Promise<PackedArchive> {
    if (this.#ahead) await this.#ahead.stop();
    const sorted = this.#sorted();
    const totalBytes = sorted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const blocks = [...intoBlocks(sorted)];
    const stream = new GzipStream(output, archiveHash);
    try {
      await this.#writeBlocks(stream, blocks, (share) =>
        onProgress?.(Math.min(1, share / Math.max(1, totalBytes))),
      );
      await stream.add(await compressBlock(Buffer.from(endOfArchive), true));
      return { ...(await stream.end()), fileCount: this.#entries.size };
    } finally {
      // The caller may close the output afterwards.
      await stream.settled();
    }
  }

  /** Compresses several blocks ahead. `onWritten` receives the number of uncompressed bytes. */
  async #writeBlocks(
    stream: GzipStream,
    blocks: readonly Block<Entry>[],
    onWritten: (rawBytes: number) => void,
  ): Promise<void> {
    const missing = blocks.filter(({ key }) => !this.#compressedBlocks.has(key));
    const isMissing = new Set(missing);
    const compress = (block: Block<Entry>) => this.#compress(block, { isKept: this.#hasCache });
    const compressed = orderedResults(missing, blocksInFlight, compress);
    for (const block of blocks) {
      const found = isMissing.has(block) ? await compressed() : this.#compressedBlocks.get(block.key);
      await stream.add(found ?? (await compress(block)));
      onWritten(stream.rawBytes);
    }
  }

  async #compress(block: Block<Entry>, { isKept }: { isKept: boolean }): Promise<CompressedBlock> {
    const fill = (target: Buffer, piece: Piece<Entry>): void => this.#fill(target, piece);
    const { content, taken } = blockContent(block, fill, this.#pool);
    const compressed = await compressBlock(content);
    this.#pool.giveBack(taken);
    if (isKept) this.#compressedBlocks.put(block.key, compressed);
    return compressed;
  }

  #fill(target: Buffer, { entry, start }: Piece<Entry>): void {
    const { read, pieceOffsets, offset = 0 } = entry;
    if (read) target.set(read());
    else this.#fromSpool(target, pieceOffsets?.get(start) ?? offset + start);
  }

  #fromSpool(target: Buffer, offset: number): void {
    if (!this.#spool.read(target, offset)) throw new Error(spoolIsShorter);
  }

  close(): void {
    closeSync(this.#handle);
    if (this.#spoolFile !== undefined) unlinkSync(this.#spoolFile);
  }

  #sorted(): Entry[] {
    const first = this.#first.flatMap((path) => this.#entries.get(path) ?? []);
    this.#sortedRest ??= inByteOrder(
      [...this.#entries.values()].filter(({ path }) => !this.#first.includes(path)),
    );
    return [...first, ...this.#sortedRest];
  }
}

function* readWhole(handle: number): Generator<Uint8Array> {
  for (let position = 0; ;) {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    const got = readSync(handle, buffer, 0, buffer.length, position);
    if (got === 0) return;
    position += got;
    yield buffer.subarray(0, got);
  }
}
