/**
 * A rendered page as it is kept for the next run, with what it asked of the lists of pages and files. Packing costs a tenth of
 * what rendering does. Where several processes render, they pack as well; a single one leaves it to whoever gets the page:
 * of 10,000 pages on two cores the export takes 31.7 s then, and 33.9 otherwise.
 */
import { deserialize, serialize } from 'node:v8';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Lookup } from '../page/lookups.ts';
import type { PageResult } from '../page/task.ts';

/** Fast rather than small: a page of 28 kB takes 0.14 ms and leaves 7 kB. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export interface KnownPage {
  result: PageResult;
  lookups: Lookup[];
}

/** Undefined for a page that cannot be kept. */
export function packedPage(rendered: PageResult): Uint8Array | undefined {
  if (!canBeKept(rendered)) return undefined;
  const { lookups = [], source: _source, milliseconds: _, ...result } = rendered;
  const bytes = serialize({ result, lookups } satisfies KnownPage);
  // In one piece: Node would make a piece of every 16 kB and join them.
  return zstdCompressSync(bytes, { ...compression, chunkSize: Math.max(leastChunkBytes, bytes.length) });
}

/** Node takes no less. */
const leastChunkBytes = 64;

export function unpackedPage(packed: Uint8Array): KnownPage {
  return deserialize(zstdDecompressSync(packed)) as KnownPage;
}

/** Not what failed, may have been late by chance, lives on in the browser, was run, or shows what others may change. */
function canBeKept({ failed, islands, tier, wantedPictures, sourceFiles }: PageResult): boolean {
  return (
    !failed &&
    !islands &&
    tier !== 'run' &&
    tier !== 'refused' &&
    !wantedPictures &&
    sourceFiles !== undefined
  );
}
