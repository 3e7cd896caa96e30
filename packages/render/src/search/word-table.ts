/**
 * Finds the words of a text and the terms they stand for. What a word means is asked of the search script once and kept
 * for the pages that follow in the same process: then a word is found by its code units, without making a string of it.
 */
import { type SearchWords, type TermKey, type WordTerms, searchWords } from './browser-code.ts';
import { grown } from './grown.ts';
import { TermList } from './term-list.ts';
import { isSharpInside, kindOf, kinds, sharpEnd, stringOf } from './unit-kinds.ts';

/** So many words, and as many terms, a process keeps in mind from page to page. 1,000 pages of the corpus have 40,000. */
const wordsRemembered = 100_000;
/** Words of up to so many Latin letters, which nearly all are, fit into three numbers. */
const shortLength = 12;

export class WordTable {
  /** The terms found last, up to `count`: twice the number of a term, and one more for a word inside an identifier. */
  found = new Int32Array(1 << 5);
  count = 0;
  /** How many words they come from. */
  wordCount = 0;
  readonly terms = new TermList();
  readonly #script: SearchWords = searchWords();
  /** Four numbers each, beside each other: three with the letters of a short word, then its meaning. 0 is an empty place. */
  readonly #short = new Int32Array(slotCount * 4);
  /** Two numbers each: two characters of a script without spaces, and their term. */
  readonly #pairs = new Int32Array(slotCount * 2);
  /** Where in the next array a longer word is: its hash, its meaning, its length, its code units. */
  readonly #long = new Int32Array(slotCount);
  #longWords = new Int32Array(1 << 6);
  #longEnd = 1;
  #known = 0;
  /** For each meaning how many terms it has, how many of them are names, the terms as in `found`, and the names. */
  #meanings = new Int32Array(1 << 6);
  #meaningsEnd = 1;
  #wantsNames = false;

  constructor() {
    /** What another table has noted on the keys of the script means nothing here. */
    this.#script.forgetWords(0);
    /** As in `TermList`. */
    this.found = grown(this.found, 1);
    this.#meanings = grown(this.#meanings, 1);
    this.#longWords = grown(this.#longWords, 1);
  }

  /** Starts over when too much is known; only between two pages. */
  forgetSome(): void {
    const isFull = this.#known > wordsRemembered || this.terms.count > wordsRemembered;
    if (!this.#script.forgetWords(isFull ? 0 : 4 * wordsRemembered)) return;
    this.#short.fill(0);
    this.#pairs.fill(0);
    this.#long.fill(0);
    this.#longEnd = 1;
    this.#known = 0;
    this.#meaningsEnd = 1;
    this.terms.clear();
  }

  findTerms(units: Uint16Array, from: number, to: number): void {
    this.#wantsNames = false;
    this.#scan(units, from, to);
  }

  /** Of code only the names: what is called and set. The same one may come several times. */
  findNames(units: Uint16Array, from: number, to: number): void {
    this.#wantsNames = true;
    this.#scan(units, from, to);
  }

  #scan(units: Uint16Array, from: number, to: number): void {
    this.count = 0;
    this.wordCount = 0;
    let at = from;
    while (at < to) {
      const kind = kindOf(units[at] as number);
      if (kind === kinds.letter) at = this.#word(units, at, from, to);
      else if (kind === kinds.unspaced) at = this.#unspaced(units, at, to);
      else if (kind === kinds.foreign) at = this.#askForRun(units, at, to);
      else at++;
    }
  }

  /**
   * Takes the word that begins here, and answers where to go on. What is seldom is left to another method: V8 compiles this one
   * for what it has seen by then, and anew for each place where something else comes.
   */
  #word(units: Uint16Array, start: number, from: number, to: number): number {
    let first = 0;
    let second = 0;
    let third = units[start] as number;
    let all = third;
    const begin = start + 1;
    let at = begin;
    let isPlain = true;
    for (; ; at++) {
      const unit = at < to ? (units[at] as number) : 0;
      const kind = kindOf(unit);
      if (kind > kinds.underscore) {
        const next = at + 1 < to ? kindOf(units[at + 1] as number) : kinds.between;
        if (kind === kinds.joint) isPlain = next !== kinds.foreign;
        else isPlain = kind !== kinds.foreign && (kind !== kinds.sharp || at > begin);
        if (kind !== kinds.joint || next !== kinds.letter) break;
      } else if (kind === kinds.between) break;
      first = (first << 8) | (second >>> 24);
      second = (second << 8) | (third >>> 24);
      third = (third << 8) | unit;
      all |= unit;
    }
    if (!isPlain) return this.#seldom(units, start, { from, at, to });
    if (at - start > shortLength || all > 255) this.#longWord(units, start, at);
    else if (!this.#shortWord(first, second, third))
      this.#newWord(first, second, third, stringOf(units, start, at));
    return at;
  }

  /** A word that stopped `at` something the script has to judge, or a letter with a sign behind it. */
  #seldom(
    units: Uint16Array,
    start: number,
    { from, at, to }: { from: number; at: number; to: number },
  ): number {
    return kindOf(units[at] as number) === kinds.sharp
      ? this.#sharp(units, start, from, to)
      : this.#askForRun(units, start, to);
  }

  #sharp(units: Uint16Array, start: number, from: number, to: number): number {
    const end = isSharpInside(units, start, from) ? 0 : sharpEnd(units, start, to);
    const next = end > 0 && end < to ? kindOf(units[end] as number) : kinds.between;
    if (next === kinds.foreign) return this.#askForRun(units, start, to);
    const isSharp = end > 0 && next !== kinds.letter && next !== kinds.unspaced;
    this.#longWord(units, start, isSharp ? end : start + 1);
    return isSharp ? end : start + 1;
  }

  /** Takes a short word, if it is known. */
  #shortWord(first: number, second: number, third: number): boolean {
    const meaning = this.#short[this.#slotOf(first, second, third) + 3] as number;
    if (meaning === 0) return false;
    this.#repeat(meaning);
    return true;
  }

  #newWord(first: number, second: number, third: number, word: string): void {
    const learned = this.#learn(word);
    if (learned > 0) this.#short.set([first, second, third, learned], this.#slotOf(first, second, third));
  }

  /** Where a short word stands, or would. */
  #slotOf(first: number, second: number, third: number): number {
    const table = this.#short;
    let hash =
      Math.imul(first, 0x9e_37_79_b1) ^ Math.imul(second, 0x85_eb_ca_6b) ^ Math.imul(third, 0xc2_b2_ae_35);
    hash ^= hash >>> 15;
    // Counted on each time, also where the first place is the right one: else two words that meet are something new to V8.
    for (let next = hash; ;) {
      const at = (next++ & (slotCount - 1)) * 4;
      if (table[at + 3] === 0) return at;
      if (table[at + 2] === third && table[at + 1] === second && table[at] === first) return at;
    }
  }

  #longWord(units: Uint16Array, start: number, end: number): void {
    const length = end - start;
    let hash = length;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (units[at] as number), 0x01_00_01_93);
    hash ^= hash >>> 15;
    const words = this.#longWords;
    for (let next = hash; ;) {
      const slot = next++ & (slotCount - 1);
      const word = this.#long[slot] as number;
      if (word === 0) {
        const meaning = this.#learn(stringOf(units, start, end));
        if (meaning > 0) this.#long[slot] = this.#keepLong(hash, meaning, units.subarray(start, end));
        return;
      }
      if (words[word] !== hash || words[word + 2] !== length) continue;
      let at = 0;
      while (at < length && words[word + 3 + at] === units[start + at]) at++;
      if (at === length) return this.#repeat(words[word + 1] as number);
    }
  }

  #keepLong(hash: number, meaning: number, units: Uint16Array): number {
    const word = this.#longEnd;
    this.#longEnd += 3 + units.length;
    if (this.#longEnd > this.#longWords.length) this.#longWords = grown(this.#longWords, this.#longEnd);
    this.#longWords.set([hash, meaning, units.length], word);
    this.#longWords.set(units, word + 3);
    return word;
  }

  #repeat(meaning: number): void {
    const meanings = this.#meanings;
    const terms = meanings[meaning] as number;
    if (terms > 0) this.wordCount++;
    let at = meaning + 2;
    let end = at + terms;
    if (this.#wantsNames) {
      at = end;
      end += meanings[meaning + 1] as number;
    }
    if (this.count + end - at > this.found.length) this.found = grown(this.found, this.count + end - at);
    while (at < end) this.found[this.count++] = meanings[at++] as number;
  }

  /** Finds out what a word stands for, takes it, and answers where its meaning is kept; 0 when there is no more room. */
  #learn(piece: string): number {
    const terms = this.#script.wordTerms(piece);
    if (this.#known >= slotCount / 2 || piece.length > longestRemembered) {
      this.#give(terms, piece);
      return 0;
    }
    this.#known++;
    const meaning = this.#define(terms, piece);
    this.#repeat(meaning);
    return meaning;
  }

  /** For once. */
  #give(terms: WordTerms | null, piece: string): void {
    const meaning = this.#define(terms, piece);
    this.#repeat(meaning);
    this.#meaningsEnd = meaning;
  }

  #define(terms: WordTerms | null, piece: string): number {
    const meaning = this.#meaningsEnd;
    this.#mean(0);
    this.#mean(0);
    if (!terms) return meaning;
    const { keys, whole, parts } = terms;
    for (let at = 0; at < keys.length; at++)
      this.#mean(this.terms.numberOf(keys[at] as TermKey) * 2 + (whole === null || at === 0 ? 0 : 1));
    this.#meanings[meaning] = keys.length;
    this.#meanName(terms);
    if (parts.length > 0) this.#meanMembers(piece);
    this.#meanings[meaning + 1] = this.#meaningsEnd - meaning - 2 - keys.length;
    return meaning;
  }

  /** `client.sendBatch` names three things: itself, and what is on either side. */
  #meanMembers(piece: string): void {
    const members = piece.split(/['’.\-/:@]/);
    if (members.length > 1)
      for (const member of members) this.#script.eachWord(member, (terms) => this.#meanName(terms));
  }

  #meanName({ whole, keys }: WordTerms): void {
    const [name] = keys;
    if (whole === null || !name || name.common || whole.length < 3) return;
    const first = whole.charCodeAt(0);
    if (first < 48 || first > 57) this.#mean(this.terms.numberOf(name) * 2);
  }

  #mean(value: number): void {
    if (this.#meaningsEnd === this.#meanings.length)
      this.#meanings = grown(this.#meanings, this.#meaningsEnd + 1);
    this.#meanings[this.#meaningsEnd++] = value;
  }

  /** A run of a script without spaces, whose terms are its pairs of characters. It names nothing in code. */
  #unspaced(units: Uint16Array, start: number, to: number): number {
    let end = start + 1;
    let kind: number = kinds.between;
    for (; end < to; end++) {
      kind = kindOf(units[end] as number);
      if (kind !== kinds.unspaced) break;
    }
    if (end < to && kind === kinds.foreign) return this.#askForRun(units, start, to);
    this.wordCount++;
    if (this.#wantsNames) return end;
    if (end === start + 1) this.#pair(units[start] as number, 0);
    for (let at = start; at + 1 < end; at++) this.#pair(units[at] as number, units[at + 1] as number);
    return end;
  }

  #pair(left: number, right: number): void {
    const table = this.#pairs;
    const pair = (left << 16) | right;
    let hash = Math.imul(pair, 0x9e_37_79_b1);
    hash ^= hash >>> 15;
    if (this.count === this.found.length) this.found = grown(this.found, this.count + 1);
    for (let slot = hash & (slotCount - 1); ; slot = (slot + 1) & (slotCount - 1)) {
      const at = slot * 2;
      if (table[at] === pair) {
        this.found[this.count++] = table[at + 1] as number;
        return;
      }
      if (table[at] !== 0) continue;
      const text = right === 0 ? String.fromCharCode(left) : String.fromCharCode(left, right);
      this.#script.eachWord(text, ({ keys }) => this.#put(keys[0] as TermKey));
      if (this.#known++ < slotCount / 2) table.set([pair, this.found[this.count - 1] as number], at);
      return;
    }
  }

  /** Everything up to what surely is no part of a word, judged by the script. */
  #askForRun(units: Uint16Array, start: number, to: number): number {
    let end = start;
    while (end < to && kindOf(units[end] as number) !== kinds.between) end++;
    const run = stringOf(units, start, end);
    this.#script.eachWord(run, (terms, from, until) => this.#give(terms, run.slice(from, until)));
    return end;
  }

  #put(key: TermKey): void {
    this.found[this.count++] = this.terms.numberOf(key) * 2;
  }
}

/** Never more than half full, however many words one page has. */
const slotCount = 1 << 18;
/** Pieces of more code units are no words. */
const longestRemembered = 200;
