/**
 * Brings the files of a search index up to date after some pages changed, without the terms of the others. The files are
 * the same bytes as if all were built anew; where that cannot be had, it says so and the caller builds anew.
 */
import { firstSectionsOf, pageEntry } from './build.ts';
import { searchWords } from './browser-code.ts';
import { indexData } from './index-data.ts';
import { TermsReader } from './packed-terms.ts';
import type { SearchScope, SearchedPage } from './pages.ts';
import { pagesAtMost } from './posting-lists.ts';
import { Reserve } from './reserve.ts';
import {
  PageShards,
  type SearchFile,
  readPageEntries,
  removedShards,
  searchFile,
  searchPath,
} from './shards.ts';
import { type TermChange, updateTerms } from './update-terms.ts';
import type { PageTerms } from '../model/page.ts';

export interface IndexUpdate {
  /** The same routes in the same order as when the index was written. */
  pages: ReadonlyMap<string, SearchedPage>;
  scopes: SearchScope[];
  /** A file of the index as it was written. */
  previous: (path: string) => Uint8Array | undefined;
  /** What the index left behind, from `SearchIndex.reserve` or the update before. */
  reserve: Uint8Array;
  /** Every page whose terms, title, address, trail or scopes changed. */
  changed: ReadonlyMap<string, { before: PageTerms | undefined; after: PageTerms | undefined }>;
}

export interface UpdatedIndex {
  /** Only files that differ. */
  files: SearchFile[];
  /** Files that are there no more. */
  removed: string[];
  reserve: Uint8Array;
}

export function updateIndex(update: IndexUpdate): UpdatedIndex | undefined {
  if (update.reserve.length === 0 || update.pages.size > pagesAtMost) return undefined;
  const files = new PreviousFiles(update.previous);
  const index = files.data('index') as WrittenIndex | undefined;
  if (!index || index.sections.length !== update.pages.size) return undefined;
  const counts = Uint8Array.from(index.sections, (digit) => valueOf91[digit.charCodeAt(0)] as number);
  const edits = editsOf(update, counts);
  if (!edits) return undefined;
  const reserve = Reserve.from(update.reserve);
  const terms = updateTerms({
    read: (shard) => files.content(`t${shard}`),
    starts: index.terms === '' ? [] : index.terms.split(' '),
    changes: edits.changes,
    firstSections: { before: firstSectionsOf(counts), after: firstSectionsOf(edits.counts) },
    reserve,
  });
  const pages = updatePages(files, pageStartsOf(index.pages), edits.entries);
  const vocabulary = reserve.vocabulary();
  if (!terms || !pages || !vocabulary) return undefined;
  const newIndex = searchFile(
    'index',
    indexData({
      pages: [...update.pages.values()],
      scopes: update.scopes,
      sectionCounts: edits.counts,
      termStarts: terms.starts,
      pageStarts: pages.starts,
      vocabulary,
    }),
  );
  return {
    files: [...pages.files, ...terms.files, newIndex].filter((file) => files.differs(file)),
    removed: [...terms.removed, ...pages.removed],
    reserve: reserve.packed(),
  };
}

/** As written by index-data.ts. */
interface WrittenIndex {
  sections: string;
  terms: string;
  pages: string;
}

const { valueOf91 } = searchWords();

class PreviousFiles {
  readonly #read: (path: string) => Uint8Array | undefined;
  readonly #contents = new Map<string, string>();

  constructor(read: (path: string) => Uint8Array | undefined) {
    this.#read = read;
  }

  content(name: string): string | undefined {
    const path = searchPath(name);
    const known = this.#contents.get(path);
    if (known !== undefined) return known;
    const bytes = this.#read(path);
    if (!bytes) return undefined;
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
    this.#contents.set(path, content);
    return content;
  }

  data(name: string): unknown {
    const content = this.content(name);
    if (content === undefined) return undefined;
    return JSON.parse(content.slice(content.indexOf(',') + 1, content.lastIndexOf(')')));
  }

  /** What was not read for the update was never there. */
  differs({ path, content }: SearchFile): boolean {
    return this.#contents.get(path) !== content;
  }
}

function pageStartsOf(counts: string): number[] {
  const starts: number[] = [];
  let start = 0;
  for (let at = 0; at < counts.length; at++) {
    starts.push(start);
    for (; valueOf91[counts.charCodeAt(at)] === 90; at++) start += 90;
    start += valueOf91[counts.charCodeAt(at)] as number;
  }
  return starts;
}

interface Edits {
  counts: Uint8Array;
  changes: Map<string, TermChange>;
  /** By position of the page. */
  entries: Map<number, string>;
}

function editsOf({ pages, changed }: IndexUpdate, countsBefore: Uint8Array): Edits | undefined {
  const counts = countsBefore.slice();
  const changes = new Map<string, TermChange>();
  const entries = new Map<number, string>();
  let position = -1;
  for (const [route, page] of pages) {
    position++;
    const change = changed.get(route);
    if (!change) continue;
    const before = change.before && new TermsReader(change.before);
    const after = change.after && new TermsReader(change.after);
    if ((before?.sectionCount ?? 0) !== countsBefore[position]) return undefined;
    counts[position] = after?.sectionCount ?? 0;
    entries.set(position, pageEntry(page, after?.sections));
    noteChanges(changes, postingsOf(before, position), postingsOf(after, position));
  }
  return { counts, changes, entries };
}

function postingsOf(reader: TermsReader | undefined, page: number): Map<string, number[]> {
  const byTerm = new Map<string, number[]>();
  while (reader?.nextTerm()) {
    const postings: number[] = [];
    while (reader.nextSection()) postings.push(((page << 14) | (reader.section << 7) | reader.step) >>> 0);
    byTerm.set(reader.text(), postings);
  }
  return byTerm;
}

function noteChanges(
  changes: Map<string, TermChange>,
  before: Map<string, number[]>,
  after: Map<string, number[]>,
): void {
  const changeOf = (term: string): TermChange => {
    const change = changes.get(term) ?? { removed: [], added: [] };
    changes.set(term, change);
    return change;
  };
  for (const [term, postings] of before) {
    const left = after.get(term) ?? [];
    if (postings.length === left.length && postings.every((posting, at) => posting === left[at])) continue;
    changeOf(term).removed.push(...postings);
    changeOf(term).added.push(...left);
  }
  for (const [term, postings] of after) if (!before.has(term)) changeOf(term).added.push(...postings);
}

interface UpdatedShards<T> {
  files: SearchFile[];
  removed: string[];
  starts: T[];
}

/** Rewrites the files with changed pages, and those after them until one ends where it did before. */
function updatePages(
  files: PreviousFiles,
  starts: readonly number[],
  entries: ReadonlyMap<number, string>,
): UpdatedShards<number> | undefined {
  const shards = new PageShards();
  const written: SearchFile[] = [];
  const changed = [...entries.keys()];
  for (const [shard, start] of starts.entries()) {
    const end = starts[shard + 1] ?? Number.POSITIVE_INFINITY;
    const isSame = shards.isBetweenFiles && shards.starts.length === shard;
    if (isSame && !changed.some((page) => page >= start && page < end)) {
      shards.skip(end);
      continue;
    }
    const content = files.content(`p${shard}`);
    if (content === undefined) return undefined;
    for (const [at, entry] of readPageEntries(content).entries()) {
      const file = shards.add(entries.get(start + at) ?? entry);
      if (file) written.push(file);
    }
  }
  const last = shards.end();
  if (last) written.push(last);
  return {
    files: written,
    removed: removedShards('p', shards.starts.length, starts.length),
    starts: shards.starts,
  };
}
