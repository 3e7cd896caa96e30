/** The data of `index.js`, which is loaded first: everything about the index that is not in its shards. */
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
  /** In order, with the number of sections each is in. */
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
    vocabulary: vocabularyText(parts.vocabulary),
    starts: firstPages(parts),
  });
}

const { digits } = searchWords();

/** How many pages each file holds, one digit each; 90 means that the next digit is to be added. */
function pageCounts(starts: readonly number[], pages: number): string {
  return starts
    .map((start, shard) => {
      const count = (starts[shard + 1] ?? pages) - start;
      return digits.charAt(90).repeat(Math.floor(count / 90)) + digits.charAt(count % 90);
    })
    .join('');
}

/** Most pages have the scope of the page before them. */
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

function vocabularyText(vocabulary: IndexParts['vocabulary']): string {
  let previous = '';
  return vocabulary
    .map(([term, count]) => {
      const shared = sharedLength(previous, term);
      previous = term;
      return `${digits.charAt(shared)}${term.slice(shared)}${digits.charAt(Math.min(90, Math.round(Math.log2(count) * 4)))}`;
    })
    .join(' ');
}

/** The first pages of each scope, offered before anything is typed. */
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
