/**
 * Rendered pages of earlier runs, found again by everything that went into them: the page, its files, what the site says
 * about all pages, and what its links led to. Pages that depend on anything else are not kept.
 */
import { deserialize, serialize } from 'node:v8';
import { createLinkResolver } from '../navigation/links.ts';
import { answerOf } from '../page/dependencies.ts';
import type { Lookup, PageResult, PageTask } from '../model/page.ts';
import { packedHead, packedPage, unpackedPage } from './packed-page.ts';
import { opened, withHead } from './parts.ts';
import { type FileHashes, type SiteMemory } from './site-memory.ts';
import { shortHash } from '../text/short-hash.ts';
import type { SitePlan } from '../model/site-plan.ts';

/** Comes before the packed page. */
interface KeptFacts {
  /** Files that the page was made from or shows, with their hashes. */
  files: [file: string, sha: string][];
  /** Of the lists of pages and files: with the same ones, links need not be followed again. */
  lists: string;
  /** The time it was for the code of the page, if it has any. */
  clockMs: number | undefined;
}

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
    const { head, rest } = opened(kept);
    const facts = deserialize(head) as KeptFacts;
    if (!this.#isOfNow(facts)) return undefined;
    const { result, lookups } = unpackedPage(rest);
    return facts.lists === this.#lists || this.#hold(lookups)
      ? { result: { ...result, id: task.id }, key }
      : undefined;
  }

  /** A page of the last run as it was then. */
  recallByKey(key: string | undefined): PageResult | undefined {
    const kept = key === undefined ? undefined : this.#store.get(key);
    return kept && unpackedPage(opened(kept).rest).result;
  }

  /** A page of the last run, which still is what it was. */
  mustRecall(key: string): PageResult {
    const page = this.recallByKey(key);
    if (!page) throw new Error('The memory of the last run has lost a page.');
    return page;
  }

  /** Those that are worth asking for. Where nothing is known, no file is read to find that out: 0.5 s for 10,000. */
  mayKnow(tasks: readonly PageTask[]): PageTask[] {
    return this.#store.isEmpty ? [] : tasks.filter((task) => this.#mayKnow(task));
  }

  #mayKnow(task: PageTask): boolean {
    const key = this.keyOf(task);
    return key !== undefined && this.#store.has(key);
  }

  /** Returns the key of what was kept. */
  keep(task: PageTask, rendered: PageResult): string | undefined {
    const { source } = rendered;
    if (source) this.#files.learn(task.file, source);
    // Whoever looked at the file before may have seen another one.
    if (source && source[4] !== this.#files.of(task.file)) return undefined;
    const key = this.keyOf(task);
    const head = key === undefined ? undefined : (rendered.packedHead ?? packedHead(rendered));
    if (key === undefined || head === undefined) return undefined;
    const files = filesOf(rendered).map((file) => [file, this.#files.of(file) ?? ''] as [string, string]);
    const clockMs = rendered.tier === 'none' ? undefined : this.#plan.clockMs;
    const facts: KeptFacts = { files, lists: this.#lists, clockMs };
    this.#store.put(key, ...withHead(serialize(facts), packedPage(head, rendered)));
    return key;
  }

  #isOfNow({ files, clockMs }: KeptFacts): boolean {
    if (clockMs !== undefined && clockMs !== this.#plan.clockMs) return false;
    return files.every(([file, sha]) => (this.#files.of(file) ?? '') === sha);
  }

  #hold(lookups: readonly Lookup[]): boolean {
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

/** Every file whose content is on the page or decides how it looks. */
export function filesOf({ sourceFiles = [], assets }: PageResult): string[] {
  return [...new Set([...sourceFiles, ...assets])];
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
