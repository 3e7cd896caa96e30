/**
 * Merges the terms of pages into the files of the search index, `_docyard/search/*.js`: classic scripts that pass their
 * data to one global function, so that search works from disk. Pages may arrive in any order.
 *
 * - `index.js`: the number of sections of each page, languages and versions, the start of each shard, and the vocabulary
 *   (the most frequent terms, for completion and correction). Loaded on first use.
 * - `t0.js` …: sorted terms, each line `<letters shared with the previous line><rest> <gaps> <steps>[ <sections>]`. A gap
 *   is the distance between section numbers; a step is the logarithmic weight of the term in that section. Weights
 *   include everything known in advance (field, length, boost), so ranking is a sum. Very common terms keep only their
 *   best `maxPostings`.
 * - `p0.js` …: pages with titles, headings and excerpts. Loaded for the results that are shown.
 */
import type { SpillBytes } from '../text/spill.ts';
import { indexData } from './index-data.ts';
import { TermsReader } from './packed-terms.ts';
import type { SearchScope, SearchedPage } from './pages.ts';
import { PostingLists, maxPages } from './posting-lists.ts';
import {
  PageShards,
  type SearchFile,
  TermShards,
  defaultMaxPostings,
  packPostings,
  searchFile,
} from './shards.ts';
import { TermIds } from './term-ids.ts';
import type { PageTerms } from '../model/page.ts';

export type { SearchFile } from './shards.ts';

export class SearchIndex {
  readonly #pages: SearchedPage[];
  readonly #scopes: SearchScope[];
  readonly #position = new Map<string, number>();
  readonly #sectionCounts: Uint8Array;
  /** In order, without those already written. */
  readonly #shares: Share[];
  /** Entries of pages that arrived before their predecessors. */
  readonly #early = new Map<number, string>();
  readonly #pageShards = new PageShards();
  #nextPage = 0;

  constructor(
    pages: ReadonlyMap<string, SearchedPage>,
    scopes: SearchScope[],
    { spill, maxPostings = defaultMaxPostings }: { spill?: SpillBytes; maxPostings?: number } = {},
  ) {
    this.#shares = Array.from({ length: shareStarts.length + 1 }, () => ({
      terms: new TermIds(),
      postings: new PostingLists(maxPostings, spill, blocksOfShare),
    }));
    this.#pages = [...pages.values()];
    this.#scopes = scopes;
    let position = 0;
    for (const route of pages.keys()) this.#position.set(route, position++);
    this.#sectionCounts = new Uint8Array(this.#pages.length);
  }

  /** A page without terms must be added too. Returns the files that are complete now. */
  add(route: string, terms: PageTerms | undefined): SearchFile[] {
    const position = this.#position.get(route);
    const page = position === undefined ? undefined : this.#pages[position];
    if (position === undefined || !page) return [];
    const reader = terms && position < maxPages ? new TermsReader(terms) : undefined;
    if (reader) this.#merge(position, reader);
    this.#early.set(position, pageEntry(page, reader?.sections));
    return this.#writePages();
  }

  *finish(): Generator<SearchFile> {
    const lastPages = this.#pageShards.end();
    if (lastPages) yield lastPages;
    const firstSections = firstSectionsOf(this.#sectionCounts);
    const shards = new TermShards();
    /** Parallel arrays take less memory than pairs. */
    const completed: string[] = [];
    const counts: number[] = [];
    // Removing each share first frees its memory before the next one is processed.
    for (let share = this.#shares.shift(); share; share = this.#shares.shift())
      for (const { term, total, postings } of termsOf(share)) {
        if (canBeCompleted(term)) {
          completed.push(term);
          counts.push(total);
        }
        const file = shards.add(term, packPostings(postings, firstSections, total));
        if (file) yield file;
      }
    const lastTerms = shards.end();
    if (lastTerms) yield lastTerms;
    yield searchFile(
      'index',
      indexData({
        pages: this.#pages,
        scopes: this.#scopes,
        sectionCounts: this.#sectionCounts,
        termStarts: shards.starts,
        pageStarts: this.#pageShards.starts,
        vocabulary: vocabularyOf(completed, counts),
      }),
    );
  }

  #merge(page: number, reader: TermsReader): void {
    this.#sectionCounts[page] = reader.sectionCount;
    while (reader.nextTerm()) {
      const { terms, postings } = this.#shares[shareOf[reader.bytes[reader.textStart] ?? 0] ?? 0] as Share;
      const term = terms.idOf(reader.bytes, reader.textStart, reader.textEnd);
      while (reader.nextSection())
        postings.add(term, ((page << 14) | (reader.section << 7) | reader.step) >>> 0);
    }
  }

  #writePages(): SearchFile[] {
    const files: SearchFile[] = [];
    for (let entry = this.#early.get(this.#nextPage); entry; entry = this.#early.get(this.#nextPage)) {
      this.#early.delete(this.#nextPage++);
      const file = this.#pageShards.add(entry);
      if (file) files.push(file);
    }
    return files;
  }
}

/** A range of terms by first letter, so that the postings set aside are never all in memory at once. */
interface Share {
  terms: TermIds;
  postings: PostingLists;
}

/** Ranges of similar size. Non-ASCII terms come last, in UTF-8 as in the browser's order. */
const shareStarts = ['d', 'm', 's'].map((letter) => letter.charCodeAt(0));
const shareOf = Uint8Array.from(
  { length: 256 },
  (_, byte) => shareStarts.filter((start) => byte >= start).length,
);
/** Full blocks besides the one that is being filled. */
const blocksOfShare = 3;

function* termsOf({ terms, postings }: Share) {
  const texts = Array.from({ length: terms.count }, (_, id) => terms.text(id));
  for (const id of inOrder(texts))
    yield { term: texts[id] as string, total: postings.total(id), postings: postings.best(id) };
}

/** `sections` is JSON. */
function pageEntry({ title, href, trail }: SearchedPage, sections: string | undefined): string {
  if (sections === undefined) return '0';
  const start = JSON.stringify([title, href, trail.join(' › ')]);
  return `${start.slice(0, -1)},${sections}]`;
}

function firstSectionsOf(counts: Uint8Array): Uint32Array {
  const first = new Uint32Array(counts.length + 1);
  counts.forEach((count, page) => (first[page + 1] = (first[page] as number) + count));
  return first;
}

/** Positions sorted by UTF-16 code units, as the browser compares. */
function inOrder(texts: readonly string[]): Uint32Array {
  /** The first three units distinguish most texts; comparing numbers is faster. */
  const starts = Float64Array.from(
    texts,
    (text) =>
      ((text.charCodeAt(0) || 0) * 65_536 + (text.charCodeAt(1) || 0)) * 65_536 + (text.charCodeAt(2) || 0),
  );
  return Uint32Array.from(texts.keys()).toSorted((a, b) => {
    const difference = (starts[a] as number) - (starts[b] as number);
    if (difference !== 0) return difference;
    return (texts[a] as string) < (texts[b] as string) ? -1 : 1;
  });
}

/** The most frequent terms, which the search field completes. */
const maxVocabularyTerms = 4000;

function vocabularyOf(terms: readonly string[], counts: readonly number[]): [term: string, count: number][] {
  return mostFrequent(counts, maxVocabularyTerms).map((at) => [terms[at] as string, counts[at] as number]);
}

/** Excludes numbers and words of scripts without spaces. */
function canBeCompleted(term: string): boolean {
  if (term.length < 3 || term.length > 23) return false;
  const first = term.charCodeAt(0);
  return first < 0x0e_00 && !(first >= 48 && first <= 57);
}

/** Indexes of the largest counts; of equal counts the first. */
function mostFrequent(counts: readonly number[], size: number): number[] {
  if (counts.length <= size) return [...counts.keys()];
  const inOrder = Uint32Array.from(counts).toSorted();
  const least = inOrder[inOrder.length - size] as number;
  let room = size;
  for (const count of inOrder) if (count > least) room--;
  const chosen: number[] = [];
  for (const [at, count] of counts.entries())
    if (count > least || (count === least && room-- > 0)) chosen.push(at);
  return chosen;
}
