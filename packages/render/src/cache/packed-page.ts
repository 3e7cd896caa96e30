/**
 * A rendered page as it is kept for the next run, with what it asked of the lists of pages and files. It is not compressed: that would
 * make the memory half as large, 20 instead of 47 kB a page, and the first export of 1,000 pages a twentieth longer. Where several
 * processes render, they pack as well; a single one leaves it to whoever gets the page: of 10,000 pages on two cores the export
 * takes 31.7 s then, and 33.9 otherwise.
 */
import { deserialize, serialize } from 'node:v8';
import type { Lookup, PageResult } from '../model/page.ts';
import { type Parts, opened, withHead } from './parts.ts';

export interface KnownPage {
  result: PageResult;
  lookups: Lookup[];
}

type LongBytes = 'html' | 'aside' | 'markdown' | 'search';

interface Head extends Omit<KnownPage, 'result'> {
  result: Omit<PageResult, LongBytes>;
  lengths: Record<Exclude<LongBytes, 'search'>, number>;
  hasSearch: boolean;
}

/** All of it but what is in bytes already. Undefined for a page that cannot be kept. */
export function packedHead(rendered: PageResult): Uint8Array | undefined {
  if (!canBeKept(rendered)) return undefined;
  const {
    lookups = [],
    source: _source,
    milliseconds: _,
    html,
    aside,
    markdown,
    search,
    ...result
  } = rendered;
  const lengths = { html: html.length, aside: aside.length, markdown: markdown.length };
  return serialize({ result, lookups, lengths, hasSearch: search !== undefined } satisfies Head);
}

/** Long texts follow as they are: in one piece with the rest they would be copied three times. */
export function packedPage(head: Uint8Array, { html, aside, markdown, search }: PageResult): Parts {
  return withHead(head, search ? [html, aside, markdown, search] : [html, aside, markdown]);
}

export function unpackedPage(packed: Uint8Array): KnownPage {
  const { head, rest } = opened(packed);
  const { result, lookups, lengths, hasSearch } = deserialize(head) as Head;
  let at = 0;
  const next = (bytes: number): Uint8Array => rest.subarray(at, (at += bytes));
  const texts = {
    html: next(lengths.html),
    aside: next(lengths.aside),
    markdown: next(lengths.markdown),
    ...(hasSearch ? { search: next(rest.length) } : {}),
  };
  return { result: { ...result, ...texts }, lookups };
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
