/** The data of `index.js`: everything about the index that is not in its shards. */
import { searchWords } from './browser-code.ts';
import type { SearchScope, SearchedPage } from './pages.ts';
import { sharedLength } from './shards.ts';

const startsPerScope = 6;

export interface IndexParts {
  pages: readonly SearchedPage[];
  scopes: readonly SearchScope[];
  sectionCounts: Uint8Array;
  termStarts: readonly string[];
  pageStarts: readonly number[];
  /** In order, with the number of sections that contain each term. */
  vocabulary: readonly (readonly [term: string, count: number])[];
}

export function indexData(parts: IndexParts): string {
  const { scopeSets, pageScopes } = scopeRuns(parts.pages);
  return JSON.stringify({
    sections: Array.from(parts.sectionCounts, (count) => digits.charAt(count)).join(''),
    scopes: parts.scopes,
    scopeSets,
    pageScopes,
    terms: parts.termStarts.join(' '),
    pages: pageCounts(parts.pageStarts, parts.pages.length),
    ...vocabularyTexts(parts.vocabulary),
    starts: firstPages(parts),
  });
}

const { digits } = searchWords();

/** One digit per file; 90 means that the next digit is added. */
function pageCounts(starts: readonly number[], pages: number): string {
  return starts
    .map((start, shard) => {
      const count = (starts[shard + 1] ?? pages) - start;
      return digits.charAt(90).repeat(Math.floor(count / 90)) + digits.charAt(count % 90);
    })
    .join('');
}

/** Run-length encoding: most pages have the scope of their predecessor. */
function scopeRuns(pages: readonly SearchedPage[]): {
  scopeSets: number[][];
  pageScopes: [set: number, pages: number][];
} {
  const sets = new Map<string, number>();
  const pageScopes: [number, number][] = [];
  for (const { scopes } of pages) {
    const key = scopes.join(' ');
    const set = sets.get(key) ?? sets.size;
    sets.set(key, set);
    const run = pageScopes.at(-1);
    if (run?.[0] === set) run[1]++;
    else pageScopes.push([set, 1]);
  }
  return { scopeSets: [...sets.keys()].map((key) => key.split(' ').map(Number)), pageScopes };
}

/**
 * Each term begins with a capital that encodes how many letters it shares with the previous one, so that no
 * separator is needed. Frequencies are separate, because that compresses better.
 */
function vocabularyTexts(vocabulary: IndexParts['vocabulary']): { vocabulary: string; frequencies: string } {
  let previous = '';
  let terms = '';
  let frequencies = '';
  for (const [term, count] of vocabulary) {
    /** Mathematical letters may become capitals, which would be misread as a prefix length. */
    if (/[A-Z]/.test(term)) continue;
    const shared = Math.min(25, sharedLength(previous, term));
    previous = term;
    terms += String.fromCharCode(65 + shared) + term.slice(shared);
    frequencies += digits.charAt(Math.min(90, Math.round(Math.log2(count) * 2)));
  }
  return { vocabulary: terms, frequencies };
}

function firstPages({ pages, scopes, sectionCounts }: IndexParts): [title: string, href: string][][] {
  return scopes.map((_, scope) => {
    const first: [string, string][] = [];
    for (let at = 0; at < pages.length && first.length < startsPerScope; at++) {
      const page = pages[at];
      if (page?.scopes.includes(scope) && sectionCounts[at] !== 0) first.push([page.title, page.href]);
    }
    return first;
  });
}
