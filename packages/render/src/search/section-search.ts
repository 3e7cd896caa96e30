/** Ranked search over the sections of texts, with the index and the ranking of exported sites. It tolerates typos. */
import { basename } from 'node:path';
import type { PageTerms } from '../model/page.ts';
import { runSearchScripts } from './browser-code.ts';
import { type SearchFile, SearchIndex } from './build.ts';
import { sectionTerms } from './page-terms.ts';
import type { SearchedPage } from './pages.ts';
import { maxSections, type Section } from './sections.ts';

export { maxSections };

/** Headings decide which section is found, so the start of its text is enough. */
const maxTextLength = 600;

export interface SearchedText {
  title: string;
  description: string;
  /** Searched but not shown, such as the words of a path. */
  hints: string;
  /** At most `maxSections`. The title of the text is that of the first one. */
  sections: readonly Section[];
}

export interface IndexedText {
  title: string;
  terms: PageTerms;
}

export interface FoundTexts {
  /** Best first. `href` is the key of the text. */
  results: { href: string; title: string; score: number; sections: { id: string; title: string }[] }[];
  /** The query with its typos corrected; null if it has none. */
  corrected: string | null;
  terms: ReadonlySet<string>;
}

export interface SectionSearch {
  find(query: string, options: { limit: number }): Promise<FoundTexts>;
  /** How many words of a text are among the terms of an answer. */
  countMatches(text: string, terms: ReadonlySet<string>): number;
}

export function indexText({ title, description, hints, sections: all }: SearchedText): IndexedText {
  const sections = all.slice(0, maxSections).map((section) => ({
    ...section,
    text: section.text.slice(0, maxTextLength),
  }));
  return { title, terms: sectionTerms({ sections, title, description }, { keywords: [], boost: 1, hints }) };
}

/** The texts by key. `pause` is called often, so that the caller can yield to other work. */
export async function openSectionSearch(
  texts: ReadonlyMap<string, IndexedText>,
  pause: () => Promise<void>,
): Promise<SectionSearch> {
  const files = new Map<string, unknown>();
  const terms: string[] = [];
  for (const file of indexFiles(texts)) {
    const name = basename(file.path, '.js');
    if (name.startsWith('t')) terms.push(dataOf(file, name) as string);
    else files.set(name, dataOf(file, name));
    await pause();
  }
  // In one shard, the ranking finds every term that a typo can stand for.
  files.set('t0', terms.join('\n'));
  const index = files.get('index') as { terms: string };
  files.set('index', { ...index, terms: index.terms.split(' ', 1)[0] });
  const script = runSearchScripts('1-words.js', '2-shards.js', '3-rank.js') as RankingScript;
  script.fetchShard = async (name) => files.get(name);
  return {
    find: (query, { limit }) => findWithout(script, query, limit),
    countMatches: (text, found) => script.marksIn(text, found).length,
  };
}

/**
 * The ranking requires nearly every word. Callers describe tasks, with words that the text need not have, so each word is also
 * left out once.
 */
async function findWithout(script: RankingScript, query: string, limit: number): Promise<FoundTexts> {
  // Without the space, the last word would be completed like one that a reader is still typing.
  const find = (words: readonly string[]) => script.find(`${words.join(' ')} `, { scope: allScopes, limit });
  const words = query.split(/\s/).filter((word) => word !== '');
  const optional = [...words.keys()].filter((at) => !script.isCommon(script.fold(words[at] ?? '')));
  const left = optional.length < minWordsToLeaveOut ? [] : optional.slice(0, maxWordsLeftOut);
  const all = await find(words);
  const best = new Map(all.results.map((result) => [result.href, result]));
  for (const out of left) {
    const { results } = await find(words.filter((_, at) => at !== out));
    for (const result of results)
      if (result.score > (best.get(result.href)?.score ?? 0)) best.set(result.href, result);
  }
  const results = [...best.values()].toSorted((a, b) => b.score - a.score).slice(0, limit);
  return { ...all, results };
}

const minWordsToLeaveOut = 3;
const maxWordsLeftOut = 8;

interface RankingScript {
  find(query: string, options: { scope: number; limit: number }): Promise<FoundTexts>;
  marksIn(text: string, terms: ReadonlySet<string>): unknown[];
  isCommon(word: string): boolean;
  fold(text: string): string;
  fetchShard(name: string): Promise<unknown>;
}

const allScopes = -1;
/** No files are downloaded, so a common word keeps its places. */
const maxPostings = 100_000;

function* indexFiles(texts: ReadonlyMap<string, IndexedText>): Generator<SearchFile> {
  const task = { keywords: [], boost: 1, hints: '' };
  const pages = new Map<string, SearchedPage>();
  for (const [href, { title }] of texts) pages.set(href, { title, href, trail: [], scopes: [0], task });
  const index = new SearchIndex(pages, [{ language: '', version: '' }], { maxPostings });
  for (const [href, { terms }] of texts) yield* index.add(href, terms);
  yield* index.finish();
}

/** The argument of the only call in a file. The file is not run, because it contains text of authors. */
function dataOf({ content }: SearchFile, name: string): unknown {
  const data = content.slice(`docyardSearch("${name}",`.length, -')\n'.length);
  return data.startsWith('`') ? data.slice(1, -1) : JSON.parse(data);
}
