/**
 * Rendered pages of earlier runs, found again by everything that went into them: the page, its files, what the site says
 * about all pages, and what its links led to. Pages that depend on anything else are not kept.
 */
import { deserialize, serialize } from 'node:v8';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { encodedText } from '../encoded-text.ts';
import { createLinkResolver } from '../navigation/links.ts';
import { answerOf, type Lookup } from '../page/lookups.ts';
import type { PageResult, PageTask, SitePlan } from '../page/task.ts';
import { type FileHashes, type SiteMemory, shortHash } from './site-memory.ts';

/** Fast rather than small: a page of 28 kB takes 0.14 ms and leaves 7 kB. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

interface KeptPage {
  /** The long texts are bytes: V8 would write two for each character. */
  result: Omit<PageResult, LongText> & Record<LongText, Uint8Array>;
  /** Files that the page was made from or shows, with their hashes. */
  files: [file: string, sha: string][];
  lookups: Lookup[];
  /** Of the lists of pages and files: with the same ones, links need not be followed again. */
  lists: string;
  /** The time it was for the code of the page, if it has any. */
  clockMs: number | undefined;
}

type LongText = 'html' | 'aside' | 'markdown';

export interface RememberedPage {
  result: PageResult;
  /** Under which it is kept, if it is. */
  key: string | undefined;
}

export class PageMemory {
  readonly #store: SiteMemory;
  readonly #files: FileHashes;
  readonly #plan: SitePlan;
  readonly #common: string;
  readonly #lists: string;
  readonly #specHashes = new Map<string, string>();
  /** Each page is asked for up to three times: whether it may be known, for itself, and to be kept. */
  readonly #keys = new Map<PageTask, string | undefined>();
  #answers: ReturnType<typeof answerOf> | undefined;

  constructor(store: SiteMemory, engine: string, plan: SitePlan, files: FileHashes) {
    this.#store = store;
    this.#files = files;
    this.#plan = plan;
    this.#common = commonKey(engine, plan);
    this.#lists = shortHash(
      [plan.routes, plan.files, plan.rendered].map((list) => list.join('\n')).join('\0'),
    );
  }

  /** Undefined for a page whose file cannot be read: whoever renders it says so. */
  keyOf(task: PageTask): string | undefined {
    if (this.#keys.has(task)) return this.#keys.get(task);
    const key = this.#madeKey(task);
    this.#keys.set(task, key);
    return key;
  }

  #madeKey(task: PageTask): string | undefined {
    const source = task.generated ? shortHash(task.content ?? '') : this.#files.of(task.file);
    if (source === undefined) return undefined;
    const { id, api, ...own } = task;
    const spec = api && 'spec' in api ? this.#specHash(api.spec) : '';
    // What is wrong with the banner of the site is told with the first page.
    const parts = [this.#common, source, spec, JSON.stringify(api), JSON.stringify(own), String(id === 0)];
    return `page:${shortHash(parts.join('\0'))}`;
  }

  recall(task: PageTask): RememberedPage | undefined {
    const key = this.keyOf(task);
    const kept = key && this.#store.get(key);
    if (!kept) return undefined;
    const page = unpacked(kept);
    return this.#holds(page) ? { result: { ...resultOf(page), id: task.id }, key } : undefined;
  }

  /** A page of the last run as it was then. */
  recallByKey(key: string | undefined): PageResult | undefined {
    const kept = key === undefined ? undefined : this.#store.get(key);
    return kept && resultOf(unpacked(kept));
  }

  /** A page of the last run, which still is what it was. */
  mustRecall(key: string): PageResult {
    const page = this.recallByKey(key);
    if (!page) throw new Error('The memory of the last run has lost a page.');
    return page;
  }

  /** Whether it is worth asking for the page. */
  mayKnow(task: PageTask): boolean {
    const key = this.keyOf(task);
    return key !== undefined && this.#store.has(key);
  }

  /** Returns the key of what was kept. */
  keep(task: PageTask, rendered: PageResult): string | undefined {
    if (!canBeKept(rendered)) return undefined;
    const key = this.keyOf(task);
    const { lookups = [], milliseconds: _, html, aside, markdown, ...rest } = rendered;
    const files = filesOf(rendered).map((file) => [file, this.#files.of(file) ?? ''] as [string, string]);
    if (key === undefined) return undefined;
    const clockMs = rendered.tier === 'none' ? undefined : this.#plan.clockMs;
    const texts = { html: encodedText(html), aside: encodedText(aside), markdown: encodedText(markdown) };
    const page: KeptPage = { result: { ...rest, ...texts }, files, lookups, lists: this.#lists, clockMs };
    this.#store.put(key, zstdCompressSync(serialize(page), compression));
    return key;
  }

  #holds({ files, lookups, lists, clockMs }: KeptPage): boolean {
    if (clockMs !== undefined && clockMs !== this.#plan.clockMs) return false;
    if (!files.every(([file, sha]) => (this.#files.of(file) ?? '') === sha)) return false;
    if (lists === this.#lists) return true;
    const answer = (this.#answers ??= answerOf(createLinkResolver(this.#plan), this.#plan));
    return lookups.every(([kind, written, from, before]) => answer(kind, written, from) === before);
  }

  #specHash(name: string): string {
    const known = this.#specHashes.get(name);
    if (known !== undefined) return known;
    const made = shortHash(JSON.stringify(this.#plan.specs[name]) ?? '');
    this.#specHashes.set(name, made);
    return made;
  }
}

function unpacked(kept: Uint8Array): KeptPage {
  return deserialize(zstdDecompressSync(kept)) as KeptPage;
}

function resultOf({ result }: KeptPage): PageResult {
  const text = (name: LongText): string => decoder.decode(result[name]);
  return { ...result, html: text('html'), aside: text('aside'), markdown: text('markdown') };
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Every file whose content is on the page or decides how it looks. */
export function filesOf({ sourceFiles = [], assets }: PageResult): string[] {
  return [...new Set([...sourceFiles, ...assets])];
}

/** Not what failed, may have been late by chance, lives on in the browser, was run, or shows what others may change. */
function canBeKept({ failed, islands, tier, wantedPictures, sourceFiles }: PageResult): boolean {
  return (
    !failed &&
    !islands &&
    tier !== 'run' &&
    tier !== 'refused' &&
    !wantedPictures &&
    sourceFiles !== undefined
  );
}

/** What is the same for all pages of a run, but the lists of pages and files, which change more often than they matter. */
function commonKey(engine: string, plan: SitePlan): string {
  const {
    root: _,
    files: _files,
    routes: _routes,
    rendered: _rendered,
    specs: _specs,
    pictures,
    ...rest
  } = plan;
  const { clockMs: _clock, asksForPictures: _asks, ...settings } = rest;
  return shortHash(JSON.stringify([engine, settings, [...pictures]]));
}
