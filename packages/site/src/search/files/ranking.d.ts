/** The part of the search script of exported sites that answers use. Each call returns an independent search. */
export function createRanking(): Ranking;

export interface Ranking {
  find(
    query: string,
    options: { scope: number; limit: number; partial: boolean },
  ): Promise<{ results: RankedPage[]; words: RankedWord[] }>;
  eachWord(
    text: string,
    visit: (word: { keys: readonly { text: string }[] }, start: number, end: number) => void,
  ): void;
  isCommon(word: string): boolean;
  fold(text: string): string;
  /** Clears the tokenizer's cache once it has this many words. */
  forgetWords(maxWords: number): boolean;
  fetchShard(name: string): Promise<unknown>;
}

export interface RankedPage {
  title: string;
  /** From the root of the site. */
  href: string;
  /** Indexes into the languages and versions of the site. */
  scopes: readonly number[];
  sections: RankedSection[];
  score: number;
}

/** A word of the query; stop words are left out. */
export interface RankedWord {
  /** Including corrections of typos. */
  terms: ReadonlySet<string>;
  rarity: number;
}

export interface RankedSection {
  /** Empty for the start of a page. */
  id: string;
  title: string;
  /** The start of its text. */
  text: string;
  score: number;
}
