/**
 * What one page adds to the search index: its sections and, for each term, how much the term says about each of them.
 * It runs where pages are rendered, so that the main process only has to merge.
 */
import { type SearchWords, type TermKey, type WordTerms, searchWords } from './browser-code.ts';
import { sectionsOf } from './sections.ts';

/** What is known about a page before it is rendered. Present only for pages that can be found. */
export interface SearchTask {
  keywords: string[];
  /** Multiplies all weights of the page. */
  boost: number;
  /** Names of the groups around the page, the route and the endpoint: findable, but not shown. */
  hints: string;
}

/** Small enough to cross from one process to another for every page. */
export interface PageTerms {
  sections: { id: string; title: string; excerpt: string }[];
  /** All terms of the page, separated by spaces. */
  terms: string;
  /** Which term is in which section with which weight: the term's position above, 7 bits of section, 7 of step. */
  postings: Uint32Array;
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
/** Words and terms a process keeps in mind from page to page. */
const wordsRemembered = 80_000;

export function pageTerms(
  page: { html: string; title: string; description: string },
  task: SearchTask,
): PageTerms {
  const words = searchWords();
  words.forgetWords(wordsRemembered);
  const sections = sectionsOf(page.html);
  const counter = new TermCounter(words, task.boost);
  sections.forEach((section, index) => {
    counter.startSection();
    if (index === 0) {
      counter.addField(page.title, weights.title);
      counter.addField(page.description, weights.description);
      counter.addKeywords(task.keywords);
      counter.addField(task.hints, weights.hints);
    } else counter.addField(section.title, weights.heading);
    counter.addText(section.text);
    counter.addNames(section.code);
    counter.endSection(index);
  });
  const shown = sections.map(({ id, title, text }) => ({ id, title, excerpt: excerptOf(text) }));
  if (shown[0]?.excerpt.length === 0 || page.description.length > 80)
    shown[0] = {
      id: '',
      title: '',
      excerpt: excerptOf(`${page.description} ${shown[0]?.excerpt ?? ''}`.trim()),
    };
  return { sections: shown, ...counter.packed() };
}

/** What is counted about a term, kept on the term's key; the two numbers tell which section and page it is about. */
interface TermNote {
  section: number;
  times: number;
  weight: number;
  page: number;
  /** The term's position among those of the page. */
  position: number;
}

/** Numbers for sections and pages that are never used twice in a process. */
let lastNumber = 0;
/** Room for the postings of one page, used again for the next. */
let postings = new Uint32Array(4096);

class TermCounter {
  readonly #words: SearchWords;
  readonly #boost: number;
  readonly #page = ++lastNumber;
  readonly #terms: string[] = [];
  #count = 0;
  #section = 0;
  #ofSection: TermKey[] = [];

  constructor(words: SearchWords, boost: number) {
    this.#words = words;
    this.#boost = boost;
  }

  startSection(): void {
    this.#section = ++lastNumber;
    this.#ofSection = [];
  }

  addField(text: string, weight: number): void {
    for (const [key, share] of this.#sharesOf(text, weight)) this.#noteOf(key).weight += share;
  }

  /** However many keywords hold a word, it counts once. */
  addKeywords(keywords: readonly string[]): void {
    const best = new Map<TermKey, number>();
    for (const keyword of keywords)
      for (const [key, share] of this.#sharesOf(keyword, weights.keywords))
        best.set(key, Math.max(share, best.get(key) ?? 0));
    for (const [key, share] of best) this.#noteOf(key).weight += share;
  }

  addText(text: string): void {
    let length = 0;
    this.#words.eachWord(text, ({ whole, keys }) => {
      length++;
      for (let at = 0; at < keys.length; at++)
        this.#noteOf(keys[at] as TermKey).times += whole === null || at === 0 ? 1 : partWeight;
    });
    const shortness = 1.2 * (0.25 + (0.75 * length) / usualLength);
    for (const key of this.#ofSection) {
      const note = key.note as TermNote;
      if (note.times > 0 && !key.common)
        note.weight += (weights.text * note.times * 2.2) / (note.times + shortness);
    }
  }

  /** Of code only the names, each once: what is called and set, not how often or with what. */
  addNames(code: string): void {
    if (code === '') return;
    const names = new Set<TermKey>();
    const add = ({ whole, keys }: WordTerms): void => {
      const [name] = keys;
      if (whole === null || !name || names.size >= namesInCode) return;
      if (!name.common && whole.length > 2 && !/^\d/.test(whole)) names.add(name);
    };
    this.#words.eachWord(code, (word, start, end) => {
      add(word);
      const members = word.parts.length > 0 ? code.slice(start, end).split(/['’.\-/:@]/) : [];
      if (members.length > 1 && names.size < namesInCode)
        for (const member of members) this.#words.eachWord(member, add);
    });
    for (const name of names) this.#noteOf(name).weight += weights.code;
  }

  endSection(index: number): void {
    for (const key of this.#ofSection) {
      const note = key.note as TermNote;
      if (note.weight === 0) continue;
      if (note.page !== this.#page) {
        note.page = this.#page;
        note.position = this.#terms.push(key.text) - 1;
      }
      if (this.#count === postings.length) {
        const larger = new Uint32Array(postings.length * 2);
        larger.set(postings);
        postings = larger;
      }
      const step = this.#words.stepOf(note.weight * this.#boost);
      postings[this.#count++] = (note.position << 14) | (index << 7) | step;
    }
  }

  packed(): Pick<PageTerms, 'terms' | 'postings'> {
    return { terms: this.#terms.join(' '), postings: postings.slice(0, this.#count) };
  }

  #noteOf(key: TermKey): TermNote {
    const note = (key.note ??= {
      section: 0,
      times: 0,
      weight: 0,
      page: 0,
      position: 0,
    }) as TermNote;
    if (note.section !== this.#section) {
      note.section = this.#section;
      note.times = 0;
      note.weight = 0;
      this.#ofSection.push(key);
    }
    return note;
  }

  #sharesOf(text: string, weight: number): Map<TermKey, number> {
    const shares = new Map<TermKey, number>();
    let length = 0;
    this.#words.eachWord(text, ({ whole, keys }) => {
      length++;
      keys.forEach((key, at) => {
        const share = whole === null || at === 0 ? 1 : partWeight;
        shares.set(key, Math.max(share, shares.get(key) ?? 0));
      });
    });
    const each = weight / (1 + 0.12 * Math.max(0, length - 1));
    for (const [key, share] of shares) shares.set(key, each * share);
    return shares;
  }
}

/** Cut at a word, where there are words. */
function excerptOf(text: string): string {
  if (text.length <= excerptLength) return text;
  const cut = text.slice(0, excerptLength);
  const space = cut.lastIndexOf(' ');
  return (space > excerptLength * 0.7 ? cut.slice(0, space) : cut).toWellFormed();
}
