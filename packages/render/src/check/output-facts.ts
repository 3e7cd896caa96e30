/**
 * What one HTML file of the output holds that a check needs: ids, addresses, headings, secrets. It judges only what can
 * be seen on the page alone; whether an address leads somewhere is decided once all files are known.
 */
import { textOfHtml } from '../html.ts';
import { type ScannedTag, scanTags } from './scan-html.ts';
import { type FoundSecret, findSecrets } from './secrets.ts';

/** An address, and whether a browser loads it with the page rather than when a reader follows it. */
export interface Reference {
  address: string;
  loads: boolean;
}

export interface OutputFacts {
  /**
   * One text for all ids and one for the addresses that are not settled: parts of the page would keep the whole of it in
   * memory.
   */
  ids: string;
  references: string;
  /** Links of the page to itself that name no id it has. */
  lostFragments: readonly string[];
  duplicateIds: readonly string[];
  skippedHeadings: readonly SkippedHeading[];
  undescribedPictures: readonly string[];
  remoteFiles: readonly string[];
  secrets: readonly FoundSecret[];
}

export interface SkippedHeading {
  id: string;
  level: number;
  before: number;
}

interface FactsInWork {
  lostFragments: string[];
  duplicateIds: string[];
  skippedHeadings: SkippedHeading[];
  undescribedPictures: string[];
  remoteFiles: string[];
}

const mostListed = 200;

export interface OutputReader {
  /** The frame around the content is the same on many pages: its addresses come here and are judged once. */
  noteFrame(reference: Reference): void;
  /** Whether an address of the content is in order whatever else is written; then it need not be kept. */
  isSettled(reference: Reference): boolean;
  /** Whether text of the content can hold what is not in the Markdown beside the page. */
  looksForSecrets: boolean;
}

export function readOutput(
  html: string,
  { noteFrame, isSettled, looksForSecrets }: OutputReader,
): OutputFacts {
  const content = contentRange(html);
  const ids = new Set<string>();
  const references = new Set<string>();
  const fragments = new Set<string>();
  const facts: FactsInWork = {
    lostFragments: [],
    duplicateIds: [],
    skippedHeadings: [],
    undescribedPictures: [],
    remoteFiles: [],
  };
  let level = 1;
  scanTags(html, (tag) => {
    const inContent = tag.start >= content.start && tag.start < content.end;
    if (tag.id !== undefined) noteId(tag.id, ids, facts);
    if (tag.anchorName !== undefined) ids.add(tag.anchorName);
    if (inContent) level = noteHeading(tag, level, facts);
    if (tag.name === 'img' && tag.alt === undefined) facts.undescribedPictures.push(ownCopy(tag.src ?? ''));
    for (const reference of referencesOf(tag)) {
      const { address, loads } = reference;
      if (address.startsWith('#')) fragments.add(address);
      else if (address === '' || isAbsolute(address)) {
        if (loads && /^(?:https?:)?\/\//i.test(address)) facts.remoteFiles.push(ownCopy(address));
      } else if (!inContent) noteFrame(reference);
      else if (!isSettled(reference)) references.add((loads ? 'f' : 'a') + address.replaceAll('\n', ''));
    }
  });
  for (const fragment of fragments) {
    if (facts.lostFragments.length === mostListed) break;
    if (!isFound(fragment.slice(1), (id) => ids.has(id))) facts.lostFragments.push(ownCopy(fragment));
  }
  return {
    ids: `\n${[...ids].join('\n')}\n`,
    references: [...references].join('\n'),
    lostFragments: brief(facts.lostFragments),
    duplicateIds: brief(facts.duplicateIds),
    skippedHeadings: brief(facts.skippedHeadings),
    undescribedPictures: brief(facts.undescribedPictures),
    remoteFiles: brief(facts.remoteFiles),
    secrets: brief(looksForSecrets ? secretsIn(html.slice(content.start, content.end)) : []),
  };
}

/** Nothing is kept of most lists: one empty list does for all pages. */
export function brief<Item>(list: readonly Item[]): readonly Item[] {
  return list.length === 0 ? nothing : list;
}

const nothing: readonly never[] = [];

function secretsIn(content: string): FoundSecret[] {
  return findSecrets(content, () => textOfHtml(content));
}

export function referencesIn({ references }: OutputFacts): Reference[] {
  if (references === '') return [];
  return references.split('\n').map((entry) => ({ address: entry.slice(1), loads: entry.startsWith('f') }));
}

/** `ids` as in the facts. */
export function hasId(ids: string, fragment: string): boolean {
  return isFound(fragment, (id) => ids.includes(`\n${id}\n`));
}

/** The top of a page and a text fragment need no id. */
function isFound(fragment: string, has: (id: string) => boolean): boolean {
  if (fragment === '' || fragment === 'top' || fragment.startsWith(':~:')) return true;
  return has(decoded(fragment)) || has(fragment);
}

/** With a scheme or a host of its own. */
export function isAbsolute(address: string): boolean {
  return address.includes(':') || address.startsWith('//')
    ? /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(address)
    : false;
}

export function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The part that the author wrote: `main` and what is in it. */
function contentRange(html: string): { start: number; end: number } {
  const start = html.indexOf('<main');
  return start < 0 ? { start: 0, end: html.length } : { start, end: html.lastIndexOf('</main>') };
}

function noteId(id: string, ids: Set<string>, facts: FactsInWork): void {
  if (ids.has(id) && facts.duplicateIds.length < mostListed) facts.duplicateIds.push(ownCopy(id));
  ids.add(id);
}

/** Headings of the author have ids; those that components draw for themselves do not count. */
function noteHeading(tag: ScannedTag, before: number, facts: FactsInWork): number {
  if (tag.name.length !== 2 || tag.name.charAt(0) !== 'h' || tag.id === undefined) return before;
  const level = Number(tag.name.charAt(1));
  if (!(level >= 1 && level <= 6)) return before;
  if (level > before + 1 && facts.skippedHeadings.length < mostListed)
    facts.skippedHeadings.push({ id: ownCopy(tag.id), level, before });
  return level;
}

const noReferences: Reference[] = [];

/** Links that only tell machines where a page lives are absolute on purpose and not followed. */
const informative = /\b(?:canonical|alternate|next|prev)\b/;

function referencesOf(tag: ScannedTag): Reference[] {
  const { name, href, src, srcset, poster, content } = tag;
  if (href === undefined && src === undefined && srcset === undefined && poster === undefined && !content)
    return noReferences;
  const found: Reference[] = [];
  if (href !== undefined && !(name === 'link' && informative.test(tag.rel ?? '')))
    found.push({ address: href, loads: name !== 'a' && name !== 'area' });
  if (src !== undefined) found.push({ address: src, loads: true });
  if (poster !== undefined) found.push({ address: poster, loads: true });
  if (srcset !== undefined)
    for (const part of srcset.split(/,\s+/))
      found.push({ address: part.trim().split(/\s+/, 1)[0] ?? '', loads: true });
  if (tag.httpEquiv === 'refresh' && content !== undefined) {
    const address = /url=(.*)$/i.exec(content)?.[1]?.trim();
    if (address !== undefined) found.push({ address, loads: false });
  }
  return found;
}

/** A part of a text keeps the whole text in memory; this one does not. */
export function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}
