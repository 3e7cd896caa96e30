/**
 * A rendered page as it is kept for the next run, with what it asked of the lists of pages and files. It is not compressed: that would
 * make the memory half as large, 20 instead of 47 kB a page, and the first export of 1,000 pages a twentieth longer. Where several
 * processes render, they pack as well; a single one leaves it to whoever gets the page: of 10,000 pages on two cores the export
 * takes 31.7 s then, and 33.9 otherwise.
 */
import { deserialize, serialize } from 'node:v8';
import type { Lookup } from '../page/lookups.ts';
import type { PageResult } from '../page/task.ts';

export interface KnownPage {
  result: PageResult;
  lookups: Lookup[];
}

/** Undefined for a page that cannot be kept. */
export function packedPage(rendered: PageResult): Uint8Array | undefined {
  if (!canBeKept(rendered)) return undefined;
  const { lookups = [], source: _source, milliseconds: _, ...result } = rendered;
  return serialize({ result, lookups } satisfies KnownPage);
}

export function unpackedPage(packed: Uint8Array): KnownPage {
  return deserialize(packed) as KnownPage;
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
