/**
 * Splits the entries of an archive into blocks that are compressed independently and together form one gzip
 * stream. Block boundaries depend only on names and sizes, so an edit leaves the other blocks unchanged and
 * reusable.
 */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import type { AppendedFile } from './appended-file.ts';
import type { LargePiece } from './content-defined-chunks.ts';
import { entryHeader, paddingBytes } from './tar.ts';

export interface BlockEntry {
  path: string;
  sizeBytes: number;
  sha256: string;
  /** Of an entry that is larger than a block. */
  largePieces?: readonly LargePiece[] | undefined;
}

/** A part of an entry: all of a small one, or a range of a large one. */
export interface Piece<Entry extends BlockEntry> {
  entry: Entry;
  start: number;
  end: number;
}

export interface Block<Entry extends BlockEntry> {
  /** Identifies the bytes of the block. */
  key: string;
  pieces: Piece<Entry>[];
}

/** Compressed blocks of earlier archives, by key. */
export interface BlockCache {
  /** Keeps a block for the next archive. Returns its size. */
  keep(key: string): number | undefined;
  get(key: string): Uint8Array | undefined;
  put(key: string, ...parts: readonly Uint8Array[]): void;
}

export interface CompressedBlock {
  checksum: number;
  rawBytes: number;
  bytes: Uint8Array;
}

const fullBlockBytes = 1024 * 1024;
/** A block above this size may end after a name whose checksum is divisible by sixteen. */
const minBlockBytes = 128 * 1024;
/** Higher levels take much more time for a little less size. */
const compressionLevel = 3;

/** Part of every key, so that a change of the rules invalidates cached blocks. */
export const rules = `deflate ${compressionLevel}`;

const deflate = promisify(deflateRaw as (data: Buffer, options: object, done: DeflateDone) => void);
type DeflateDone = (error: Error | null, result: Buffer) => void;

/**
 * The order of an archive: by the bytes of the names, which are distinct. JavaScript compares UTF-16 code units,
 * which is faster and has the same order for ASCII names.
 */
export function inByteOrder<File extends { path: string }>(files: readonly File[]): File[] {
  if (files.every(({ path }) => /^[\x20-\x7e]*$/.test(path)))
    return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return files
    .map((file) => ({ file, name: Buffer.from(file.path) }))
    .toSorted((a, b) => Buffer.compare(a.name, b.name))
    .map(({ file }) => file);
}

/** Entries in the order of the archive. */
export function* intoBlocks<Entry extends BlockEntry>(entries: Iterable<Entry>): Generator<Block<Entry>> {
  let pieces: Piece<Entry>[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const { sizeBytes } = entry;
    if (bytes + sizeBytes > fullBlockBytes && pieces.length > 0) {
      yield { key: keyOf(pieces), pieces };
      pieces = [];
      bytes = 0;
    }
    if (entry.largePieces) {
      let start = 0;
      for (const { end, key } of entry.largePieces) {
        yield { key, pieces: [{ entry, start, end }] };
        start = end;
      }
      continue;
    }
    pieces.push({ entry, start: 0, end: sizeBytes });
    bytes += sizeBytes;
    if (bytes < minBlockBytes || crc32(entry.path) % 16 !== 0) continue;
    yield { key: keyOf(pieces), pieces };
    pieces = [];
    bytes = 0;
  }
  if (pieces.length > 0) yield { key: keyOf(pieces), pieces };
}

function keyOf(pieces: readonly Piece<BlockEntry>[]): string {
  // One hash call is faster than an update per file.
  let text = rules;
  for (const { entry, start, end } of pieces)
    text += `\n${entry.path}\0${entry.sha256}\0${entry.sizeBytes}\0${start}\0${end}`;
  return `block:${hash('sha256', text).slice(0, 40)}`;
}

/** The header precedes only the first piece of an entry. */
function headerOf({ entry, start }: Piece<BlockEntry>): Uint8Array {
  return start === 0 ? entryHeader(entry.path, entry.sizeBytes) : noBytes;
}

const noBytes = new Uint8Array();

/** Reuses buffers, because allocating one per block would trigger garbage collection often. */
export class BufferPool {
  readonly #free: Buffer[] = [];

  take(bytes: number): Buffer {
    const found = this.#free.pop();
    return found && found.length >= bytes ? found : Buffer.allocUnsafeSlow(Math.max(bytes, usualBufferBytes));
  }

  giveBack(buffer: Buffer): void {
    this.#free.push(buffer);
  }
}

/** A full block with its headers. */
const usualBufferBytes = fullBlockBytes + 256 * 1024;

/** The uncompressed block. `fill` writes the content of a piece. Give `taken` back to the pool. */
export function blockContent<Entry extends BlockEntry>(
  { pieces }: Block<Entry>,
  fill: (target: Buffer, piece: Piece<Entry>) => void,
  pool: BufferPool,
): { content: Buffer; taken: Buffer } {
  const parts = pieces.map((piece) => {
    const [header, contentBytes] = [headerOf(piece), piece.end - piece.start];
    const endBytes = piece.end === piece.entry.sizeBytes ? paddingBytes(piece.entry.sizeBytes) : 0;
    return { piece, header, contentBytes, endBytes };
  });
  const size = parts.reduce((sum, part) => sum + part.header.length + part.contentBytes + part.endBytes, 0);
  const taken = pool.take(size);
  const block = taken.subarray(0, size);
  let at = 0;
  for (const { piece, header, contentBytes, endBytes } of parts) {
    block.set(header, at);
    at += header.length;
    fill(block.subarray(at, at + contentBytes), piece);
    at += contentBytes;
    block.fill(0, at, at + endBytes);
    at += endBytes;
  }
  return { content: block, taken };
}

/** Pages usually compress to less than this share. */
const expectedShare = 1 / 3;
const minChunkBytes = 16 * 1024;

export async function compressBlock(raw: Buffer, isLast = false): Promise<CompressedBlock> {
  const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
  // One output chunk: Node would otherwise wait for this thread after every default-sized chunk.
  const chunkSize = Math.max(minChunkBytes, Math.ceil(raw.length * expectedShare));
  const bytes = await deflate(raw, { level: compressionLevel, finishFlush, chunkSize });
  return { checksum: crc32(raw), rawBytes: raw.length, bytes };
}

export const spoolIsShorter = 'The spool file was truncated.';

interface SpooledBlock extends Omit<CompressedBlock, 'bytes'> {
  offset: number;
  length: number;
}

/** Compressed blocks by key: in the cache, or in the spool when there is none. */
export class CompressedBlocks {
  readonly #spool: AppendedFile;
  readonly #cache: BlockCache | undefined;
  readonly #spooled = new Map<string, SpooledBlock>();

  constructor(spool: AppendedFile, cache: BlockCache | undefined) {
    this.#spool = spool;
    this.#cache = cache;
  }

  has(key: string): boolean {
    return this.#spooled.has(key) || this.#cache?.keep(key) !== undefined;
  }

  put(key: string, block: CompressedBlock): void {
    if (this.#cache) return putBlock(this.#cache, key, block);
    const { checksum, rawBytes, bytes } = block;
    const offset = this.#spool.append(bytes);
    this.#spooled.set(key, { checksum, rawBytes, offset, length: bytes.length });
  }

  get(key: string): CompressedBlock | undefined {
    const spooled = this.#spooled.get(key);
    if (!spooled) return this.#cache && getBlock(this.#cache, key);
    const { checksum, rawBytes, offset, length } = spooled;
    const bytes = Buffer.allocUnsafe(length);
    if (!this.#spool.read(bytes, offset)) throw new Error(spoolIsShorter);
    return { checksum, rawBytes, bytes };
  }
}

const headBytes = 8;

function putBlock(cache: BlockCache, key: string, block: CompressedBlock): void {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(block.checksum, 0);
  head.writeUInt32LE(block.rawBytes, 4);
  cache.put(key, head, block.bytes);
}

function getBlock(cache: BlockCache, key: string): CompressedBlock | undefined {
  const found = cache.get(key);
  if (found === undefined || found.length < headBytes) return undefined;
  const head = Buffer.from(found.buffer, found.byteOffset, headBytes);
  return {
    checksum: head.readUInt32LE(0),
    rawBytes: head.readUInt32LE(4),
    bytes: found.subarray(headBytes),
  };
}

/** Combines the CRC-32 of two byte sequences, like `crc32_combine` of zlib. */
export function combineChecksums(first: number, second: number, secondBytes: number): number {
  let checksum = first;
  for (let power = 0, left = secondBytes; left > 0; power += 1, left = Math.floor(left / 2))
    if (left % 2 === 1) checksum = multiply(zeroBytesOperator(power), checksum);
  return (checksum ^ second) >>> 0;
}

/** The CRC operator for 2^power zero bytes, cached. */
function zeroBytesOperator(power: number): Uint32Array {
  const known = operators[power];
  if (known) return known;
  const operator =
    power === 0 ? square(square(square(zeroBitOperator()))) : square(zeroBytesOperator(power - 1));
  operators[power] = operator;
  return operator;
}

const operators: Uint32Array[] = [];

/** A matrix over GF(2), one number per column. */
function zeroBitOperator(): Uint32Array {
  const columns = new Uint32Array(32);
  columns[0] = 0xedb88320;
  for (let bit = 1; bit < 32; bit += 1) columns[bit] = 2 ** (bit - 1);
  return columns;
}

function square(columns: Uint32Array): Uint32Array {
  return columns.map((column) => multiply(columns, column));
}

function multiply(columns: Uint32Array, vector: number): number {
  let product = 0;
  for (let bit = 0, rest = vector; rest !== 0; bit += 1, rest >>>= 1)
    if (rest & 1) product ^= columns[bit] ?? 0;
  return product >>> 0;
}
