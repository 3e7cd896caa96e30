/**
 * Collects ids, addresses, headings and secrets of one HTML file. Addresses are checked once all files are
 * known.
 */
import { decodedText, encodedText } from '../text/encoded-text.ts';
import { textOfHtml } from '../text/html.ts';
import { sharedIfEmpty, detachedText } from '../text/compact-values.ts';
import { type ScannedTag, scanTags } from './scan-html.ts';
import { findSecrets, maxSecrets } from './secrets.ts';
import type { OutputFacts, Reference } from '../model/finished-page.ts';
import type { FoundSecret, HtmlFacts, SkippedHeading } from '../model/page.ts';
import { percentDecode } from '../text/percent-decode.ts';

const maxListed = 200;

export interface OutputReader {
  /** Pages share their frame, so frame addresses are collected here and checked once. */
  noteFrame(reference: Reference): void;
  /** Whether the address is valid regardless of other output; settled references are dropped. */
  isSettled(reference: Reference): boolean;
  looksForSecrets: boolean;
}

export type HtmlPart = string | HtmlFacts;

/** `main` holds the author's content; `before` and `after` are the frame. */
export interface OutputParts {
  before: readonly HtmlPart[];
  main: readonly HtmlPart[];
  after: readonly HtmlPart[];
}

export function readOutput(html: string, reader: OutputReader): OutputFacts {
  const { start, end } = contentRange(html);
  return collectFacts(
    { before: [html.slice(0, start)], main: [html.slice(start, end)], after: [html.slice(end)] },
    reader,
  );
}

export function collectFacts({ before, main, after }: OutputParts, reader: OutputReader): OutputFacts {
  const whole = new FactCollector();
  for (const part of before) whole.addFrame(part, reader);
  for (const part of main) whole.addContent(part, reader);
  for (const part of after) whole.addFrame(part, reader);
  return whole.facts();
}

class FactCollector {
  readonly #ids = new Set<string>();
  readonly #references = new Set<string>();
  readonly #fragments = new Set<string>();
  readonly #duplicateIds: string[] = [];
  readonly #skippedHeadings: SkippedHeading[] = [];
  readonly #undescribedPictures: string[] = [];
  readonly #remoteFiles: string[] = [];
  readonly #secrets: FoundSecret[] = [];
  #level = 1;

  addFrame(part: HtmlPart, { noteFrame }: OutputReader): void {
    const facts = typeof part === 'string' ? frameFacts(encodedText(part)) : part;
    for (const reference of facts.references) noteFrame(readReference(reference));
    this.#add(facts);
  }

  addContent(part: HtmlPart, { isSettled, looksForSecrets }: OutputReader): void {
    const facts =
      typeof part === 'string' ? contentFacts([encodedText(part)], looksForSecrets, this.#level) : part;
    for (const reference of facts.references)
      if (!isSettled(readReference(reference))) this.#references.add(reference.replaceAll('\n', ''));
    this.#skippedHeadings.push(...facts.skippedHeadings);
    this.#level = facts.level;
    this.#secrets.push(...facts.secrets);
    this.#add(facts);
  }

  #add(facts: HtmlFacts): void {
    for (const id of facts.ids) noteId(id, this.#ids, this.#duplicateIds);
    for (const id of facts.duplicateIds) this.#duplicateIds.push(detachedText(id));
    for (const fragment of facts.fragments) this.#fragments.add(fragment);
    for (const source of facts.undescribedPictures) this.#undescribedPictures.push(detachedText(source));
    for (const address of facts.remoteFiles) this.#remoteFiles.push(detachedText(address));
  }

  facts(): OutputFacts {
    const lostFragments: string[] = [];
    for (const fragment of this.#fragments) {
      if (lostFragments.length === maxListed) break;
      if (!isFound(fragment.slice(1), (id) => this.#ids.has(id))) lostFragments.push(detachedText(fragment));
    }
    return {
      // Delimited on both sides for `hasId`. A single `join` yields a flat string instead of a rope.
      ids: ['', ...this.#ids, ''].join('\n'),
      references: [...this.#references].join('\n'),
      lostFragments: sharedIfEmpty(lostFragments),
      duplicateIds: sharedIfEmpty(this.#duplicateIds.slice(0, maxListed)),
      skippedHeadings: sharedIfEmpty(this.#skippedHeadings.slice(0, maxListed)),
      undescribedPictures: sharedIfEmpty(this.#undescribedPictures),
      remoteFiles: sharedIfEmpty(this.#remoteFiles),
      secrets: sharedIfEmpty(this.#secrets.slice(0, maxSecrets)),
    };
  }
}

export function contentFacts(parts: readonly Uint8Array[], looksForSecrets: boolean, level = 1): HtmlFacts {
  const facts = factsOf(parts, level);
  if (looksForSecrets) facts.secrets = findSecrets(parts, () => textOfHtml(parts.map(decodedText).join('')));
  return facts;
}

/** Headings of the frame are not checked. */
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

export function followedAddresses({ references }: HtmlFacts): string[] {
  return references.map(readReference).flatMap(({ address, loads }) => (loads ? [] : [address]));
}

function readReference(written: string): Reference {
  return { address: written.slice(1), loads: written.startsWith('f') };
}

export function hasId(ids: string, fragment: string): boolean {
  return isFound(fragment, (id) => ids.includes(`\n${id}\n`));
}

/** The top of the page and text fragments need no id. */
export function isFound(fragment: string, has: (id: string) => boolean): boolean {
  if (fragment === '' || fragment === 'top' || fragment.startsWith(':~:')) return true;
  return has(percentDecode(fragment)) || has(fragment);
}

export function isAbsolute(address: string): boolean {
  return address.includes(':') || address.startsWith('//')
    ? /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(address)
    : false;
}

function contentRange(html: string): { start: number; end: number } {
  const start = html.indexOf('<main');
  return start < 0 ? { start: 0, end: html.length } : { start, end: html.lastIndexOf('</main>') };
}

function noteId(id: string, ids: Set<string>, duplicateIds: string[]): void {
  if (ids.has(id) && duplicateIds.length < maxListed) duplicateIds.push(detachedText(id));
  ids.add(id);
}

/** Only author headings have ids; headings drawn by components are skipped. */
function noteHeading(tag: ScannedTag, before: number, skipped: SkippedHeading[]): number {
  if (tag.name.length !== 2 || tag.name.charAt(0) !== 'h' || tag.id === undefined) return before;
  const level = Number(tag.name.charAt(1));
  if (!(level >= 1 && level <= 6)) return before;
  if (level > before + 1 && skipped.length < maxListed)
    skipped.push({ id: detachedText(tag.id), level, before });
  return level;
}

const noReferences: Reference[] = [];

/** Metadata links are absolute on purpose and not followed. */
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
