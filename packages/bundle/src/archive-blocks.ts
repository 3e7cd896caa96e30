/**
 * Cuts the entries of an archive into blocks that are compressed apart from each other, on all cores, and make one gzip
 * stream together. Where a block ends depends on the names and sizes in it alone, so an edit leaves the blocks around it as
 * they were: what was compressed once can be used again.
 */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';
import type { LargePiece } from './content-defined-chunks.ts';
import { entryHeader, paddingBytes } from './tar.ts';

export interface BlockEntry {
  path: string;
  sizeBytes: number;
  sha256: string;
  /** Of one that is larger than a block. */
  largePieces?: readonly LargePiece[] | undefined;
}

/** A part of an entry: all of a small one, or so many bytes of a large one. */
export interface Piece<Entry extends BlockEntry> {
  entry: Entry;
  start: number;
  end: number;
}

export interface Block<Entry extends BlockEntry> {
  /** Says everything that decides about its bytes. */
  key: string;
  pieces: Piece<Entry>[];
}

/** Blocks that were compressed for earlier archives, by key. */
export interface BlockCache {
  has(key: string): boolean;
  get(key: string): Uint8Array | undefined;
  put(key: string, ...parts: readonly Uint8Array[]): void;
}

export interface CompressedBlock {
  checksum: number;
  rawBytes: number;
  bytes: Uint8Array;
}

const fullBlockBytes = 1024 * 1024;
/** A block may end after a name of this kind, every sixteenth, once it is worth compressing by itself. */
const leastBlockBytes = 128 * 1024;
/**
 * 70 MB of 1,000 pages: level 1 takes 0.56 s of a processor and leaves 15.1 MB, level 3 0.57 s and 14.1, level 6 1.08 s
 * and 12.5. One stream without blocks is not smaller.
 */
const compressionLevel = 3;

/** Goes into every key: what was kept before a change of the rules is not found any more. */
export const rules = `deflate ${compressionLevel}`;

const deflate = promisify(deflateRaw as (data: Buffer, options: object, done: DeflateDone) => void);
type DeflateDone = (error: Error | null, result: Buffer) => void;

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
    if (bytes < leastBlockBytes || crc32(entry.path) % 16 !== 0) continue;
    yield { key: keyOf(pieces), pieces };
    pieces = [];
    bytes = 0;
  }
  if (pieces.length > 0) yield { key: keyOf(pieces), pieces };
}

function keyOf(pieces: readonly Piece<BlockEntry>[]): string {
  // At once: told of one file after the other, it takes a third longer.
  let text = rules;
  for (const { entry, start, end } of pieces)
    text += `\n${entry.path}\0${entry.sha256}\0${entry.sizeBytes}\0${start}\0${end}`;
  return `block:${hash('sha256', text).slice(0, 40)}`;
}

/** What a piece takes in the archive before its content: its header, if it is the first of its entry. */
function openingOf({ entry, start }: Piece<BlockEntry>): Uint8Array {
  return start === 0 ? entryHeader(entry.path, entry.sizeBytes) : nothing;
}

const nothing = new Uint8Array();

/**
 * Memory for blocks on their way, used again and again: of 10,000 pages they have 510 MB, compressed 144, and all that coming
 * and going makes V8 go through its heap once every 30 MB.
 */
export class BlockRoom {
  readonly #free: Buffer[] = [];

  take(bytes: number): Buffer {
    const found = this.#free.pop();
    return found && found.length >= bytes ? found : Buffer.allocUnsafeSlow(Math.max(bytes, usualRoomBytes));
  }

  giveBack(room: Buffer): void {
    this.#free.push(room);
  }
}

/** Of a full block with the headers of what is in it. */
const usualRoomBytes = fullBlockBytes + 256 * 1024;

/**
 * The block as it stands in the archive, uncompressed. `fill` puts the content of a piece where it belongs. What `room` gives
 * is to be given back.
 */
export function blockContent<Entry extends BlockEntry>(
  { pieces }: Block<Entry>,
  fill: (target: Buffer, piece: Piece<Entry>) => void,
  room: BlockRoom,
): { content: Buffer; taken: Buffer } {
  const parts = pieces.map((piece) => {
    const [opening, contentBytes] = [openingOf(piece), piece.end - piece.start];
    const endBytes = piece.end === piece.entry.sizeBytes ? paddingBytes(piece.entry.sizeBytes) : 0;
    return { piece, opening, contentBytes, endBytes };
  });
  const size = parts.reduce((sum, part) => sum + part.opening.length + part.contentBytes + part.endBytes, 0);
  const taken = room.take(size);
  const block = taken.subarray(0, size);
  let at = 0;
  for (const { piece, opening, contentBytes, endBytes } of parts) {
    block.set(opening, at);
    at += opening.length;
    fill(block.subarray(at, at + contentBytes), piece);
    at += contentBytes;
    block.fill(0, at, at + endBytes);
    at += endBytes;
  }
  return { content: block, taken };
}

/** What pages become: a fifth, seldom more than a third. */
const expectedShare = 1 / 3;
const leastChunkBytes = 16 * 1024;

/** `isLast` ends the stream. */
export async function compressBlock(raw: Buffer, isLast = false): Promise<CompressedBlock> {
  const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
  // Usually in one piece: Node would let each 16 kB that come out wait until this thread asks for more.
  const chunkSize = Math.max(leastChunkBytes, Math.ceil(raw.length * expectedShare));
  const bytes = await deflate(raw, { level: compressionLevel, finishFlush, chunkSize });
  return { checksum: crc32(raw), rawBytes: raw.length, bytes };
}

const headBytes = 8;

export function putBlock(cache: BlockCache, key: string, block: CompressedBlock): void {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(block.checksum, 0);
  head.writeUInt32LE(block.rawBytes, 4);
  cache.put(key, head, block.bytes);
}

export function getBlock(cache: BlockCache, key: string): CompressedBlock | undefined {
  const found = cache.get(key);
  if (found === undefined || found.length < headBytes) return undefined;
  const head = Buffer.from(found.buffer, found.byteOffset, headBytes);
  return {
    checksum: head.readUInt32LE(0),
    rawBytes: head.readUInt32LE(4),
    bytes: found.subarray(headBytes),
  };
}

/**
 * The checksum of two texts one after the other, from the checksums of both: that of the first is carried over as many zero
 * bytes as the second has, a power of two of them at a time.
 */
export function joinedChecksum(first: number, second: number, secondBytes: number): number {
  let checksum = first;
  for (let power = 0, left = secondBytes; left > 0; power += 1, left = Math.floor(left / 2))
    if (left % 2 === 1) checksum = times(overZeroBytes(power), checksum);
  return (checksum ^ second) >>> 0;
}

/** What two to the power of so many zero bytes do to a checksum; made once, since an archive has blocks by the hundred. */
function overZeroBytes(power: number): Uint32Array {
  const known = overZeros[power];
  if (known) return known;
  const made = power === 0 ? squared(squared(squared(oneBit()))) : squared(overZeroBytes(power - 1));
  overZeros[power] = made;
  return made;
}

const overZeros: Uint32Array[] = [];

/** As a matrix over two elements, a number for each column. */
function oneBit(): Uint32Array {
  const columns = new Uint32Array(32);
  columns[0] = 0xedb88320;
  for (let bit = 1; bit < 32; bit += 1) columns[bit] = 2 ** (bit - 1);
  return columns;
}

function squared(columns: Uint32Array): Uint32Array {
  return columns.map((column) => times(columns, column));
}

function times(columns: Uint32Array, vector: number): number {
  let product = 0;
  for (let bit = 0, rest = vector; rest !== 0; bit += 1, rest >>>= 1)
    if (rest & 1) product ^= columns[bit] ?? 0;
  return product >>> 0;
}
