/** Values that a run leaves for the next one as packed JSON. */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { fastest } from '../text/kept.ts';

/** What was read of 2,000 pages has a megabyte. In steps of 16 kB, as Node would, it takes twice as long to unpack. */
const stepBytes = 1024 * 1024;

export function packedJson(value: unknown): Uint8Array {
  return zstdCompressSync(JSON.stringify(value), fastest);
}

export function unpackedJson(bytes: Uint8Array): unknown {
  return JSON.parse(zstdDecompressSync(bytes, { chunkSize: stepBytes }).toString()) as unknown;
}
