/**
 * Merges what the pages hold into the files of the search index, `_docyard/search/*.js`: classic scripts that hand
 * their data to one global function, so that search works from a disk. Pages may arrive in any order.
 *
 * - `index.js`: how many sections each page has, languages and versions, where each shard starts, and the vocabulary
 *   (the most frequent terms, for completion and correction). Loaded on first use.
 * - `t0.js` …: terms in order, each line `<letters shared with the line before><rest> <gaps> <steps>[ <sections>]`.
 *   A gap is the distance from one section number to the next; a step is the weight of the term in
 *   that section, on a scale where each step is nine per cent more. Weights hold everything that can be known beforehand
 *   (field, length, boost), so ranking is a sum. Of a term that is everywhere only the best `maximumPostings` are kept.
 * - `p0.js` …: pages with titles, headings and excerpts, a few in each file. Loaded for the results that are shown.
 *
 * Measured on 10,000 pages of the corpus: 27 MB in 3,400 files; packed, index.js is 24 kB, a term shard 5 kB, a page shard
 * 3 kB, and a first question loads 28 to 70 kB, besides the script with 14 kB. Merging takes 0.1 ms a page; what it
 * holds is told in posting-lists.ts.
 */
import type { SetAside } from '../text/kept.ts';
import { indexData } from './index-data.ts';
import { TermsReader } from './packed-terms.ts';
import type { SearchScope, SearchedPage } from './pages.ts';
import { PostingLists, pagesAtMost } from './posting-lists.ts';
import {
  PageShards,
  type SearchFile,
  TermShards,
  maximumPostings,
  packPostings,
  searchFile,
} from './shards.ts';
import { TermIds } from './term-ids.ts';
import { canBeCompleted, vocabularyOf } from './vocabulary.ts';
import type { PageTerms } from '../model/page.ts';

export type { SearchFile } from './shards.ts';

export class SearchIndex {
  readonly #pages: SearchedPage[];
  readonly #scopes: SearchScope[];
  readonly #position = new Map<string, number>();
  readonly #sectionCounts: Uint8Array;
  /** In their order, those that are not written yet. */
  readonly #shares: Share[];
  /** Entries of pages that came before the ones they follow. */
  readonly #early = new Map<number, string>();
  readonly #pageShards = new PageShards();
  #nextPage = 0;

  constructor(
    pages: ReadonlyMap<string, SearchedPage>,
    scopes: SearchScope[],
    { setAside }: { setAside?: SetAside } = {},
  ) {
    this.#shares = Array.from({ length: shareStarts.length + 1 }, () => ({
      terms: new TermIds(),
      postings: new PostingLists(maximumPostings, setAside, blocksOfShare),
    }));
    this.#pages = [...pages.values()];
    this.#scopes = scopes;
    let position = 0;
    for (const route of pages.keys()) this.#position.set(route, position++);
    this.#sectionCounts = new Uint8Array(this.#pages.length);
  }

  /** Takes a page in, or notes that it has nothing to find; returns the files that are complete now. */
  add(route: string, terms: PageTerms | undefined): SearchFile[] {
    const position = this.#position.get(route);
    const page = position === undefined ? undefined : this.#pages[position];
    if (position === undefined || !page) return [];
    const reader = terms && position < pagesAtMost ? new TermsReader(terms) : undefined;
    if (reader) this.#merge(position, reader);
    this.#early.set(position, pageEntry(page, reader?.sections));
    return this.#writePages();
  }

  *finish(): Generator<SearchFile> {
    const lastPages = this.#pageShards.end();
    if (lastPages) yield lastPages;
    const firstSections = firstSectionsOf(this.#sectionCounts);
    const shards = new TermShards();
    /** Apart: a pair of each would take more than all of the terms. */
    const completed: string[] = [];
    const counts: number[] = [];
    // Each is gone when the next one comes: much is still to be made while this one is there.
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

/**
 * Some of the terms, by what they begin with, so that at the end not all that was set aside has to be there at once: 65 MB of 50,000
 * pages.
 */
interface Share {
  terms: TermIds;
  postings: PostingLists;
}

/** Of about the same size. What is not ASCII comes last, in UTF-8 as in the order of the browser. */
const shareStarts = ['d', 'm', 's'].map((letter) => letter.charCodeAt(0));
const shareOf = Uint8Array.from(
  { length: 256 },
  (_, byte) => shareStarts.filter((start) => byte >= start).length,
);
/** Of 1 MB, besides the one that is being filled. */
const blocksOfShare = 3;

/** In their order. */
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

/** The number of the first section of each page, and of all sections. */
function firstSectionsOf(counts: Uint8Array): Uint32Array {
  const first = new Uint32Array(counts.length + 1);
  counts.forEach((count, page) => (first[page + 1] = (first[page] as number) + count));
  return first;
}

/** Positions in the order of the texts by code unit, as the browser compares. */
function inOrder(texts: readonly string[]): Uint32Array {
  /** Three units tell most of them apart; comparing numbers is several times faster. */
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
