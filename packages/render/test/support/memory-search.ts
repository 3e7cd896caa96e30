/** Builds an index from HTML pages and queries it with the browser's code. */
import { compileFunction } from 'node:vm';
import { SearchIndex } from '../../src/search/build.ts';
import { runSearchScripts } from '../../src/search/browser-code.ts';
import { pageTerms } from '../../src/search/page-terms.ts';
import type { SearchScope, SearchedPage } from '../../src/search/pages.ts';
import type { SearchTask } from '../../src/model/page.ts';

export interface TestPage {
  title: string;
  html: string;
  description?: string;
  keywords?: string[];
  boost?: number;
  scopes?: number[];
}

export interface Found {
  title: string;
  href: string;
  sections: { id: string; title: string; text: string }[];
}

export interface Answer {
  results: Found[];
  total: number;
  corrected: string | null;
  terms: Set<string>;
}

export interface BrowserSearch {
  find(question: string, options: { scope: number; limit: number; isStale?: () => boolean }): Promise<Answer>;
  suggest(question: string, scope: number): Promise<string[]>;
  marksIn(text: string, terms: Set<string>): [number, number][];
  fetchShard(name: string): Promise<unknown>;
}

export function indexFiles(
  pages: readonly TestPage[],
  { order, scopes = [{ language: '', version: '' }] }: { order?: number[]; scopes?: SearchScope[] } = {},
): Map<string, string> {
  const taskOf = ({ keywords = [], boost = 1 }: TestPage): SearchTask => ({ keywords, boost, hints: '' });
  const searched = new Map<string, SearchedPage>(
    pages.map((page, at) => [
      `p${at}`,
      { title: page.title, href: `p${at}.html`, trail: [], scopes: page.scopes ?? [0], task: taskOf(page) },
    ]),
  );
  const index = new SearchIndex(searched, scopes);
  const files = new Map<string, string>();
  for (const at of order ?? pages.keys()) {
    const page = pages[at];
    const terms = page && pageTerms({ description: '', ...page }, taskOf(page));
    for (const { path, content } of index.add(`p${at}`, terms)) files.set(path, content);
  }
  for (const { path, content } of index.finish()) files.set(path, content);
  return files;
}

/** `loaded` lists the files that the search has read. */
export function searchIn(files: ReadonlyMap<string, string>): { search: BrowserSearch; loaded: string[] } {
  const search = runSearchScripts('1-words.js', '2-shards.js', '3-rank.js') as BrowserSearch;
  const loaded: string[] = [];
  search.fetchShard = async (name) => {
    const path = `_docyard/search/${name}.js`;
    loaded.push(path);
    let data: unknown;
    const receive = (_: string, value: unknown): void => void (data = value);
    compileFunction(files.get(path) ?? 'throw new Error("missing")', ['docyardSearch'])(receive);
    return data;
  };
  return { search, loaded };
}
