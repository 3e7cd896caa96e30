import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Stores bytes until the end of a build and returns a function that restores them. */
export type SpillBytes = (bytes: Uint8Array) => () => Uint8Array;

/** The default without external storage. */
export function compressInMemory(bytes: Uint8Array): () => Uint8Array {
  const packed = new Uint8Array(zstdCompressSync(bytes, fastest));
  return () => zstdDecompressSync(packed);
}

const fastest = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
