/**
 * Merges what the pages hold into the files of the search index, `_docyard/search/*.js`: classic scripts that hand
 * their data to one global function, so that search works from a disk. Pages may arrive in any order.
 *
 * - `index.js`: how many sections each page has, languages and versions, where each shard starts, and the vocabulary
 *   (the most frequent terms, for completion and correction). Loaded on first use.
 * - `t0.js` …: terms in order, each line `<letters shared with the line before><rest> <gaps> <steps>[ <sections>]`.
 *   Gaps between section numbers are one digit up to 59, two up to 2,789, else five; a step is the weight of the term in
 *   that section, on a scale where each step is nine per cent more. Weights hold everything that can be known beforehand
 *   (field, length, boost), so ranking is a sum. Of a term that is everywhere only the best `maximumPostings` are kept.
 * - `p0.js` …: pages with titles, headings and excerpts, a few in each file. Loaded for the results that are shown.
 *
 * Measured on 10,000 pages (2,212 real ones, repeated with words of their own): 29 MB in 2,300 files; packed, index.js is
 * 20 kB, a term shard 6 kB, a page shard 4 kB, and a first question loads 36 to 76 kB, besides the script with 13 kB.
 */
import { type SearchWords, searchWords } from './browser-code.ts';
import type { PageTerms } from './page-terms.ts';
import type { SearchScope, SearchedPage } from './pages.ts';

export interface SearchFile {
  path: string;
  content: string;
}

const termShardLength = 14_000;
const pageShardLength = 9000;
const maximumPostings = 2500;
const vocabularySize = 4000;
const startsPerScope = 6;

export class SearchIndex {
  readonly #words: SearchWords = searchWords();
  readonly #pages: SearchedPage[];
  readonly #scopes: SearchScope[];
  readonly #position = new Map<string, number>();
  readonly #sectionCounts: Uint8Array;
  readonly #termIds = new Map<string, number>();
  readonly #postings = new PostingLog();
  /** Pages that came before the ones they follow. */
  readonly #early = new Map<number, string>();
  readonly #pageStarts: number[] = [];
  #nextPage = 0;
  #openShard: string[] = [];
  #openLength = 0;

  constructor(pages: ReadonlyMap<string, SearchedPage>, scopes: SearchScope[]) {
    this.#pages = [...pages.values()];
    this.#scopes = scopes;
    [...pages.keys()].forEach((route, position) => this.#position.set(route, position));
    this.#sectionCounts = new Uint8Array(this.#pages.length);
  }

  /** Takes a page in, or notes that it has nothing to find; returns the files that are complete now. */
  add(route: string, terms: PageTerms | undefined): SearchFile[] {
    const position = this.#position.get(route);
    const page = position === undefined ? undefined : this.#pages[position];
    if (position === undefined || !page) return [];
    this.#sectionCounts[position] = terms?.sections.length ?? 0;
    if (terms) this.#merge(position, terms);
    this.#early.set(position, terms ? pageEntry(page, terms) : '0');
    return this.#writePages();
  }

  *finish(): Generator<SearchFile> {
    yield* this.#flushPages();
    const ids = [...this.#termIds];
    const terms = ids.map(([term]) => term).toSorted(compareText);
    const grouped = this.#postings.grouped(this.#termIds.size);
    const starts: string[] = [];
    const counts = new Map<string, number>();
    const firstSections = this.#firstSections();
    let lines: string[] = [];
    let length = 0;
    let previous = '';
    for (const term of terms) {
      const postings = grouped(this.#termIds.get(term) ?? 0);
      counts.set(term, postings.length);
      if (lines.length === 0) starts.push(shortestStart(term, previous));
      const line = this.#termLine(term, lines.length === 0 ? '' : previous, postings, firstSections);
      previous = term;
      lines.push(line);
      length += line.length + 1;
      if (length < termShardLength) continue;
      yield file(`t${starts.length - 1}`, `\`${lines.join('\n')}\``);
      lines = [];
      length = 0;
    }
    if (lines.length > 0) yield file(`t${starts.length - 1}`, `\`${lines.join('\n')}\``);
    yield file('index', this.#indexData(starts, counts));
  }

  #merge(page: number, { terms, postings }: PageTerms): void {
    const ids = (terms === '' ? [] : terms.split(' ')).map((term) => {
      const known = this.#termIds.get(term);
      if (known !== undefined) return known;
      const id = this.#termIds.size;
      this.#termIds.set(term, id);
      return id;
    });
    for (const posting of postings)
      this.#postings.add(ids[posting >>> 14] ?? 0, ((page << 14) | (posting & 16_383)) >>> 0);
  }

  #writePages(): SearchFile[] {
    const files: SearchFile[] = [];
    for (let entry = this.#early.get(this.#nextPage); entry; entry = this.#early.get(this.#nextPage)) {
      this.#early.delete(this.#nextPage);
      if (this.#openShard.length === 0) this.#pageStarts.push(this.#nextPage);
      this.#openShard.push(entry);
      this.#openLength += entry.length;
      this.#nextPage++;
      if (this.#openLength >= pageShardLength) files.push(...this.#flushPages());
    }
    return files;
  }

  #flushPages(): SearchFile[] {
    if (this.#openShard.length === 0) return [];
    const shard = file(`p${this.#pageStarts.length - 1}`, `[${this.#openShard.join(',\n')}]`);
    this.#openShard = [];
    this.#openLength = 0;
    return [shard];
  }

  #firstSections(): Uint32Array {
    const first = new Uint32Array(this.#pages.length + 1);
    this.#sectionCounts.forEach((count, page) => (first[page + 1] = (first[page] ?? 0) + count));
    return first;
  }

  #termLine(term: string, previous: string, all: Uint32Array, firstSections: Uint32Array): string {
    const { digits } = this.#words;
    const kept = all.length > maximumPostings ? heaviest(all) : all;
    let gaps = '';
    let steps = '';
    let last = -1;
    for (const posting of kept) {
      const section = (firstSections[posting >>> 14] ?? 0) + ((posting >>> 7) & 127);
      gaps += this.#number(section - last - 1);
      steps += digits.charAt(posting & 127);
      last = section;
    }
    const shared = sharedLength(previous, term);
    const rest = kept.length < all.length ? ` ${all.length}` : '';
    return `${digits.charAt(shared)}${term.slice(shared)} ${gaps} ${steps}${rest}`;
  }

  #number(value: number): string {
    const { digits } = this.#words;
    if (value < 60) return digits.charAt(value);
    const rest = value - 60;
    if (rest < 30 * 91) return digits.charAt(60 + Math.floor(rest / 91)) + digits.charAt(rest % 91);
    let text = '';
    for (let left = value, count = 0; count < 4; count++, left = Math.floor(left / 91))
      text = digits.charAt(left % 91) + text;
    return digits.charAt(90) + text;
  }

  #indexData(starts: string[], counts: ReadonlyMap<string, number>): string {
    const { digits } = this.#words;
    const { scopeSets, pageScopes } = this.#scopeRuns();
    return JSON.stringify({
      sections: [...this.#sectionCounts].map((count) => digits.charAt(count)).join(''),
      scopes: this.#scopes,
      scopeSets,
      pageScopes,
      terms: starts.join(' '),
      pages: this.#pageCounts(),
      vocabulary: this.#vocabulary(counts),
      starts: this.#starts(),
    });
  }

  #pageCounts(): string {
    const { digits } = this.#words;
    return this.#pageStarts
      .map((start, shard) => {
        const count = (this.#pageStarts[shard + 1] ?? this.#pages.length) - start;
        return digits.charAt(90).repeat(Math.floor(count / 90)) + digits.charAt(count % 90);
      })
      .join('');
  }

  /** Most pages have the scope of the page before them. */
  #scopeRuns(): { scopeSets: number[][]; pageScopes: [set: number, pages: number][] } {
    const sets = new Map<string, number>();
    const pageScopes: [number, number][] = [];
    for (const { scopes } of this.#pages) {
      const key = scopes.join(' ');
      const set = sets.get(key) ?? sets.size;
      sets.set(key, set);
      const run = pageScopes.at(-1);
      if (run?.[0] === set) run[1]++;
      else pageScopes.push([set, 1]);
    }
    return { scopeSets: [...sets.keys()].map((key) => key.split(' ').map(Number)), pageScopes };
  }

  #vocabulary(counts: ReadonlyMap<string, number>): string {
    const { digits } = this.#words;
    const chosen = [...counts]
      .filter(([term]) => /^[^\d\u0e00-\uffff]/.test(term) && term.length > 2 && term.length < 24)
      .toSorted((a, b) => b[1] - a[1] || compareText(a[0], b[0]))
      .slice(0, vocabularySize)
      .toSorted((a, b) => compareText(a[0], b[0]));
    let previous = '';
    return chosen
      .map(([term, count]) => {
        const shared = sharedLength(previous, term);
        previous = term;
        return `${digits.charAt(shared)}${term.slice(shared)}${digits.charAt(Math.min(90, Math.round(Math.log2(count) * 4)))}`;
      })
      .join(' ');
  }

  /** The first pages of each scope, offered before anything is typed. */
  #starts(): [title: string, href: string][][] {
    return this.#scopes.map((_, scope) =>
      this.#pages
        .filter((page, position) => page.scopes.includes(scope) && this.#sectionCounts[position] !== 0)
        .slice(0, startsPerScope)
        .map(({ title, href }) => [title, href]),
    );
  }
}

/**
 * All postings as they come, eight bytes each: the term, then 18 bits of page, 7 of section, 7 of weight, which sort as
 * numbers into the order of sections. Grouped by term at the end, without a list for every term.
 */
class PostingLog {
  readonly #blocks: Uint32Array[] = [];
  #used = blockLength;

  add(term: number, posting: number): void {
    if (this.#used === blockLength) {
      this.#blocks.push(new Uint32Array(blockLength));
      this.#used = 0;
    }
    const block = this.#blocks.at(-1) as Uint32Array;
    block[this.#used++] = term;
    block[this.#used++] = posting;
  }

  grouped(terms: number): (term: number) => Uint32Array {
    const starts = new Uint32Array(terms + 1);
    this.#each((term) => (starts[term + 1] = (starts[term + 1] ?? 0) + 1));
    for (let term = 0; term < terms; term++) starts[term + 1] = (starts[term + 1] ?? 0) + (starts[term] ?? 0);
    const sorted = new Uint32Array(starts[terms] ?? 0);
    const next = starts.slice();
    this.#each((term, posting) => {
      const at = next[term] ?? 0;
      sorted[at] = posting;
      next[term] = at + 1;
    });
    this.#blocks.length = 0;
    return (term) => sorted.subarray(starts[term], starts[term + 1]).toSorted();
  }

  #each(visit: (term: number, posting: number) => void): void {
    this.#blocks.forEach((block, index) => {
      const end = index === this.#blocks.length - 1 ? this.#used : blockLength;
      for (let at = 0; at < end; at += 2) visit(block[at] ?? 0, block[at + 1] ?? 0);
    });
  }
}

const blockLength = 1 << 17;

/** The postings with the largest weights, in the order of sections. */
function heaviest(postings: Uint32Array): Uint32Array {
  const perStep = new Uint32Array(128);
  for (const posting of postings) perStep[posting & 127] = (perStep[posting & 127] ?? 0) + 1;
  let threshold = 127;
  for (let kept = 0; threshold > 0; threshold--) {
    kept += perStep[threshold] ?? 0;
    if (kept + (perStep[threshold - 1] ?? 0) > maximumPostings) break;
  }
  return postings.filter((posting) => (posting & 127) >= threshold).subarray(0, maximumPostings);
}

function pageEntry({ title, href, trail }: SearchedPage, { sections }: PageTerms): string {
  return JSON.stringify([
    title,
    href,
    trail.join(' › '),
    sections.map(({ id, title: heading, excerpt }) => [id, heading, excerpt]),
  ]);
}

function file(name: string, data: string): SearchFile {
  return { path: `_docyard/search/${name}.js`, content: `docyardSearch("${name}",${data})\n` };
}

/** Enough of a shard's first term to tell it from the last term before. */
function shortestStart(term: string, previous: string): string {
  return term.slice(0, sharedLength(previous, term) + 1);
}

function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length, 60);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  /** Never between the halves of one character. */
  return at > 0 && /[\ud800-\udbff]/.test(b.charAt(at - 1)) ? at - 1 : at;
}

/** By code unit, as the browser compares. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
