/**
 * Builds `bundle.tar.gz` so that the same files always give the same bytes, in whatever order they arrive: the entries that
 * describe the others first, the rest sorted by name, fixed times and modes. Content goes to a spool file first, so memory
 * does not grow with the site; packing then compresses blocks on all cores into one gzip stream (several gzip members would
 * be simpler, but browsers' DecompressionStream reads only the first). Compressed blocks may come from a cache.
 */
import { createHash, hash, type Hash } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync } from 'node:fs';
import { AppendedFile } from './appended-file.ts';
import {
  blockContent,
  BlockRoom,
  compressBlock,
  intoBlocks,
  rules,
  type Block,
  type BlockEntry,
  type BlockCache,
  type CompressedBlock,
  type Piece,
} from './archive-blocks.ts';
import { CompressedBlocks, spoolIsShorter } from './compressed-blocks.ts';
import { GzipStream } from './gzip-stream.ts';
import { BackgroundWork, inTurn } from './in-flight.ts';
import { LargeFile, largestPieceBytes } from './content-defined-chunks.ts';
import { manifestName, signatureName } from './manifest.ts';
import { openingBytes, pageTitle } from './page-title.ts';
import { endOfArchive } from './tar.ts';

export interface ArchivedFile {
  path: string;
  sizeBytes: number;
  sha256: string;
  /** Of a page, with its Markdown. */
  title?: string | undefined;
}

export interface PackedArchive {
  sizeBytes: number;
  fileCount: number;
}

interface Packing {
  /** Told the share that is done, 0 to 1. */
  onProgress?: (share: number) => void;
  /** Shown every byte, for whoever does not see them otherwise. */
  hash?: Hash | undefined;
}

interface Entry extends ArchivedFile, BlockEntry {
  /** In the spool. */
  offset: number;
  /** Where the pieces of a large one lie there, by where they begin. */
  pieceOffsets?: ReadonlyMap<number, number>;
}

export interface ArchiveOptions {
  /** The entries that a reader must have seen before it can judge the others. */
  first?: readonly string[];
  /** Blocks of earlier archives. */
  cache?: BlockCache | undefined;
}

const chunkBytes = 1024 * 1024;
/**
 * More than there are threads for them, so that none of those waits until this one has time to hand out the next: each block comes by
 * here twice, as Node compresses.
 */
const blocksInFlight = 8;

export class Archive {
  /** Removed at the end. */
  readonly #spoolFile: string | undefined;
  readonly #handle: number;
  readonly #spool: AppendedFile;
  readonly #entries = new Map<string, Entry>();
  /** All but the first, sorted, until another one comes. */
  #inOrder: Entry[] | undefined;
  readonly #first: readonly string[];
  readonly #compressedBlocks: CompressedBlocks;
  readonly #room = new BlockRoom();
  /** For large files, one after the other. */
  #cutting: Buffer | undefined;
  /** Undefined before anything is compressed ahead. */
  #ahead: BackgroundWork<Block<Entry>> | undefined;

  /** `spool` names a file that is made and removed again, or is one that is open and empty. */
  constructor(spool: string | number, { first = [manifestName, signatureName], cache }: ArchiveOptions = {}) {
    this.#spoolFile = typeof spool === 'string' ? spool : undefined;
    this.#first = first;
    this.#handle = typeof spool === 'string' ? openSync(spool, 'w+', 0o600) : spool;
    this.#spool = new AppendedFile(this.#handle, 0);
    this.#compressedBlocks = new CompressedBlocks(this.#spool, cache);
  }

  /** `sha256` is that of the content, if the caller knows it. */
  add(path: string, content: Uint8Array, sha256 = hash('sha256', content, 'hex')): void {
    const sizeBytes = content.length;
    if (sizeBytes > largestPieceBytes) return this.#record(path, [content]);
    const offset = this.#spool.append(content);
    this.#hold({ path, sizeBytes, sha256, offset, title: pageTitle(path, content) });
  }

  /** Each piece may be gone when the next one is asked for. */
  addPieces(path: string, pieces: Iterable<Uint8Array>): void {
    this.#record(path, pieces);
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

  /** Bytes that are no file of the archive, where whoever makes one can get them back. */
  setAside(bytes: Uint8Array): () => Uint8Array {
    const { length } = bytes;
    const offset = this.#spool.append(bytes);
    return () => {
      const found = Buffer.allocUnsafeSlow(length);
      this.#fromSpool(found, offset);
      return found;
    };
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
    const offset = this.#spool.sizeBytes;
    const sha256 = createHash('sha256');
    let opening: Uint8Array | undefined;
    let sizeBytes = 0;
    let large: LargeFile | undefined;
    return {
      append: (chunk: Uint8Array) => {
        sha256.update(chunk);
        if (large === undefined && sizeBytes + chunk.length > largestPieceBytes) {
          large = new LargeFile(path, rules, this.#piecePlaces());
          // What came before it was known to be large.
          if (sizeBytes > 0) large.add(this.#window(offset, sizeBytes));
        }
        opening ??= chunk;
        sizeBytes += chunk.length;
        if (large === undefined) this.#spool.append(chunk);
        else large.add(chunk);
      },
      end: () => {
        const { pieces, offsets } = large?.end() ?? {};
        const facts = { path, sizeBytes, sha256: sha256.digest('hex'), largePieces: pieces, offset };
        const entry = offsets === undefined ? facts : { ...facts, pieceOffsets: offsets };
        if (!path.endsWith('.md')) return this.#hold(entry);
        // Of several pieces the first may be gone by now; what came in pieces is the same as what came at once.
        const start = Math.min(sizeBytes, openingBytes);
        const whole = opening?.length === sizeBytes ? opening.subarray(0, start) : undefined;
        const title = pageTitle(path, whole ?? this.#window(offsets?.get(0) ?? offset, start));
        this.#hold({ ...entry, title });
      },
    };
  }

  #piecePlaces() {
    return {
      waiting: (this.#cutting ??= Buffer.allocUnsafeSlow(2 * largestPieceBytes)),
      put: (bytes: Uint8Array) => this.#spool.append(bytes),
    };
  }

  #hold(entry: Entry): void {
    this.#entries.set(entry.path, entry);
    // Its blocks are its own, whatever else comes.
    if (entry.largePieces) this.#ahead?.add(intoBlocks([entry]));
    if (!this.#first.includes(entry.path)) this.#inOrder = undefined;
  }

  /** Bytes of the spool, there until others are asked for. */
  #window(offset: number, length: number): Buffer {
    const taken = this.#room.take(length);
    const window = taken.subarray(0, length);
    this.#fromSpool(window, offset);
    this.#room.giveBack(taken);
    return window;
  }

  /** What the archive will hold, in its order. */
  list(): ArchivedFile[] {
    return this.#sorted().map(({ path, sizeBytes, sha256, title }) => ({ path, sizeBytes, sha256, title }));
  }

  /**
   * Begins to compress what is here while the rest is being made, as often as whoever makes it lets go. Which files share a
   * block is a guess until the last one is here; blocks that turn out otherwise are compressed again. Nothing may be added as
   * a stream from now on.
   */
  compressAhead(): void {
    if (this.#ahead) return;
    this.#ahead = new BackgroundWork(blocksInFlight, async (block) => {
      if (this.#compressedBlocks.has(block.key)) return;
      this.#compressedBlocks.setAside(block.key, await this.#compressed(block));
    });
    this.#ahead.add(intoBlocks(this.#sorted()));
  }

  /** Writes the archive to an open file or pipe. */
  async pack(output: number, { onProgress, hash: ofAll }: Packing = {}): Promise<PackedArchive> {
    if (this.#ahead) await this.#ahead.stop();
    const sorted = this.#sorted();
    const totalBytes = sorted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const blocks = [...intoBlocks(sorted)];
    const stream = new GzipStream(output, ofAll);
    try {
      await this.#writeBlocks(stream, blocks, (share) =>
        onProgress?.(Math.min(1, share / Math.max(1, totalBytes))),
      );
      await stream.add(await compressBlock(Buffer.from(endOfArchive), true));
      return { ...(await stream.end()), fileCount: this.#entries.size };
    } finally {
      // Whoever has opened the output may close it now.
      await stream.settled();
    }
  }

  /** Blocks are compressed ahead of their turn; `onWritten` receives the bytes that are done. */
  async #writeBlocks(
    stream: GzipStream,
    blocks: readonly Block<Entry>[],
    onWritten: (rawBytes: number) => void,
  ): Promise<void> {
    const missing = blocks.filter(({ key }) => !this.#compressedBlocks.has(key));
    const isMissing = new Set(missing);
    const compressed = inTurn(missing, blocksInFlight, (block) => this.#compressed(block));
    for (const block of blocks) {
      const found = isMissing.has(block) ? await compressed() : this.#compressedBlocks.get(block.key);
      await stream.add(found ?? (await this.#compressed(block)));
      onWritten(stream.rawBytes);
    }
  }

  async #compressed(block: Block<Entry>): Promise<CompressedBlock> {
    const fill = (target: Buffer, piece: Piece<Entry>): void => this.#fill(target, piece);
    const { content, taken } = blockContent(block, fill, this.#room);
    const compressed = await compressBlock(content);
    this.#room.giveBack(taken);
    this.#compressedBlocks.put(block.key, compressed);
    return compressed;
  }

  #fill(target: Buffer, { entry, start }: Piece<Entry>): void {
    this.#fromSpool(target, entry.pieceOffsets?.get(start) ?? entry.offset + start);
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
    this.#inOrder ??= sortedByName(
      [...this.#entries.values()].filter(({ path }) => !this.#first.includes(path)),
    );
    return [...first, ...this.#inOrder];
  }
}

/** By the bytes of the names. For plain ones that is the order of the text, which is compared ten times as fast. */
function sortedByName(entries: Entry[]): Entry[] {
  if (entries.every(({ path }) => /^[\x20-\x7e]*$/.test(path)))
    return entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return entries
    .map((entry) => ({ entry, name: Buffer.from(entry.path) }))
    .toSorted((a, b) => Buffer.compare(a.name, b.name))
    .map(({ entry }) => entry);
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
