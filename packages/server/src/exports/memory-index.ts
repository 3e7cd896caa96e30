/**
 * Where the values of a memory file lie, written at its end, so that whoever opens it next need not read all of it: of 10,000
 * pages 250 MB. A file may have none, and what an index says is believed no further than that it lies in the file.
 */
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { readInto } from '../bundles/positioned-reads.ts';

export interface IndexedPlace {
  offset: number;
  length: number;
  checksum: number;
}

/** Where the index begins, its bytes, their checksum, and a word that no file ends with by chance. */
const footBytes = 28;
const word = Buffer.from('docyard1');
/** Of a key, which has one byte for its length. */
const mostKeyBytes = 255;
const numbersBytes = 16;
const mostIndexBytes = 256 * 1024 ** 2;
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** To be written at `begin`, where the last value ends. */
export function encodeIndex(places: Iterable<[key: string, place: IndexedPlace]>, begin: number): Buffer {
  const all = [...places];
  const entries = Buffer.allocUnsafe(all.length * (1 + mostKeyBytes + numbersBytes));
  let at = 0;
  for (const [key, { offset, length, checksum }] of all) {
    const nameBytes = entries.write(key, at + 1);
    entries.writeUInt8(nameBytes, at);
    at += 1 + nameBytes;
    entries.writeDoubleLE(offset, at);
    entries.writeUInt32LE(length, at + 8);
    entries.writeUInt32LE(checksum, at + 12);
    at += numbersBytes;
  }
  const packed = zstdCompressSync(entries.subarray(0, at), compression);
  const foot = Buffer.alloc(footBytes);
  foot.writeDoubleLE(begin, 0);
  foot.writeDoubleLE(packed.length, 8);
  foot.writeUInt32LE(crc32(packed), 16);
  word.copy(foot, 20);
  return Buffer.concat([packed, foot]);
}

/** Undefined when the file does not end with one. */
export function readIndex(
  handle: number,
  size: number,
): { places: [key: string, place: IndexedPlace][]; begin: number } | undefined {
  const foot = size < footBytes ? undefined : readAt(handle, size - footBytes, footBytes);
  if (foot === undefined || !foot.subarray(20).equals(word)) return undefined;
  const [begin, bytes] = [foot.readDoubleLE(0), foot.readDoubleLE(8)];
  if (!(begin >= 0 && bytes > 0) || begin + bytes + footBytes !== size) return undefined;
  const packed = bytes > mostIndexBytes ? undefined : readAt(handle, begin, bytes);
  if (packed === undefined || crc32(packed) !== foot.readUInt32LE(16)) return undefined;
  const entries = unpack(packed);
  return entries && { places: decode(entries, begin), begin };
}

function unpack(packed: Buffer): Buffer | undefined {
  try {
    return zstdDecompressSync(packed, { maxOutputLength: mostIndexBytes });
  } catch {
    return undefined;
  }
}

function decode(entries: Buffer, end: number): [string, IndexedPlace][] {
  const places: [string, IndexedPlace][] = [];
  for (let at = 0; at < entries.length;) {
    const numbers = at + 1 + entries.readUInt8(at);
    if (numbers + numbersBytes > entries.length) break;
    const key = entries.toString('utf8', at + 1, numbers);
    const offset = entries.readDoubleLE(numbers);
    const length = entries.readUInt32LE(numbers + 8);
    at = numbers + numbersBytes;
    if (!Number.isInteger(offset) || offset < 0 || offset + length > end) continue;
    places.push([key, { offset, length, checksum: entries.readUInt32LE(numbers + 12) }]);
  }
  return places;
}

/** Undefined when the file ends before. */
export function readAt(handle: number, position: number, length: number): Buffer | undefined {
  const buffer = Buffer.allocUnsafe(length);
  return readInto(buffer, handle, position) ? buffer : undefined;
}
