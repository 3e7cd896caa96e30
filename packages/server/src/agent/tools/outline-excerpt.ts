/** The outline of a site at a limited size: pages that are related to a task first, the rest as counts. */
import type { ToolContext } from '../contract.ts';
import { readOutline, type OutlineLine } from './outline.ts';
import { pluralize, ToolError } from './tool.ts';

/** The rest shows the other groups. */
const relatedShare = 0.6;
/** Words on more pages than this share say nothing about a page. */
const commonShare = 0.5;
const minWordCharacters = 3;
const countLineCharacters = 60;
const ending = 'The tool outline shows everything.';

interface Entry {
  line: OutlineLine;
  parent: Entry | undefined;
  children: Entry[];
}

/** A site whose outline cannot be read has the reason as its outline. */
export async function readOutlineExcerpt(
  context: ToolContext,
  task: string,
): Promise<(maxCharacters: number) => string> {
  try {
    const { navigation, orphans } = await readOutline(context);
    return outlineExcerpts([...navigation, ...orphans], task);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return () => error.message;
  }
}

export function outlineExcerpts(
  lines: readonly OutlineLine[],
  task: string,
): (maxCharacters: number) => string {
  const whole = lines.map(({ text }) => text).join('\n');
  const entries = entriesOf(lines);
  const related = relatedPages(entries, task);
  const groups = entries.filter(({ children }) => children.length > 0);
  const others = [...groups.toSorted((a, b) => a.line.depth - b.line.depth), ...entries];
  const roots = entries.filter(({ parent }) => parent === undefined);
  return (maxCharacters) => {
    if (whole.length <= maxCharacters) return whole;
    const shown = chosenEntries(related, others, maxCharacters);
    return [...shownLines(roots, shown, 0), ending].join('\n');
  };
}

function chosenEntries(
  related: readonly Entry[],
  others: readonly Entry[],
  maxCharacters: number,
): Set<Entry> {
  const shown = new Set<Entry>();
  let left = maxCharacters - ending.length - countLineCharacters;
  const show = (entry: Entry, reservedCharacters: number): void => {
    const missing = withParents(entry).filter((each) => !shown.has(each));
    const cost = missing.reduce((sum, each) => sum + costOf(each), 0);
    if (cost > left - reservedCharacters) return;
    left -= cost;
    for (const each of missing) shown.add(each);
  };
  for (const entry of related) show(entry, maxCharacters * (1 - relatedShare));
  for (const entry of others) show(entry, 0);
  return shown;
}

function entriesOf(lines: readonly OutlineLine[]): Entry[] {
  const entries: Entry[] = [];
  const open: Entry[] = [];
  for (const line of lines) {
    while ((open.at(-1)?.line.depth ?? -1) >= line.depth) open.pop();
    const parent = open.at(-1);
    const entry: Entry = { line, parent, children: [] };
    parent?.children.push(entry);
    entries.push(entry);
    open.push(entry);
  }
  return entries;
}

function withParents(entry: Entry | undefined): Entry[] {
  return entry === undefined ? [] : [...withParents(entry.parent), entry];
}

/** A shown group may need a line with the number of its hidden pages. */
function costOf({ line, children }: Entry): number {
  return line.text.length + 1 + (children.length > 0 ? 2 * line.depth + countLineCharacters : 0);
}

/** Best first. A rare word counts more than a common one. */
function relatedPages(entries: readonly Entry[], task: string): Entry[] {
  const wanted = wordsOf(task);
  const pages = entries
    .filter(({ line }) => line.words !== undefined)
    .map((entry) => ({
      entry,
      words: [...wordsOf(entry.line.words ?? '')].filter((word) => wanted.has(word)),
    }));
  const counts = new Map<string, number>();
  for (const { words } of pages) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weightOf = (word: string): number => {
    const count = counts.get(word) ?? 0;
    return count > pages.length * commonShare ? 0 : 1 / count;
  };
  return pages
    .map(({ entry, words }) => ({ entry, score: words.reduce((sum, word) => sum + weightOf(word), 0) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

/** Without the plural ending of English words. */
function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return new Set(
    words.filter(({ length }) => length >= minWordCharacters).map((word) => word.replace(/s$/, '')),
  );
}

function shownLines(entries: readonly Entry[], shown: ReadonlySet<Entry>, depth: number): string[] {
  const visible = entries.filter((entry) => shown.has(entry));
  const hidden = entries
    .filter((entry) => !shown.has(entry))
    .reduce((sum, entry) => sum + countPages(entry), 0);
  return [
    ...visible.flatMap((entry) => [entry.line.text, ...shownLines(entry.children, shown, depth + 1)]),
    ...(hidden > 0 ? [`${'  '.repeat(depth)}… ${pluralize(hidden, 'more page')}`] : []),
  ];
}

function countPages({ line, children }: Entry): number {
  return children.reduce((sum, child) => sum + countPages(child), line.words === undefined ? 0 : 1);
}
