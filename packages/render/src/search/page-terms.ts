/**
 * What one page adds to the search index: its sections and, for each term, how much the term says about each of them.
 * It runs where pages are rendered, so that the main process only has to merge.
 */
import { type SearchWords, searchWords } from './browser-code.ts';
import { type TextSection, sectionsOf } from './sections.ts';

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
  /** For each term: how many sections it is in, then for each the section and the step of its weight. */
  postings: string;
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

export function pageTerms(
  page: { html: string; title: string; description: string },
  task: SearchTask,
): PageTerms {
  const words = searchWords();
  const sections = sectionsOf(page.html);
  const found = new Map<string, [section: number, weight: number][]>();
  sections.forEach((section, index) => {
    const scores = new Map<string, number>();
    if (index === 0) {
      addField(scores, words, page.title, weights.title);
      addField(scores, words, page.description, weights.description);
      addKeywords(scores, words, task.keywords);
      addField(scores, words, task.hints, weights.hints);
    } else addField(scores, words, section.title, weights.heading);
    addText(scores, words, section);
    for (const [term, weight] of scores) {
      const known = found.get(term);
      if (known) known.push([index, weight]);
      else found.set(term, [[index, weight]]);
    }
  });
  const shown = sections.map(({ id, title, text }) => ({ id, title, excerpt: excerptOf(text) }));
  if (shown[0]?.excerpt.length === 0 || page.description.length > 80)
    shown[0] = {
      id: '',
      title: '',
      excerpt: excerptOf(`${page.description} ${shown[0]?.excerpt ?? ''}`.trim()),
    };
  return { sections: shown, ...packed(found, words, task.boost) };
}

function addField(scores: Map<string, number>, words: SearchWords, text: string, weight: number): void {
  const counted = new Map<string, number>();
  let length = 0;
  words.eachWord(text, ({ whole, parts }) => {
    length++;
    if (whole !== null) counted.set(whole, 1);
    for (const { term } of parts) if (!counted.has(term)) counted.set(term, whole === null ? 1 : partWeight);
  });
  const each = weight / (1 + 0.12 * Math.max(0, length - 1));
  for (const [term, share] of counted) scores.set(term, (scores.get(term) ?? 0) + each * share);
}

/** However many keywords hold a word, it counts once. */
function addKeywords(scores: Map<string, number>, words: SearchWords, keywords: readonly string[]): void {
  const best = new Map<string, number>();
  for (const keyword of keywords) {
    const own = new Map<string, number>();
    addField(own, words, keyword, weights.keywords);
    for (const [term, weight] of own) best.set(term, Math.max(weight, best.get(term) ?? 0));
  }
  for (const [term, weight] of best) scores.set(term, (scores.get(term) ?? 0) + weight);
}

function addText(scores: Map<string, number>, words: SearchWords, { text, code }: TextSection): void {
  const counts = new Map<string, number>();
  let length = 0;
  const count = (term: string, share: number): void => {
    if (!words.isCommon(term)) counts.set(term, (counts.get(term) ?? 0) + share);
  };
  words.eachWord(text, ({ whole, parts }) => {
    length++;
    if (whole !== null) count(whole, 1);
    for (const { term } of parts) count(term, whole === null ? 1 : partWeight);
  });
  const shortness = 1.2 * (0.25 + (0.75 * length) / usualLength);
  for (const [term, times] of counts) {
    const weight = (weights.text * times * 2.2) / (times + shortness);
    scores.set(term, (scores.get(term) ?? 0) + weight);
  }
  addNames(scores, words, code);
}

/** Of code only the names, each once: what is called and set, not how often or with what. */
function addNames(scores: Map<string, number>, words: SearchWords, code: string): void {
  if (code === '') return;
  const names = new Set<string>();
  const add = (name: string | null): void => {
    if (name !== null && names.size < namesInCode && name.length > 2 && !/^\d/.test(name)) names.add(name);
  };
  words.eachWord(code, ({ whole }, start, end) => {
    add(whole);
    const members = code.slice(start, end).split(/['’.\-/:@]/);
    if (members.length > 1 && names.size < namesInCode)
      for (const member of members) words.eachWord(member, (inner) => add(inner.whole));
  });
  for (const name of names)
    if (!words.isCommon(name)) scores.set(name, (scores.get(name) ?? 0) + weights.code);
}

function packed(
  found: ReadonlyMap<string, [section: number, weight: number][]>,
  { digits, stepOf }: SearchWords,
  boost: number,
): Pick<PageTerms, 'terms' | 'postings'> {
  let postings = '';
  for (const places of found.values()) {
    postings += digits.charAt(places.length);
    for (const [section, weight] of places)
      postings += digits.charAt(section) + digits.charAt(stepOf(weight * boost));
  }
  return { terms: [...found.keys()].join(' '), postings };
}

/** Cut at a word, where there are words. */
function excerptOf(text: string): string {
  if (text.length <= excerptLength) return text;
  const cut = text.slice(0, excerptLength);
  const space = cut.lastIndexOf(' ');
  return (space > excerptLength * 0.7 ? cut.slice(0, space) : cut).toWellFormed();
}
