/** Makes passages from the sections that the ranking finds, and ranks them by the words that they have. */
import type { RankedSection, RankedWord, Ranking } from './files/ranking.js';
import { type MarkdownSection, partsOf, sectionsOf } from './sections.ts';

export interface PassageText {
  text: string;
  /** The share of the question that the text has, from 0 to 1, with rare words counting more. */
  coverage: number;
}

const maxPassageCharacters = 2400;
/** Words of an excerpt that identify its section. */
const wordsToCompare = 8;

/** The first line of an exported page, for agents. */
const listPointer = /^> All pages of this documentation are listed in .*\n/;

/** Compares texts with the words of a question. */
export class QuestionMatcher {
  readonly #ranking: Ranking;
  readonly #words: readonly RankedWord[];
  readonly #sum: number;

  constructor(ranking: Ranking, words: readonly RankedWord[]) {
    this.#ranking = ranking;
    this.#words = words;
    this.#sum = words.reduce((sum, { rarity }) => sum + rarity, 0);
  }

  coverage(text: string): number {
    const terms = new Set<string>();
    this.#ranking.eachWord(text, ({ keys }) => {
      for (const key of keys) terms.add(key.text);
    });
    const matched = this.#words.filter((word) => [...word.terms].some((term) => terms.has(term)));
    return this.#sum === 0 ? 0 : matched.reduce((sum, { rarity }) => sum + rarity, 0) / this.#sum;
  }

  /** The part of a text that has most of the question. */
  bestPart(text: string, context: string): PassageText {
    const parts = partsOf(text, maxPassageCharacters).map((part) => ({
      text: part,
      coverage: this.coverage(`${context}\n${part}`),
    }));
    const start = { text: '', coverage: this.coverage(context) };
    return parts.reduce(
      (best, part) => (part.coverage > best.coverage || best === start ? part : best),
      start,
    );
  }
}

/** A page in Markdown, in which sections of the index are found by their headings. */
export class MarkdownPage {
  readonly #sections: readonly (MarkdownSection & { words: string })[];

  constructor(markdown: string) {
    this.#sections = sectionsOf(markdown.replace(listPointer, '')).map((section) => ({
      ...section,
      words: plainWords(section.heading),
    }));
  }

  /** Undefined when the page writes the heading in another way, as in a component. */
  sectionOf({ id, title, text }: RankedSection): string | undefined {
    if (id === '') return this.#start();
    const wanted = plainWords(title);
    const candidates = this.#sections.filter(({ words }) => words === wanted);
    if (candidates.length < 2) return candidates[0]?.text;
    const start = plainWords(text).split(' ').slice(0, wordsToCompare).join(' ');
    return (candidates.find((each) => plainWords(each.text).includes(start)) ?? candidates[0])?.text;
  }

  /** Up to the first heading below the title. */
  #start(): string | undefined {
    const isTitle = (section: MarkdownSection) => section.heading === '' || section.text.startsWith('# ');
    const texts = this.#sections.slice(0, 2).filter(isTitle);
    return texts.length === 0 ? undefined : texts.map(({ text }) => text).join('\n\n');
  }
}

/** Letters and digits between single spaces, without the targets of links. */
export function plainWords(markdown: string): string {
  return markdown
    .replaceAll(/\]\([^()\s]{0,500}\)/g, ' ')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
