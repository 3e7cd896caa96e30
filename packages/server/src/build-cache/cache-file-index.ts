/** The index at the end of a cache file. A file without one is scanned. */
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { readInto } from '@docyard/bundle/writer';

export interface IndexedPlace {
  offset: number;
  length: number;
  checksum: number;
}

/** Footer: offset, size and checksum of the index, the number of values, and a magic word. */
const footerBytes = 32;
const magic = Buffer.from('docyard2');
const maxIndexBytes = 256 * 1024 ** 2;
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

const chunkBytes = 1024 * 1024;
/** Offset, length and checksum of each value, in the order of the keys. */
const numbersOfValue = 3;

/** Written at `begin`, where the last value ends. */
export function encodeIndex(
  places: readonly (readonly [key: string, place: IndexedPlace])[],
  begin: number,
): Buffer {
  const keys = Buffer.from(JSON.stringify(places.map(([key]) => key)));
  const numbers = new Float64Array(places.length * numbersOfValue);
  for (const [at, [, { offset, length, checksum }]] of places.entries())
    numbers.set([offset, length, checksum], at * numbersOfValue);
  const packed = zstdCompressSync(Buffer.concat([Buffer.from(numbers.buffer), keys]), compression);
  const footer = Buffer.alloc(footerBytes);
  footer.writeDoubleLE(begin, 0);
  footer.writeDoubleLE(packed.length, 8);
  footer.writeUInt32LE(crc32(packed), 16);
  footer.writeUInt32LE(places.length, 20);
  magic.copy(footer, 24);
  return Buffer.concat([packed, footer]);
}

/** Calls `onPlace` for each value. Returns the offset of the index, or undefined without a valid one. */
export function readIndex(
  handle: number,
  size: number,
  onPlace: (key: string, place: IndexedPlace) => void,
): number | undefined {
  const footer = size < footerBytes ? undefined : readAt(handle, size - footerBytes, footerBytes);
  if (footer === undefined || !footer.subarray(24).equals(magic)) return undefined;
  const [begin, bytes] = [footer.readDoubleLE(0), footer.readDoubleLE(8)];
  if (!(begin >= 0 && bytes > 0) || begin + bytes + footerBytes !== size) return undefined;
  const packed = bytes > maxIndexBytes ? undefined : readAt(handle, begin, bytes);
  if (packed === undefined || crc32(packed) !== footer.readUInt32LE(16)) return undefined;
  const known = unpack(packed, footer.readUInt32LE(20));
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
    // Copied, because a Float64Array must be aligned to eight bytes.
    const numbers = new Float64Array(new Uint8Array(entries.subarray(0, end)).buffer);
    return { keys: JSON.parse(entries.toString('utf8', end)) as string[], numbers };
  } catch {
    return undefined;
  }
}

/** Undefined beyond the end of the file. */
export function readAt(handle: number, position: number, length: number): Buffer | undefined {
  const buffer = Buffer.allocUnsafe(length);
  return readInto(buffer, handle, position) ? buffer : undefined;
}
