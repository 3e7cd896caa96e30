/** A part of the navigation as a Markdown list of bounded length. */
import type { IndexedEntry, IndexedSection } from './site-index.ts';

const maxOutlineEntries = 300;

/** The entries in a section, whose titles lead from the top of the navigation; undefined if it does not exist. */
export function entriesIn(
  navigation: readonly IndexedEntry[],
  titles: readonly string[],
): readonly IndexedEntry[] | undefined {
  let entries = navigation;
  for (const title of titles) {
    const sections = entries.filter((entry) => isSection(entry) && entry.title === title);
    if (sections.length === 0) return undefined;
    entries = sections.flatMap((section) => (isSection(section) ? section.entries : []));
  }
  return entries;
}

/** As many levels as fit. Further entries of the first level begin at `offset` of the next call. */
export function outline(
  entries: readonly IndexedEntry[],
  { offset, addressOf }: { offset: number; addressOf: (path: string) => string },
): string {
  const shown = entries.slice(offset, offset + maxOutlineEntries);
  let levels = 1;
  for (let next = 2; entriesWithin(shown, next) > entriesWithin(shown, levels); next += 1) {
    if (entriesWithin(shown, next) > maxOutlineEntries) break;
    levels = next;
  }
  const lines = linesOf(shown, levels, addressOf);
  const left = entries.length - offset - shown.length;
  if (left > 0) lines.push('', `${left} more entries follow at offset ${offset + shown.length}.`);
  return lines.join('\n');
}

function linesOf(
  entries: readonly IndexedEntry[],
  levels: number,
  addressOf: (path: string) => string,
): string[] {
  return entries.flatMap((entry) => {
    if (!isSection(entry)) return [`- [${oneLine(entry.title)}](${addressOf(entry.path)})`];
    const isClosed = levels === 1;
    const head = `- ${oneLine(entry.title)}${isClosed ? ` (section, ${countOf(pagesIn(entry))})` : ''}`;
    const inside = isClosed ? [] : linesOf(entry.entries, levels - 1, addressOf);
    return [head, ...inside.map((line) => `  ${line}`)];
  });
}

function entriesWithin(entries: readonly IndexedEntry[], levels: number): number {
  if (levels === 0) return 0;
  return entries.reduce(
    (sum, entry) => sum + 1 + (isSection(entry) ? entriesWithin(entry.entries, levels - 1) : 0),
    0,
  );
}

function pagesIn({ entries }: IndexedSection): number {
  return entries.reduce((sum, entry) => sum + (isSection(entry) ? pagesIn(entry) : 1), 0);
}

function countOf(pages: number): string {
  return pages === 1 ? '1 page' : `${pages} pages`;
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function isSection(entry: IndexedEntry): entry is IndexedSection {
  return 'entries' in entry;
}
