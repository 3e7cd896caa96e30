/**
 * What one page adds to the search index: its sections and, for each term, how much the term says about each of them.
 * It runs where pages are rendered, so that the main process only has to merge. The work itself is done by the program in
 * `assembly/search`; here is what belongs to JavaScript: strings, and what the search script makes of words.
 */
import { type SearchWords, type TermKey, type WordTerms, searchWords } from './browser-code.ts';
import { writeNumber } from './packed-terms.ts';
import { TermProgram } from './term-program.ts';
import type { PageTerms, SearchTask } from '../model/page.ts';

/**
 * A word in the title of a page counts ten times as much as one in its text. Those of headings, text and code are told where
 * these are read.
 */
const weights = { title: 10, keywords: 4, description: 3, hints: 2 };
const excerptLength = 420;
/** So many words, and as many terms, a process keeps in mind from page to page. 1,000 pages of the corpus have 40,000. */
let wordsRemembered = 100_000;
/** To learn words again takes little: of a large site, what fewer of them leave free is worth more. */
const fewWords = 25_000;
/** What a page of usual size needs is a fifth of it. */
const mostMemoryBytes = 64 * 1024 * 1024;

export function pageTerms(
  page: { html: string; title: string; description: string },
  task: SearchTask,
): PageTerms {
  const used = counter ?? new TermCounter();
  // It is taken again only as it was left: not after a failure, and not when its memory, which never shrinks, has become large.
  counter = undefined;
  const terms = used.termsOf(page, task);
  if (used.memoryBytes <= mostMemoryBytes) counter = used;
  return terms;
}

/** Where memory is worth more than time. */
export function rememberFewWords(): void {
  wordsRemembered = fewWords;
}

/** One for the process: what it knows of words is of use for every page. */
let counter: TermCounter | undefined;

class TermCounter {
  readonly #script: SearchWords = searchWords();
  readonly #program: TermProgram;

  constructor() {
    // What another one has noted on the keys of the script means nothing here.
    this.#script.forgetWords(0);
    const wordAt = (place: number, length: number): string => this.#program.string(place, 0, length);
    this.#program = new TermProgram({
      askForWord: (place, length) => this.#askForWord(wordAt(place, length)),
      askForRun: (place, length) => this.#askForRun(wordAt(place, length)),
      askForPair: (left, right) => this.#askForPair(left, right),
      isCommon: (place, bytes) => this.#script.isCommon(this.#program.termText(place, bytes)),
      stepOf: this.#script.stepOf,
    });
  }

  get memoryBytes(): number {
    return this.#program.bytes.length;
  }

  termsOf(
    { html, title, description }: { html: string; title: string; description: string },
    { keywords, boost, hints }: SearchTask,
  ): PageTerms {
    this.#forgetSome();
    const { run } = this.#program;
    this.#program.write(html, run.roomForHtml(html.length));
    const sectionCount = run.read(html.length);
    run.beginPage(boost);
    this.#addField(title, weights.title);
    this.#addField(description, weights.description);
    for (const keyword of keywords) {
      this.#program.write(keyword, run.roomForField(keyword.length));
      run.addKeyword(weights.keywords);
    }
    run.endKeywords();
    this.#addField(hints, weights.hints);
    run.countSections();
    const shown = JSON.stringify(this.#shown(sectionCount, description));
    return this.#packed(sectionCount, shown);
  }

  /** Starts over when too much is known. */
  #forgetSome(): void {
    const { run } = this.#program;
    const isFull = run.knownWords() > wordsRemembered;
    if (this.#script.forgetWords(isFull ? 0 : 4 * wordsRemembered)) run.forget();
  }

  #addField(text: string, weight: number): void {
    this.#program.write(text, this.#program.run.roomForField(text.length));
    this.#program.run.addField(weight);
  }

  #askForWord(word: string): void {
    this.#define(this.#script.wordTerms(word), word);
  }

  #askForRun(run: string): void {
    this.#script.eachWord(run, (terms, from, until) => {
      this.#define(terms, run.slice(from, until));
      this.#program.run.give();
    });
  }

  #askForPair(left: number, right: number): number {
    const text = right === 0 ? String.fromCharCode(left) : String.fromCharCode(left, right);
    let term = 0;
    this.#script.eachWord(text, ({ keys }) => (term = this.#numberOf(keys[0] as TermKey) * 2));
    return term;
  }

  /** Tells the program what a word means: how many terms it has, how many of them are names, the terms, the names. */
  #define(terms: WordTerms | null, word: string): void {
    const found = terms?.keys.map(
      (key, at) => this.#numberOf(key) * 2 + (terms.whole === null || at === 0 ? 0 : 1),
    );
    const names = terms ? this.#namesIn(terms, word) : [];
    const meaning = [found?.length ?? 0, names.length, ...(found ?? []), ...names];
    this.#program.writeNumbers(meaning, this.#program.run.roomForMeaning(meaning.length));
  }

  /** `client.sendBatch` names three things: itself, and what is on either side. */
  #namesIn(terms: WordTerms, word: string): number[] {
    const names: number[] = [];
    this.#addName(names, terms);
    if (terms.parts.length === 0) return names;
    const members = word.split(/['’.\-/:@]/);
    if (members.length > 1)
      for (const member of members) this.#script.eachWord(member, (found) => this.#addName(names, found));
    return names;
  }

  #addName(names: number[], { whole, keys }: WordTerms): void {
    const [name] = keys;
    if (whole === null || !name || name.common || whole.length < 3) return;
    const first = whole.charCodeAt(0);
    if (first < 48 || first > 57) names.push(this.#numberOf(name) * 2);
  }

  #numberOf({ text }: TermKey): number {
    const { run } = this.#program;
    // A unit is three bytes at most.
    const place = run.roomForTerm(text.length * 3);
    return run.termNumber(this.#program.bytes.write(text, place));
  }

  /** As the page entry of the index holds them. */
  #shown(count: number, description: string): [id: string, title: string, excerpt: string][] {
    const { run } = this.#program;
    const [ids, titles, texts] = [run.idsPlace(), run.titlesPlace(), run.textPlace()];
    const shown = this.#program.sections(count).map((section): [string, string, string] => {
      const { idStart, idEnd, titleStart, titleEnd, textStart, textEnd } = section;
      const excerpt = this.#program.string(texts, textStart, Math.min(textEnd, textStart + excerptLength));
      return [
        this.#program.string(ids, idStart, idEnd),
        this.#program.string(titles, titleStart, titleEnd),
        textEnd - textStart > excerptLength ? cutAtWord(excerpt) : excerpt,
      ];
    });
    const first = shown[0];
    if (first && (first[2] === '' || description.length > 80))
      shown[0] = ['', '', excerptOf(`${description} ${first[2]}`.trim())];
    return shown;
  }

  #packed(sectionCount: number, shown: string): PageTerms {
    const { run } = this.#program;
    const termBytes = run.pack();
    const shownBytes = Buffer.byteLength(shown);
    const packed = Buffer.allocUnsafeSlow(longestNumbers + shownBytes + termBytes);
    let end = writeNumber(packed, writeNumber(packed, 0, sectionCount), shownBytes);
    end += packed.write(shown, end);
    const place = run.packedPlace();
    packed.set(this.#program.bytes.subarray(place, place + termBytes), end);
    return new Uint8Array(packed.subarray(0, end + termBytes));
  }
}

/** Two of them. */
const longestNumbers = 10;

function excerptOf(text: string): string {
  return text.length <= excerptLength ? text : cutAtWord(text.slice(0, excerptLength));
}

/** Where there are words. */
function cutAtWord(cut: string): string {
  const space = cut.lastIndexOf(' ');
  return (space > excerptLength * 0.7 ? cut.slice(0, space) : cut).toWellFormed();
}
