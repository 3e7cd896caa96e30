/**
 * The part of the search script that the builder of the index runs as well: one source for how text becomes terms.
 * It is our own script from the theme's files, never one of a site.
 */
import { readFileSync } from 'node:fs';
import { compileFunction } from 'node:vm';

export interface WordTerms {
  /** The word or identifier as one term; null when only its parts are terms. */
  whole: string | null;
  /** The words inside, when there are several, with their offsets. */
  parts: { term: string; from: number; to: number }[];
  /** Cut into pairs of characters. */
  unspaced: boolean;
  /** The whole, if any, then the parts: for each term one object, the same wherever the term occurs. */
  keys: TermKey[];
}

export interface TermKey {
  text: string;
  /** Too common to look for. */
  common: boolean;
}

export interface SearchWords {
  /** The 91 digits of numbers in the index. */
  digits: string;
  valueOf91: Uint8Array;
  eachWord(text: string, visit: (terms: WordTerms, start: number, end: number) => void): void;
  /** Starts over when so many words are known, and tells whether. */
  forgetWords(most: number): boolean;
  /** What one word or identifier stands for; null when there is nothing to find in it. Not remembered. */
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
