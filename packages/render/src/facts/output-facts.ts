/**
 * What one HTML file of the output holds that a check needs: ids, addresses, headings, secrets. It judges only what can
 * be seen on the page alone; whether an address leads somewhere is decided once all files are known.
 */
import { decodedText, encodedText } from '../text/encoded-text.ts';
import { textOfHtml } from '../text/html.ts';
import { keptList, keptText } from '../text/kept.ts';
import { type ScannedTag, scanTags } from './scan-html.ts';
import { findSecrets, mostSecrets } from './secrets.ts';
import type { OutputFacts, Reference } from '../model/finished-page.ts';
import type { FoundSecret, HtmlFacts, SkippedHeading } from '../model/page.ts';

const mostListed = 200;

export interface OutputReader {
  /** The frame around the content is the same on many pages: its addresses come here and are judged once. */
  noteFrame(reference: Reference): void;
  /** Whether an address of the content is in order whatever else is written; then it need not be kept. */
  isSettled(reference: Reference): boolean;
  /** Whether text of the content can hold what is not in the Markdown beside the page. */
  looksForSecrets: boolean;
}

/** A text, or what is known of one. */
export type Stretch = string | HtmlFacts;

/** A file from its start to its end: what the author wrote is in `main`, the rest is the frame. */
export interface OutputStretches {
  before: readonly Stretch[];
  main: readonly Stretch[];
  after: readonly Stretch[];
}

export function readOutput(html: string, reader: OutputReader): OutputFacts {
  const { start, end } = contentRange(html);
  return gatheredFacts(
    { before: [html.slice(0, start)], main: [html.slice(start, end)], after: [html.slice(end)] },
    reader,
  );
}

export function gatheredFacts({ before, main, after }: OutputStretches, reader: OutputReader): OutputFacts {
  const whole = new WholeFacts();
  for (const stretch of before) whole.addFrame(stretch, reader);
  for (const stretch of main) whole.addContent(stretch, reader);
  for (const stretch of after) whole.addFrame(stretch, reader);
  return whole.facts();
}

class WholeFacts {
  readonly #ids = new Set<string>();
  readonly #references = new Set<string>();
  readonly #fragments = new Set<string>();
  readonly #duplicateIds: string[] = [];
  readonly #skippedHeadings: SkippedHeading[] = [];
  readonly #undescribedPictures: string[] = [];
  readonly #remoteFiles: string[] = [];
  readonly #secrets: FoundSecret[] = [];
  #level = 1;

  addFrame(stretch: Stretch, { noteFrame }: OutputReader): void {
    const facts = typeof stretch === 'string' ? frameFacts(encodedText(stretch)) : stretch;
    for (const reference of facts.references) noteFrame(readReference(reference));
    this.#add(facts);
  }

  addContent(stretch: Stretch, { isSettled, looksForSecrets }: OutputReader): void {
    const facts =
      typeof stretch === 'string'
        ? contentFacts([encodedText(stretch)], looksForSecrets, this.#level)
        : stretch;
    for (const reference of facts.references)
      if (!isSettled(readReference(reference))) this.#references.add(reference.replaceAll('\n', ''));
    this.#skippedHeadings.push(...facts.skippedHeadings);
    this.#level = facts.level;
    this.#secrets.push(...facts.secrets);
    this.#add(facts);
  }

  #add(facts: HtmlFacts): void {
    for (const id of facts.ids) noteId(id, this.#ids, this.#duplicateIds);
    for (const id of facts.duplicateIds) this.#duplicateIds.push(keptText(id));
    for (const fragment of facts.fragments) this.#fragments.add(fragment);
    for (const source of facts.undescribedPictures) this.#undescribedPictures.push(keptText(source));
    for (const address of facts.remoteFiles) this.#remoteFiles.push(keptText(address));
  }

  facts(): OutputFacts {
    const lostFragments: string[] = [];
    for (const fragment of this.#fragments) {
      if (lostFragments.length === mostListed) break;
      if (!isFound(fragment.slice(1), (id) => this.#ids.has(id))) lostFragments.push(keptText(fragment));
    }
    return {
      // Each between line breaks, and put together at once: otherwise the text is kept in three pieces.
      ids: ['', ...this.#ids, ''].join('\n'),
      references: [...this.#references].join('\n'),
      lostFragments: keptList(lostFragments),
      duplicateIds: keptList(this.#duplicateIds.slice(0, mostListed)),
      skippedHeadings: keptList(this.#skippedHeadings.slice(0, mostListed)),
      undescribedPictures: keptList(this.#undescribedPictures),
      remoteFiles: keptList(this.#remoteFiles),
      secrets: keptList(this.#secrets.slice(0, mostSecrets)),
    };
  }
}

/** What the author wrote, in parts that follow each other. `level` is that of the heading before it. */
export function contentFacts(parts: readonly Uint8Array[], looksForSecrets: boolean, level = 1): HtmlFacts {
  const facts = factsOf(parts, level);
  if (looksForSecrets) facts.secrets = findSecrets(parts, () => textOfHtml(parts.map(decodedText).join('')));
  return facts;
}

/** What stands around it; its headings are not the author's. */
export function frameFacts(html: Uint8Array): HtmlFacts {
  return factsOf([html], undefined);
}

function factsOf(parts: readonly Uint8Array[], level: number | undefined): HtmlFacts {
  const ids = new Set<string>();
  const references = new Set<string>();
  const fragments = new Set<string>();
  const facts: HtmlFacts = {
    ids: [],
    duplicateIds: [],
    references: [],
    fragments: [],
    skippedHeadings: [],
    level: level ?? 1,
    undescribedPictures: [],
    remoteFiles: [],
    secrets: [],
  };
  const note = (tag: ScannedTag): void => {
    if (tag.id !== undefined) noteId(tag.id, ids, facts.duplicateIds);
    if (tag.anchorName !== undefined) ids.add(tag.anchorName);
    if (level !== undefined) facts.level = noteHeading(tag, facts.level, facts.skippedHeadings);
    if (tag.name === 'img' && tag.alt === undefined) facts.undescribedPictures.push(tag.src ?? '');
    for (const { address, loads } of referencesOf(tag)) {
      if (address.startsWith('#')) fragments.add(address);
      else if (address === '' || isAbsolute(address)) {
        if (loads && /^(?:https?:)?\/\//i.test(address)) facts.remoteFiles.push(address);
      } else references.add((loads ? 'f' : 'a') + address);
    }
  };
  for (const html of parts) scanTags(html, note);
  facts.ids = [...ids];
  facts.references = [...references];
  facts.fragments = [...fragments];
  return facts;
}

export function referencesIn({ references }: OutputFacts): Reference[] {
  if (references === '') return [];
  return references.split('\n').map(readReference);
}

/** Addresses inside of the site that a reader can follow. */
export function followedAddresses({ references }: HtmlFacts): string[] {
  return references.map(readReference).flatMap(({ address, loads }) => (loads ? [] : [address]));
}

function readReference(written: string): Reference {
  return { address: written.slice(1), loads: written.startsWith('f') };
}

/** `ids` as in the facts. */
export function hasId(ids: string, fragment: string): boolean {
  return isFound(fragment, (id) => ids.includes(`\n${id}\n`));
}

/** The top of a page and a text fragment need no id. */
export function isFound(fragment: string, has: (id: string) => boolean): boolean {
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

function noteId(id: string, ids: Set<string>, duplicateIds: string[]): void {
  if (ids.has(id) && duplicateIds.length < mostListed) duplicateIds.push(keptText(id));
  ids.add(id);
}

/** Headings of the author have ids; those that components draw for themselves do not count. */
function noteHeading(tag: ScannedTag, before: number, skipped: SkippedHeading[]): number {
  if (tag.name.length !== 2 || tag.name.charAt(0) !== 'h' || tag.id === undefined) return before;
  const level = Number(tag.name.charAt(1));
  if (!(level >= 1 && level <= 6)) return before;
  if (level > before + 1 && skipped.length < mostListed)
    skipped.push({ id: keptText(tag.id), level, before });
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
    const address = /url=([^]*)/i.exec(content)?.[1]?.trim();
    if (address !== undefined) found.push({ address, loads: false });
  }
  return found;
}
