/** The index at the end of a cache file: where each value lies. A file without one is read through. */
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { readInto } from '@docyard/bundle';

export interface IndexedPlace {
  offset: number;
  length: number;
  checksum: number;
}

/** Where the index begins, its bytes, their checksum, how many values it tells of, and a word that no file ends with by chance. */
const footBytes = 32;
const word = Buffer.from('docyard2');
const maxIndexBytes = 256 * 1024 ** 2;
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const chunkBytes = 1024 * 1024;
/** Of each value, in the order of the keys: where it begins, its bytes, its checksum. */
const numbersOfValue = 3;

/** To be written at `begin`, where the last value ends. */
export function encodeIndex(
  places: readonly (readonly [key: string, place: IndexedPlace])[],
  begin: number,
): Buffer {
  const keys = Buffer.from(JSON.stringify(places.map(([key]) => key)));
  const numbers = new Float64Array(places.length * numbersOfValue);
  for (const [at, [, { offset, length, checksum }]] of places.entries())
    numbers.set([offset, length, checksum], at * numbersOfValue);
  const packed = zstdCompressSync(Buffer.concat([Buffer.from(numbers.buffer), keys]), compression);
  const foot = Buffer.alloc(footBytes);
  foot.writeDoubleLE(begin, 0);
  foot.writeDoubleLE(packed.length, 8);
  foot.writeUInt32LE(crc32(packed), 16);
  foot.writeUInt32LE(places.length, 20);
  word.copy(foot, 24);
  return Buffer.concat([packed, foot]);
}

/** Calls `onPlace` for each value; undefined when the file does not end with an index, else where that begins. */
export function readIndex(
  handle: number,
  size: number,
  onPlace: (key: string, place: IndexedPlace) => void,
): number | undefined {
  const foot = size < footBytes ? undefined : readAt(handle, size - footBytes, footBytes);
  if (foot === undefined || !foot.subarray(24).equals(word)) return undefined;
  const [begin, bytes] = [foot.readDoubleLE(0), foot.readDoubleLE(8)];
  if (!(begin >= 0 && bytes > 0) || begin + bytes + footBytes !== size) return undefined;
  const packed = bytes > maxIndexBytes ? undefined : readAt(handle, begin, bytes);
  if (packed === undefined || crc32(packed) !== foot.readUInt32LE(16)) return undefined;
  const known = unpack(packed, foot.readUInt32LE(20));
  if (known === undefined) return undefined;
  for (let at = 0; at < known.keys.length; at += 1) {
    const [key = '', first] = [known.keys[at], at * numbersOfValue];
    const offset = known.numbers[first] ?? -1;
    const length = known.numbers[first + 1] ?? 0;
    const isPlace = Number.isInteger(offset) && Number.isInteger(length) && offset >= 0 && length >= 0;
    if (isPlace && offset + length <= begin)
      onPlace(key, { offset, length, checksum: known.numbers[first + 2] ?? 0 });
  }
  return begin;
}

function unpack(packed: Buffer, count: number): { keys: string[]; numbers: Float64Array } | undefined {
  try {
    const entries = zstdDecompressSync(packed, { maxOutputLength: maxIndexBytes, chunkSize: chunkBytes });
    const end = count * numbersOfValue * Float64Array.BYTES_PER_ELEMENT;
    // Copied, since numbers have to begin at a multiple of eight.
    const numbers = new Float64Array(new Uint8Array(entries.subarray(0, end)).buffer);
    return { keys: JSON.parse(entries.toString('utf8', end)) as string[], numbers };
  } catch {
    return undefined;
  }
}

/** Undefined when the file ends before. */
export function readAt(handle: number, position: number, length: number): Buffer | undefined {
  const buffer = Buffer.allocUnsafe(length);
  return readInto(buffer, handle, position) ? buffer : undefined;
}
