/**
 * Extracts the search sections and weighted terms of one page, in the render process, so that the main
 * process only merges.
 */
import { type SearchWords, type TermKey, type WordTerms, searchWords } from './browser-code.ts';
import { growArray } from './grow-array.ts';
import { TermsWriter, encodedTerm, noPosting, packedPosting } from './packed-terms.ts';
import { type Section, sectionsOf, withoutExtraSpace } from './sections.ts';
import { WordReader } from './word-reader.ts';
import type { PageTerms, SearchTask } from '../model/page.ts';

/** Relative to a word in the text. A word in a short field weighs more than one in a long field. */
const weights = { title: 10, heading: 5, keywords: 4, description: 3, hints: 2, text: 1, code: 0.35 };
/** Of words inside an identifier. */
const partWeight = 0.6;
/** The average length of a section. A constant, so that pages are independent of each other. */
const usualWords = 60;
/** Of a section. */
const maxNamesInCode = 40;
const excerptLength = 420;
/** Enough for an excerpt in most sections. */
const maxExcerptSource = 1000;
/** The number of words, and of terms, that a process caches across pages. */
let maxCachedWords = 100_000;
/** A large site trades tokenizing time for memory. */
const smallWordCache = 25_000;

export function pageTerms(
  page: { html: string; title: string; description: string },
  task: SearchTask,
): PageTerms {
  return sectionTerms({ ...page, sections: sectionsOf(page.html) }, task);
}

/** The first section is the start of the page; its title is not searched. */
export function sectionTerms(
  page: { sections: readonly Section[]; title: string; description: string },
  task: SearchTask,
): PageTerms {
  counter ??= new TermCounter();
  return counter.termsOf(page, task);
}

export function useSmallWordCache(): void {
  maxCachedWords = smallWordCache;
}

/** One per process, because its word cache serves every page. */
let counter: TermCounter | undefined;

/** Positions in the values of a term. */
const slot = {
  /** The section, field and page that the other values belong to, numbered across pages. */
  section: 0,
  field: 1,
  page: 2,
  /** Occurrences in the text of the section. */
  times: 3,
  weight: 4,
  /** The last posting of the page. */
  posting: 5,
} as const;
const valuesPerTerm = 8;
class TermCounter {
  readonly #script: SearchWords = searchWords();
  readonly #words = new WordReader(this.#script, (word, source) => this.#addWord(word, source));
  /**
   * By number of a word: how many terms and names it has, its terms, its names. A term is the position of its values;
   * a part of a word is marked by an odd number.
   */
  #meanings = new Int32Array(1 << 14);
  #meaningsEnd = 1;
  /** By term; one typed array, so that counting a word touches one place in memory. */
  #values = new Float64Array(valuesPerTerm << 12);
  #keys: TermKey[] = [];
  #encodedTerms: Uint8Array[] = [];
  readonly #terms = new Map<TermKey, number>();
  #lastNumber = 0;
  #page = 0;
  #section = 0;
  #termsOfPage: number[] = [];
  #termsOfSection: number[] = [];
  /** Pairs: the section and the step, and the previous posting of the term on the page. */
  #postings: number[] = [];
  #lastWeight = 0;
  #lastStep = 0;

  termsOf(
    { sections, title, description }: { sections: readonly Section[]; title: string; description: string },
    { keywords, boost, hints }: SearchTask,
  ): PageTerms {
    this.#trimCache();
    this.#page = ++this.#lastNumber;
    this.#termsOfPage = [];
    this.#postings = [];
    for (const [index, section] of sections.entries()) {
      this.#section = ++this.#lastNumber;
      this.#termsOfSection = [];
      if (index > 0) this.#addField(section.title, weights.heading);
      else {
        this.#addField(title, weights.title);
        this.#addField(description, weights.description);
        this.#addKeywords(keywords);
        this.#addField(hints, weights.hints);
      }
      this.#addText(section.text);
      this.#addNames(section.code);
      this.#endSection(index, boost);
    }
    const writer = new TermsWriter(sections.length, JSON.stringify(shownSections(sections, description)));
    for (const term of this.#termsOfPage)
      writer.addTerm(
        this.#encodedTerms[term / valuesPerTerm] as Uint8Array,
        this.#postings,
        this.#values[term + slot.posting] as number,
      );
    return writer.bytes();
  }

  #trimCache(): void {
    const isFull = this.#words.size > maxCachedWords || this.#keys.length > maxCachedWords;
    if (!this.#script.forgetWords(isFull ? 0 : 4 * maxCachedWords)) return;
    this.#words.forget();
    this.#meaningsEnd = 1;
    this.#terms.clear();
    this.#keys = [];
    this.#encodedTerms = [];
    this.#values.fill(0);
  }

  #addField(text: string, weight: number): void {
    for (const [term, part] of this.#partsOf(text)) this.#add(term, weight * part);
  }

  /** A word in several keywords counts once. */
  #addKeywords(keywords: readonly string[]): void {
    const best = new Map<number, number>();
    for (const keyword of keywords)
      for (const [term, part] of this.#partsOf(keyword))
        best.set(term, Math.max(weights.keywords * part, best.get(term) ?? 0));
    for (const [term, weight] of best) this.#add(term, weight);
  }

  /** The distinct terms of a field with the part of its weight that each receives. */
  #partsOf(text: string): Map<number, number> {
    this.#words.read(text);
    const { found, count } = this.#words;
    const shares = new Map<number, number>();
    for (const word of found.subarray(0, count)) {
      const first = word + 2;
      for (const entry of this.#meanings.subarray(first, first + (this.#meanings[word] as number))) {
        const [term, share] = entry & 1 ? [entry - 1, partWeight] : [entry, 1];
        shares.set(term, Math.max(share, shares.get(term) ?? 0));
      }
    }
    const each = 1 / (1 + 0.12 * Math.max(0, this.#words.words - 1));
    return new Map([...shares].map(([term, share]) => [term, each * share]));
  }

  #addText(text: string): void {
    this.#words.read(text);
    const { found, count } = this.#words;
    for (let at = 0; at < count; at++) this.#countTerms(found[at] as number, this.#section);
    const shortness = 1.2 * (0.25 + (0.75 * this.#words.words) / usualWords);
    const values = this.#values;
    for (const term of this.#termsOfSection) {
      const times = values[term + slot.times] as number;
      if (times > 0 && !this.#keyOf(term).common)
        this.#add(term, (weights.text * times * 2.2) / (times + shortness));
    }
  }

  #countTerms(word: number, section: number): void {
    const meanings = this.#meanings;
    const values = this.#values;
    const first = word + 2;
    const end = first + (meanings[word] as number);
    for (let at = first; at < end; at++) {
      const entry = meanings[at] as number;
      const isPart = entry & 1;
      const term = entry - isPart;
      const share = isPart === 0 ? 1 : partWeight;
      if (values[term + slot.section] === section) {
        values[term + slot.times] = (values[term + slot.times] as number) + share;
        continue;
      }
      this.#begin(term);
      values[term + slot.times] = share;
    }
  }

  /** Called functions and assigned keys. Each distinct name counts once. */
  #addNames(code: string): void {
    this.#words.read(code);
    const { found, count } = this.#words;
    const field = ++this.#lastNumber;
    let names = 0;
    for (let at = 0; at < count && names < maxNamesInCode; at++)
      names += this.#addNamesOf(found[at] as number, field, maxNamesInCode - names);
  }

  /** Returns the number of names that are new in the field. */
  #addNamesOf(word: number, field: number, maxNames: number): number {
    const meanings = this.#meanings;
    const values = this.#values;
    const first = word + 2 + (meanings[word] as number);
    const end = first + (meanings[word + 1] as number);
    let names = 0;
    for (let at = first; at < end && names < maxNames; at++) {
      const term = meanings[at] as number;
      if (values[term + slot.field] === field) continue;
      values[term + slot.field] = field;
      names++;
      this.#add(term, weights.code);
    }
    return names;
  }

  /** Returns the number of a new word. */
  #addWord(word: WordTerms, source: string): number {
    const terms = word.keys.map((key, at) => this.#termOf(key) + (word.whole === null || at === 0 ? 0 : 1));
    const names = this.#namesIn(word, source);
    const number = this.#meaningsEnd;
    this.#meaningsEnd += 2 + terms.length + names.length;
    if (this.#meaningsEnd > this.#meanings.length)
      this.#meanings = growArray(this.#meanings, this.#meaningsEnd);
    this.#meanings.set([terms.length, names.length, ...terms, ...names], number);
    return number;
  }

  /** `client.sendBatch` has three names: itself and both sides. */
  #namesIn(word: WordTerms, source: string): number[] {
    const members: WordTerms[] = [word];
    if (word.parts.length > 0 && memberSign.test(source))
      for (const member of source.split(memberSign))
        this.#script.eachWord(member, (found) => members.push(found));
    return members.flatMap((member) => this.#nameOf(member) ?? []);
  }

  #nameOf({ whole, keys: [key] }: WordTerms): number | undefined {
    if (whole === null || !key || key.common || whole.length < 3 || /^\d/.test(whole)) return undefined;
    return this.#termOf(key);
  }

  #termOf(key: TermKey): number {
    const known = this.#terms.get(key);
    if (known !== undefined) return known;
    const term = this.#keys.length * valuesPerTerm;
    this.#keys.push(key);
    this.#encodedTerms.push(encodedTerm(key.text));
    this.#terms.set(key, term);
    if (term === this.#values.length) this.#values = growArray(this.#values, 2 * term);
    return term;
  }

  #keyOf(term: number): TermKey {
    return this.#keys[term / valuesPerTerm] as TermKey;
  }

  /** Counts from zero in a new section. */
  #begin(term: number): void {
    const values = this.#values;
    values[term + slot.section] = this.#section;
    values[term + slot.times] = 0;
    values[term + slot.weight] = 0;
    this.#termsOfSection.push(term);
  }

  #add(term: number, weight: number): void {
    const values = this.#values;
    if (values[term + slot.section] !== this.#section) this.#begin(term);
    values[term + slot.weight] = (values[term + slot.weight] as number) + weight;
  }

  #endSection(section: number, boost: number): void {
    const values = this.#values;
    for (const term of this.#termsOfSection) {
      const weight = values[term + slot.weight] as number;
      if (weight === 0) continue;
      if (values[term + slot.page] !== this.#page) {
        values[term + slot.page] = this.#page;
        values[term + slot.posting] = noPosting;
        this.#termsOfPage.push(term);
      }
      const previous = values[term + slot.posting] as number;
      values[term + slot.posting] = this.#postings.length;
      this.#postings.push(packedPosting(section, this.#stepOf(weight * boost)), previous);
    }
  }

  #stepOf(weight: number): number {
    // Most words occur once and have the same weight.
    if (weight !== this.#lastWeight) {
      this.#lastWeight = weight;
      this.#lastStep = this.#script.stepOf(weight);
    }
    return this.#lastStep;
  }
}

const memberSign = /['’.\-/:@]/;

function shownSections(
  sections: readonly Section[],
  description: string,
): [id: string, title: string, excerpt: string][] {
  return sections.map(({ id, title, text }, at) => {
    const excerpt = excerptOf(text);
    const needsDescription = at === 0 && (excerpt === '' || description.length > 80);
    return [
      id,
      withoutExtraSpace(title),
      needsDescription ? excerptOf(`${description} ${excerpt}`.trim()) : excerpt,
    ];
  });
}

function excerptOf(text: string): string {
  const start = withoutExtraSpace(text.slice(0, maxExcerptSource));
  const shown = start.length > excerptLength ? start : withoutExtraSpace(text);
  if (shown.length <= excerptLength) return shown;
  const cut = shown.slice(0, excerptLength);
  const space = cut.lastIndexOf(' ');
  return (space > excerptLength * 0.7 ? cut.slice(0, space) : cut).toWellFormed();
}
