/**
 * Finds the words of texts by number. The search script decides what a word is; this class keeps the words of
 * Latin letters in a typed array, because a string for each occurrence takes several times as long.
 */
import type { SearchWords, WordTerms } from './browser-code.ts';
import { growArray } from './grow-array.ts';

/** The word-boundary class of each UTF-16 code unit, independent of context. */
const kinds = {
  between: 0,
  /** A Latin letter or a digit. */
  letter: 1,
  underscore: 2,
  /** Joins two words, as in `user.name`. */
  joint: 3,
  /** As in C++ and C#. */
  sharp: 4,
  /** Part of a script without spaces between words. */
  unspaced: 5,
  /** Decided by the search script, which sees the whole word. */
  foreign: 6,
} as const;

const kindOfUnit = new Uint8Array(1 << 16).fill(kinds.foreign);

const latinEnd = 0x2_50;
for (let unit = 0; unit < latinEnd; unit++) {
  const sign = String.fromCharCode(unit);
  if (/[\p{L}\p{N}]/u.test(sign)) kindOfUnit[unit] = kinds.letter;
  else if (sign === '_') kindOfUnit[unit] = kinds.underscore;
  else if (/['.\-/:@]/.test(sign)) kindOfUnit[unit] = kinds.joint;
  else kindOfUnit[unit] = /[+#]/.test(sign) ? kinds.sharp : kinds.between;
}

function setKind(kind: number, first: number, last = first): void {
  kindOfUnit.fill(kind, first, last + 1);
}

// Dashes, quotes, arrows and symbols.
setKind(kinds.between, 0x20_10, 0x20_3f);
setKind(kinds.joint, 0x20_19);
setKind(kinds.between, 0x21_90, 0x23_ff);
setKind(kinds.between, 0x25_00, 0x27_75);
// Chinese, Japanese and Korean: punctuation, and characters that case folding does not change.
setKind(kinds.between, 0x30_00, 0x30_04);
setKind(kinds.between, 0x30_08, 0x30_20);
setKind(kinds.unspaced, 0x30_41, 0x30_96);
setKind(kinds.unspaced, 0x30_a1, 0x30_fa);
setKind(kinds.between, 0x30_fb);
setKind(kinds.unspaced, 0x30_fc);
setKind(kinds.unspaced, 0x4e_00, 0x9f_ff);
setKind(kinds.unspaced, 0xac_00, 0xd7_a3);
setKind(kinds.between, 0xff_01, 0xff_0f);
setKind(kinds.between, 0xff_1a, 0xff_20);
setKind(kinds.between, 0xff_3b, 0xff_40);
setKind(kinds.between, 0xff_5b, 0xff_65);

/** Numbers a word when it is found for the first time. The result is at least 1. */
export type NumberWord = (word: WordTerms, source: string) => number;

/** A longer word is found by its string. */
const maxPackedLetters = 12;
/** Three numbers with the letters of a word and the number of the word; 0 marks an empty slot. */
const numbersPerSlot = 4;
const initialSlots = 1 << 12;

export class WordReader {
  /** The words of the last text, in order; of a script without spaces the pairs of its signs. */
  found = new Int32Array(1 << 10);
  count = 0;
  /** The number of words, where a sequence of pairs is one word. */
  words = 0;
  /** The number of different words. */
  size = 0;
  readonly #script: SearchWords;
  readonly #numberWord: NumberWord;
  readonly #longWords = new Map<string, number>();
  #slots = new Int32Array(initialSlots * numbersPerSlot);
  #usedSlots = 0;
  /** The code units of the text. */
  #units = new Uint16Array(1 << 12);
  #bytes = Buffer.from(this.#units.buffer);
  #text = '';

  constructor(script: SearchWords, numberWord: NumberWord) {
    this.#script = script;
    this.#numberWord = numberWord;
  }

  forget(): void {
    this.#longWords.clear();
    this.#slots = new Int32Array(initialSlots * numbersPerSlot);
    this.#usedSlots = this.size = 0;
  }

  /** Fills `found`. */
  read(text: string): void {
    this.#text = text;
    this.count = this.words = 0;
    if (text.length >= this.#units.length) {
      this.#units = new Uint16Array(2 * text.length);
      this.#bytes = Buffer.from(this.#units.buffer);
    }
    const units = this.#units;
    this.#bytes.write(text, 'utf16le');
    units[text.length] = 0;
    for (let at = 0; at < text.length;) {
      const kind = kindOfUnit[units[at] as number];
      if (kind === kinds.letter) at = this.#readWord(units, at);
      else if (kind === kinds.unspaced) at = this.#readPairs(units, at);
      else if (kind === kinds.foreign) at = this.#readRun(units, at);
      else at++;
    }
  }

  /** Reads the word that begins here and returns its end. */
  #readWord(units: Uint16Array, start: number): number {
    let first = 0;
    let second = 0;
    let third = units[start] as number;
    let all = third;
    let at = start + 1;
    for (; ; at++) {
      const unit = units[at] as number;
      const kind = kindOfUnit[unit] as number;
      if (kind > kinds.underscore) {
        const next = kindOfUnit[units[at + 1] as number];
        // The script decides where such a word ends.
        if (kind === kinds.foreign || kind === kinds.unspaced) return this.#readRun(units, start);
        if (kind === kinds.sharp && at === start + 1) return this.#readRun(units, start);
        if (kind === kinds.sharp) break;
        if (next === kinds.foreign || next === kinds.unspaced) return this.#readRun(units, start);
        if (next !== kinds.letter) break;
      } else if (kind === kinds.between) break;
      first = (first << 8) | (second >>> 24);
      second = (second << 8) | (third >>> 24);
      third = (third << 8) | unit;
      all |= unit;
    }
    if (at - start > maxPackedLetters || all > 255)
      this.#addWord(this.#longWord(this.#text.slice(start, at)));
    else this.#addWord(this.#packedWord(first, second, third, start, at));
    return at;
  }

  #readPairs(units: Uint16Array, start: number): number {
    let end = start + 1;
    while (kindOfUnit[units[end] as number] === kinds.unspaced) end++;
    if (kindOfUnit[units[end] as number] !== kinds.between) return this.#readRun(units, start);
    this.words++;
    const last = Math.max(start + 1, end - 1);
    for (let at = start; at < last; at++) {
      const pairEnd = Math.min(at + 2, end);
      const [left, right] = [units[at] as number, pairEnd === at + 1 ? 0 : (units[at + 1] as number)];
      this.#add(this.#packedWord(pairMark, left, right, at, pairEnd));
    }
    return end;
  }

  /** Finds a word by three numbers that identify it. */
  #packedWord(first: number, second: number, third: number, start: number, end: number): number {
    const slots = this.#slots;
    const last = slots.length - numbersPerSlot;
    let slot = (hashOf(first, second, third) * numbersPerSlot) & last;
    for (; slots[slot + 3] !== 0; slot = (slot + numbersPerSlot) & last)
      if (slots[slot + 2] === third && slots[slot + 1] === second && slots[slot] === first)
        return slots[slot + 3] as number;
    const source = this.#text.slice(start, end);
    const number = first === pairMark ? this.#newPair(source) : this.#newWord(source);
    slots[slot] = first;
    slots[slot + 1] = second;
    slots[slot + 2] = third;
    slots[slot + 3] = number;
    if (++this.#usedSlots * 2 * numbersPerSlot > slots.length) this.#growSlots();
    return number;
  }

  #growSlots(): void {
    const before = this.#slots;
    const slots = new Int32Array(before.length * 2);
    const last = slots.length - numbersPerSlot;
    for (let from = 0; from < before.length; from += numbersPerSlot) {
      if (before[from + 3] === 0) continue;
      const hash = hashOf(before[from] as number, before[from + 1] as number, before[from + 2] as number);
      let slot = (hash * numbersPerSlot) & last;
      while (slots[slot + 3] !== 0) slot = (slot + numbersPerSlot) & last;
      slots.set(before.subarray(from, from + numbersPerSlot), slot);
    }
    this.#slots = slots;
  }

  #longWord(source: string): number {
    let number = this.#longWords.get(source);
    if (number === undefined) {
      number = this.#newWord(source);
      this.#longWords.set(source, number);
    }
    return number;
  }

  #newWord(source: string): number {
    this.size++;
    const word = this.#script.wordTerms(source);
    return word ? this.#numberWord(word, source) : noWord;
  }

  #newPair(source: string): number {
    let number = noWord;
    this.size++;
    this.#script.eachWord(source, (word) => (number = this.#numberWord(word, source)));
    return number;
  }

  /** Passes everything up to a certain word boundary to the script. */
  #readRun(units: Uint16Array, start: number): number {
    let end = start;
    while (kindOfUnit[units[end] as number] !== kinds.between) end++;
    const run = this.#text.slice(start, end);
    this.#script.eachWord(run, (word, from, to) => {
      const source = run.slice(from, to);
      let number = this.#longWords.get(source);
      if (number === undefined) {
        number = this.#numberWord(word, source);
        this.size++;
        this.#longWords.set(source, number);
      }
      this.#addWord(number);
    });
    return end;
  }

  #addWord(number: number): void {
    if (number === noWord) return;
    this.words++;
    this.#add(number);
  }

  #add(number: number): void {
    if (this.count === this.found.length) this.found = growArray(this.found, this.count + 1);
    this.found[this.count++] = number;
  }
}

/** Only signs, or longer than any term. */
const noWord = -1;
/** In place of the first letters, for two signs of a script without spaces. */
const pairMark = -1;

function hashOf(first: number, second: number, third: number): number {
  const hash =
    Math.imul(first, 0x9e_37_79_b1) ^ Math.imul(second, 0x85_eb_ca_6b) ^ Math.imul(third, 0xc2_b2_ae_35);
  return hash ^ (hash >>> 15);
}
