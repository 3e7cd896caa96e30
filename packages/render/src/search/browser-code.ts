/**
 * Runs the tokenizer of the browser's search script, so that the index and queries share one tokenizer. It is
 * the theme's script, never one of a site.
 */
import { readFileSync } from 'node:fs';
import { compileFunction } from 'node:vm';

export interface WordTerms {
  /** The word or identifier as one term; null when only its parts are terms. */
  whole: string | null;
  /** The words of a compound, with their offsets. */
  parts: { term: string; from: number; to: number }[];
  /** Split into bigrams. */
  unspaced: boolean;
  /** The whole, if any, then the parts. Each term has one object, shared by all its occurrences. */
  keys: TermKey[];
}

export interface TermKey {
  text: string;
  /** A stop word. */
  common: boolean;
}

export interface SearchWords {
  /** The 91 digits of numbers in the index. */
  digits: string;
  valueOf91: Uint8Array;
  eachWord(text: string, visit: (terms: WordTerms, start: number, end: number) => void): void;
  /** Clears the cache once it has this many words; returns whether it did. */
  forgetWords(most: number): boolean;
  /** Null when the word has no terms. Not cached. */
  wordTerms(piece: string): WordTerms | null;
  isCommon(term: string): boolean;
  stepOf(weight: number): number;
  weightOf(step: number): number;
}

let words: SearchWords | undefined;

export function searchWords(): SearchWords {
  words ??= runSearchScripts('1-words.js') as SearchWords;
  return words;
}

/** Runs parts of the search script in order; tests run more of them than the builder. */
export function runSearchScripts(...parts: string[]): unknown {
  const window: { docyardSearch?: unknown } = {};
  for (const part of parts) {
    const source = readFileSync(new URL(`../theme/files/search/${part}`, import.meta.url), 'utf8');
    compileFunction(source, ['window'], { filename: part })(window);
  }
  return window.docyardSearch;
}
