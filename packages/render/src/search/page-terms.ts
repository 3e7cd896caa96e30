/**
 * What one page adds to the search index: its sections and, for each term, how much the term says about each of them.
 * It runs where pages are rendered, so that the main process only has to merge.
 */
import { searchWords } from './browser-code.ts';
import { grown } from './grown.ts';
import { type PageTerms, writeNumber } from './packed-terms.ts';
import { type Section, SectionReader } from './sections.ts';
import { UnitBuffer } from './units.ts';
import { WordTable } from './word-table.ts';

export type { PageTerms } from './packed-terms.ts';

/** What is known about a page before it is rendered. Present only for pages that can be found. */
export interface SearchTask {
  keywords: readonly string[];
  /** Multiplies all weights of the page. */
  boost: number;
  /** Names of the groups around the page, the route and the endpoint: findable, but not shown. */
  hints: string;
}

/**
 * A word in the title of a page counts ten times as much as one in its text, and a word of a short title more than one
 * of a long title. `part` is for words inside an identifier.
 */
const weights = { title: 10, heading: 5, keywords: 4, description: 3, hints: 2, text: 1, code: 0.35 };
const partWeight = 0.6;
/** The length of a section that is neither long nor short. A constant, so that pages need not know of each other. */
const usualLength = 60;
const excerptLength = 420;
const namesInCode = 40;
/** Code is read in pieces of about so many units: often the names of the first ones are enough. */
const codeAtOnce = 300;

export function pageTerms(
  page: { html: string; title: string; description: string },
  task: SearchTask,
): PageTerms {
  counter ??= new TermCounter();
  return counter.termsOf(page, task);
}

/** One for the process: what it knows of words is of use for every page. */
let counter: TermCounter | undefined;

class TermCounter {
  readonly #reader = new SectionReader();
  readonly #words = new WordTable();
  readonly #field = new UnitBuffer();
  readonly #stepOf = searchWords().stepOf;
  /** Numbers for pages, sections and fields that are never used twice. */
  #lastNumber = 0;
  #page = 0;
  #section = 0;
  #boost = 1;
  #ofSection = new Int32Array(1 << 5);
  #ofSectionCount = 0;
  #ofPage = new Int32Array(1 << 5);
  #ofPageCount = 0;
  /** Section and step of each posting, and the posting of the same term after it. */
  #postings = new Int32Array(1 << 6);
  #postingCount = 0;

  constructor() {
    /** As in `TermList`. */
    this.#ofSection = grown(this.#ofSection, 1);
    this.#ofPage = grown(this.#ofPage, 1);
    this.#postings = grown(this.#postings, 1);
  }

  termsOf(page: { html: string; title: string; description: string }, task: SearchTask): PageTerms {
    this.#words.forgetSome();
    this.#boost = task.boost;
    this.#page = ++this.#lastNumber;
    this.#ofPageCount = this.#postingCount = 0;
    const reader = this.#reader;
    const sections = reader.read(page.html);
    sections.forEach((section, index) => {
      this.#section = ++this.#lastNumber;
      this.#ofSectionCount = 0;
      if (index === 0) {
        this.#addString(page.title, weights.title);
        this.#addString(page.description, weights.description);
        this.#addKeywords(task.keywords);
        this.#addString(task.hints, weights.hints);
      } else this.#addField(reader.titles.units, section.titleStart, section.titleEnd, weights.heading);
      this.#addText(reader.text.units, section.textStart, section.textEnd);
      this.#addNames(reader.code.units, section.codeStart, section.codeEnd);
      this.#endSection(index);
    });
    return this.#packed(this.#shown(sections, page.description));
  }

  #addString(text: string, weight: number): void {
    this.#field.clear();
    this.#field.addText(text);
    this.#addField(this.#field.units, 0, text.length, weight);
  }

  #addField(units: Uint16Array, from: number, to: number, weight: number): void {
    if (from === to) return;
    const count = this.#sharesOf(units, from, to);
    const each = weight / (1 + 0.12 * Math.max(0, this.#words.wordCount - 1));
    const { found, terms } = this.#words;
    for (let at = 0; at < count; at++) {
      const term = found[at] as number;
      this.#meet(term);
      terms.weight[term] = (terms.weight[term] as number) + each * (terms.share[term] as number);
    }
  }

  /** However many keywords hold a word, it counts once. */
  #addKeywords(keywords: readonly string[]): void {
    const best = new Map<number, number>();
    for (const keyword of keywords) {
      this.#field.clear();
      this.#field.addText(keyword);
      const count = this.#sharesOf(this.#field.units, 0, keyword.length);
      const each = weights.keywords / (1 + 0.12 * Math.max(0, this.#words.wordCount - 1));
      for (const term of this.#words.found.subarray(0, count))
        best.set(term, Math.max(each * (this.#words.terms.share[term] ?? 0), best.get(term) ?? 0));
    }
    const { weight } = this.#words.terms;
    for (const [term, share] of best) {
      this.#meet(term);
      weight[term] = (weight[term] as number) + share;
    }
  }

  /** Leaves each term of a text once at the start of `found`, with its share. */
  #sharesOf(units: Uint16Array, from: number, to: number): number {
    this.#words.findTerms(units, from, to);
    const { found, count, terms } = this.#words;
    const field = ++this.#lastNumber;
    let distinct = 0;
    for (let at = 0; at < count; at++) {
      const term = (found[at] as number) >> 1;
      const share = (found[at] as number) & 1 ? partWeight : 1;
      if (terms.field[term] !== field) {
        terms.field[term] = field;
        terms.share[term] = share;
        found[distinct++] = term;
      } else if (share > (terms.share[term] as number)) terms.share[term] = share;
    }
    return distinct;
  }

  #addText(units: Uint16Array, from: number, to: number): void {
    if (from === to) return;
    this.#words.findTerms(units, from, to);
    const { found, count, wordCount, terms } = this.#words;
    const { times, weight, isCommon, section } = terms;
    for (let at = 0; at < count; at++) {
      const term = (found[at] as number) >> 1;
      if (section[term] !== this.#section) this.#meet(term);
      times[term] = (times[term] as number) + ((found[at] as number) & 1 ? partWeight : 1);
    }
    const shortness = 1.2 * (0.25 + (0.75 * wordCount) / usualLength);
    for (let at = 0; at < this.#ofSectionCount; at++) {
      const term = this.#ofSection[at] as number;
      const often = times[term] as number;
      if (often > 0 && isCommon[term] === 0)
        weight[term] = (weight[term] as number) + (weights.text * often * 2.2) / (often + shortness);
    }
  }

  /** Each name once, however often it is there. */
  #addNames(units: Uint16Array, from: number, to: number): void {
    const field = ++this.#lastNumber;
    let names = 0;
    for (let start = from; start < to && names < namesInCode;) {
      const end = lineEndAfter(units, start + codeAtOnce, to);
      this.#words.findNames(units, start, end);
      start = end;
      const { found, count, terms } = this.#words;
      for (let at = 0; at < count && names < namesInCode; at++) {
        const term = (found[at] as number) >> 1;
        if (terms.field[term] === field) continue;
        terms.field[term] = field;
        names++;
        this.#meet(term);
        terms.weight[term] = (terms.weight[term] as number) + weights.code;
      }
    }
  }

  #meet(term: number): void {
    const { section, times, weight } = this.#words.terms;
    if (section[term] === this.#section) return;
    section[term] = this.#section;
    times[term] = 0;
    weight[term] = 0;
    if (this.#ofSectionCount === this.#ofSection.length)
      this.#ofSection = grown(this.#ofSection, this.#ofSectionCount + 1);
    this.#ofSection[this.#ofSectionCount++] = term;
  }

  #endSection(index: number): void {
    const { terms } = this.#words;
    const { page, lastPosting, weight } = terms;
    let sameWeight = 0;
    let sameStep = 0;
    for (let at = 0; at < this.#ofSectionCount; at++) {
      const term = this.#ofSection[at] as number;
      const heaviness = weight[term] as number;
      if (heaviness === 0) continue;
      /** Most words are there once, and weigh the same. */
      if (heaviness !== sameWeight) {
        sameWeight = heaviness;
        sameStep = this.#stepOf(heaviness * this.#boost);
      }
      if (page[term] !== this.#page) {
        page[term] = this.#page;
        lastPosting[term] = -1;
        if (this.#ofPageCount === this.#ofPage.length)
          this.#ofPage = grown(this.#ofPage, this.#ofPageCount + 1);
        this.#ofPage[this.#ofPageCount++] = term;
      }
      const posting = this.#postingCount++ * 2;
      if (posting === this.#postings.length) this.#postings = grown(this.#postings, posting + 2);
      this.#postings[posting] = (index << 7) | sameStep;
      this.#postings[posting + 1] = lastPosting[term] as number;
      lastPosting[term] = posting;
    }
  }

  /** As the page entry of the index holds them. */
  #shown(sections: readonly Section[], description: string): [id: string, title: string, excerpt: string][] {
    const { text, titles } = this.#reader;
    const shown = sections.map(
      ({ id, titleStart, titleEnd, textStart, textEnd }): [string, string, string] => [
        id,
        titles.slice(titleStart, titleEnd),
        textEnd - textStart > excerptLength
          ? cutAtWord(text.slice(textStart, textStart + excerptLength))
          : text.slice(textStart, textEnd),
      ],
    );
    const first = shown[0];
    if (first && (first[2] === '' || description.length > 80))
      shown[0] = ['', '', excerptOf(`${description} ${first[2]}`.trim())];
    return shown;
  }

  #packed(shown: [string, string, string][]): PageTerms {
    const json = JSON.stringify(shown);
    const { terms } = this.#words;
    let most = 10 + json.length * 3 + this.#postingCount * 2 + this.#ofPageCount * 5;
    for (let at = 0; at < this.#ofPageCount; at++) most += terms.lengthOf(this.#ofPage[at] as number);
    if (most > packed.length) packed = Buffer.alloc(most * 2);
    const jsonBytes = Buffer.byteLength(json);
    let end = writeNumber(packed, writeNumber(packed, 0, shown.length), jsonBytes);
    end += packed.write(json, end);
    for (let at = 0; at < this.#ofPageCount; at++) {
      const term = this.#ofPage[at] as number;
      end = terms.write(term, packed, end);
      /** The last section comes first. */
      for (let posting = terms.lastPosting[term] as number; posting >= 0;) {
        const value = this.#postings[posting] as number;
        posting = this.#postings[posting + 1] as number;
        packed[end++] = (value >> 7) | (posting < 0 ? 128 : 0);
        packed[end++] = value & 127;
      }
    }
    return new Uint8Array(packed.subarray(0, end));
  }
}

/** Room for the terms of one page, used again for the next. */
let packed = Buffer.alloc(1 << 16);

/** No word goes on after the end of a line. */
function lineEndAfter(units: Uint16Array, from: number, to: number): number {
  let at = from;
  while (at < to && units[at] !== lineFeed) at++;
  return Math.min(at, to);
}

const lineFeed = 10;

function excerptOf(text: string): string {
  return text.length <= excerptLength ? text : cutAtWord(text.slice(0, excerptLength));
}

/** Where there are words. */
function cutAtWord(cut: string): string {
  const space = cut.lastIndexOf(' ');
  return (space > excerptLength * 0.7 ? cut.slice(0, space) : cut).toWellFormed();
}
