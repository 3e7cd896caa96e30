/**
 * Brings the files with terms up to date: rewrites those with changed terms, and the ones after them until a file ends
 * where it did before. When a page has more or fewer sections than before, the numbers in all files change.
 */
import type { Reserve } from './reserve.ts';
import { bestOf, rankOf } from './posting-lists.ts';
import {
  type SearchFile,
  TermShards,
  maximumPostings,
  packPostings,
  readTermLines,
  removedShards,
  shortestStart,
  sparePostings,
  unpackPostings,
} from './shards.ts';

/** Postings of changed pages as in posting-lists.ts. */
export interface TermChange {
  removed: number[];
  added: number[];
}

interface TermsUpdate {
  read: (shard: number) => string | undefined;
  starts: readonly string[];
  changes: ReadonlyMap<string, TermChange>;
  firstSections: { before: Uint32Array; after: Uint32Array };
  reserve: Reserve;
}

interface UpdatedTerms {
  files: SearchFile[];
  removed: string[];
  starts: string[];
}

/** Undefined when postings would be needed that nobody knows any more. */
export function updateTerms(update: TermsUpdate): UpdatedTerms | undefined {
  try {
    return new TermsRewriter(update).rewrite();
  } catch (error) {
    if (error instanceof NotKnown) return undefined;
    throw error;
  }
}

class NotKnown extends Error {}

class TermsRewriter {
  readonly #update: TermsUpdate;
  readonly #changed: string[];
  readonly #pageOf: Uint32Array;
  readonly #numbersChange: boolean;
  readonly #files: SearchFile[] = [];
  #nextChange = 0;
  readonly #shards = new TermShards();

  constructor(update: TermsUpdate) {
    this.#update = update;
    this.#changed = [...update.changes.keys()].toSorted();
    const { before, after } = update.firstSections;
    this.#pageOf = pagesOfSections(before);
    this.#numbersChange = before.some((section, page) => section !== after[page]);
  }

  rewrite(): UpdatedTerms {
    const { starts } = this.#update;
    for (let shard = 0; shard < starts.length; shard++) {
      const isInStep = this.#shards.isBetweenFiles && this.#shards.starts.length === shard;
      if (isInStep && !this.#hasChanges(shard)) this.#skip(shard);
      else this.#rewriteShard(shard);
    }
    /** Only where there was no file at all some are left. */
    this.#addNewTerms(undefined);
    this.#keep(this.#shards.end());
    const now = this.#shards.starts.length;
    return {
      files: this.#files,
      removed: removedShards('t', now, starts.length),
      starts: this.#shards.starts,
    };
  }

  #hasChanges(shard: number): boolean {
    if (this.#numbersChange) return true;
    const term = this.#changed[this.#nextChange];
    const end = this.#update.starts[shard + 1];
    return term !== undefined && (end === undefined || term < end);
  }

  /** Leaves a file as it is. Where it starts depends on the term before, which may be another one now. */
  #skip(shard: number): void {
    const start = this.#update.starts[shard] as string;
    if (this.#shards.previous === undefined) this.#shards.skip(start);
    else this.#shards.skip(shortestStart(this.#linesOf(shard)[0]?.[0] ?? start, this.#shards.previous));
  }

  #rewriteShard(shard: number): void {
    if (this.#shards.previous === undefined)
      this.#shards.previous = shard === 0 ? '' : this.#linesOf(shard - 1).at(-1)?.[0];
    for (const [term, postings] of this.#linesOf(shard)) {
      this.#addNewTerms(term);
      if (this.#changed[this.#nextChange] === term) {
        this.#nextChange++;
        this.#addChanged(term, postings);
      } else this.#add(term, this.#numbersChange ? this.#renumbered(postings) : postings);
    }
    this.#addNewTerms(this.#update.starts[shard + 1]);
  }

  /** Those that come before this term. */
  #addNewTerms(end: string | undefined): void {
    for (;;) {
      const term = this.#changed[this.#nextChange];
      if (term === undefined || (end !== undefined && term >= end)) return;
      this.#nextChange++;
      this.#addChanged(term, undefined);
    }
  }

  #addChanged(term: string, written: string | undefined): void {
    const { changes, reserve, firstSections } = this.#update;
    const { removed, added } = changes.get(term) as TermChange;
    const before = written === undefined ? { postings: [], total: 0 } : this.#unpacked(written);
    const all = [...before.postings, ...(reserve.spare.get(term) ?? [])];
    /** What is not known is worse than all that is. */
    const worst =
      all.length === before.total
        ? Number.POSITIVE_INFINITY
        : all.reduce((most, posting) => Math.max(most, rankOf(posting)), 0);
    const gone = new Set(removed);
    const known = [
      ...all.filter((posting) => !gone.has(posting)),
      ...added.filter((posting) => rankOf(posting) < worst),
    ];
    const total = before.total - removed.length + added.length;
    if (known.length < Math.min(maximumPostings, total)) throw new NotKnown();
    const { shown, spare } = bestOf(
      Uint32Array.from(known),
      maximumPostings,
      maximumPostings + sparePostings,
    );
    if (spare.length > 0) reserve.spare.set(term, spare);
    else reserve.spare.delete(term);
    reserve.setCount(term, total);
    if (total > 0) this.#add(term, packPostings(shown, firstSections.after, total));
  }

  #renumbered(written: string): string {
    const { postings, total } = this.#unpacked(written);
    return packPostings(postings, this.#update.firstSections.after, total);
  }

  #unpacked(written: string): { postings: Uint32Array; total: number } {
    return unpackPostings(written, this.#update.firstSections.before, this.#pageOf);
  }

  #add(term: string, postings: string): void {
    this.#keep(this.#shards.add(term, postings));
  }

  #keep(file: SearchFile | undefined): void {
    if (file) this.#files.push(file);
  }

  #linesOf(shard: number): [term: string, postings: string][] {
    const content = this.#update.read(shard);
    if (content === undefined) throw new NotKnown();
    return readTermLines(content);
  }
}

function pagesOfSections(firstSections: Uint32Array): Uint32Array {
  const pages = new Uint32Array(firstSections.at(-1) ?? 0);
  for (let page = 0; page + 1 < firstSections.length; page++)
    pages.fill(page, firstSections[page], firstSections[page + 1]);
  return pages;
}
