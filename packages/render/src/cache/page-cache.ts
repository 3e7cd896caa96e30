/**
 * Reuses finished pages of earlier builds. A page is found by the site around it and its own source, and is used when the
 * files and heading ids that it depends on are the same. Nothing else of the renderer knows that a cache exists.
 */
import type { BuildCache } from '../model/build-cache.ts';
import type { FetchedPicture, FinishedPage, IdsOf, PageRenderer } from '../model/finished-page.ts';
import type { PageTask } from '../model/page.ts';
import { idsHash, shortHash } from '../text/short-hash.ts';
import {
  type CachedDependencies,
  packDependencies,
  packPage,
  unpackDependencies,
  unpackPage,
} from './cached-page.ts';
import { FileHashes } from './file-hashes.ts';
import { type KeyedSite, siteKeyOf } from './site-key.ts';

/** Why a page was reused or rendered. */
export interface CacheDecision {
  output: string;
  isReused: boolean;
  reason: string;
}

export function withPageCache(
  renderer: PageRenderer,
  cache: BuildCache | undefined,
  site: KeyedSite,
): PageRenderer {
  return cache ? new CachedPageRenderer(renderer, cache, site) : renderer;
}

interface Hit extends CachedDependencies {
  task: PageTask;
  key: string;
}

class CachedPageRenderer implements PageRenderer {
  readonly #renderer: PageRenderer;
  readonly #cache: BuildCache;
  readonly #site: KeyedSite;
  readonly #hashes: FileHashes;
  readonly #siteKey: string;

  constructor(renderer: PageRenderer, cache: BuildCache, site: KeyedSite) {
    this.#renderer = renderer;
    this.#cache = cache;
    this.#site = site;
    this.#hashes = new FileHashes(site.site);
    this.#siteKey = siteKeyOf(site, this.#hashes);
  }

  async *render(tasks: readonly PageTask[], idsOf: IdsOf): AsyncGenerator<FinishedPage | FetchedPicture> {
    const hits = new Map<string, Hit>();
    for (const task of tasks) {
      const hit = this.#find(task);
      if (hit) hits.set(task.output, hit);
    }
    const hashes = new Map([...hits].map(([output, { ids }]) => [output, idsHash(ids)]));
    const isCurrent = (hit: Hit): boolean => this.#hasSameIds(hit, hashes);
    /** Whether every page that it leads to is known before anything is rendered. */
    const isComplete = ({ targets }: Hit): boolean => targets.every(([output]) => hashes.has(output));
    const reused = [...hits.values()].filter((hit) => isComplete(hit) && isCurrent(hit));
    const undecided = [...hits.values()].filter((hit) => !isComplete(hit));
    const kept = new Set([...reused, ...undecided].map(({ task }) => task));
    const knownIds: IdsOf = (output) => hits.get(output)?.ids ?? idsOf(output);
    const rendering = this.#render(
      tasks.filter((task) => !kept.has(task)),
      knownIds,
      hashes,
    );
    // The processes render while the cached pages are read.
    let next = rendering.next();
    next.catch(() => undefined);
    const lost: PageTask[] = [];
    for (const hit of reused) {
      const page = this.#read(hit);
      if (page) yield page;
      else lost.push(hit.task);
    }
    for (let one = await next; !one.done; one = await next) {
      next = rendering.next();
      next.catch(() => undefined);
      yield one.value;
    }
    for (const hit of undecided) {
      const page = isCurrent(hit) ? this.#read(hit) : undefined;
      if (page) yield page;
      else lost.push(hit.task);
    }
    if (lost.length > 0) yield* this.#render(lost, knownIds, hashes);
  }

  async *#render(
    tasks: readonly PageTask[],
    idsOf: IdsOf,
    hashes: Map<string, string>,
  ): AsyncGenerator<FinishedPage | FetchedPicture> {
    for await (const page of this.#renderer.render(tasks, idsOf)) {
      if (!('picture' in page)) {
        hashes.set(page.task.output, idsHash(page.summary.ids));
        this.#put(page);
      }
      yield page;
    }
  }

  #find(task: PageTask): Hit | undefined {
    const key = this.#keyOf(task);
    const packed = key === undefined ? undefined : this.#cache.get(dependenciesKey(key));
    const found = packed && unpackDependencies(packed);
    if (key === undefined || !found) return this.#reject(task, 'not cached for this source and site');
    if (found.clockMs !== undefined && found.clockMs !== this.#site.plan.clockMs)
      return this.#reject(task, 'its code sees another time');
    const changed = found.files.find(([file, hash]) => this.#hashes.of(file) !== hash);
    if (changed) return this.#reject(task, `${changed[0]} changed`);
    return { ...found, task, key };
  }

  #hasSameIds({ task, targets }: Hit, hashes: ReadonlyMap<string, string>): boolean {
    const changed = targets.find(([output, hash]) => hashes.get(output) !== hash);
    if (changed) this.#reject(task, `the ids of ${changed[0]} changed`);
    return changed === undefined;
  }

  #read({ task, key }: Hit): FinishedPage | undefined {
    const packed = this.#cache.get(pageKey(key));
    const page = packed && unpackPage(packed);
    if (!page) return this.#reject(task, 'the cached page cannot be read');
    this.#report({ output: task.output, isReused: true, reason: 'same source, site, files and ids' });
    const dependencies = { files: undefined, targets: [], clockMs: undefined };
    return { ...page, task, dependencies, milliseconds: 0 };
  }

  #put(page: FinishedPage): void {
    const { task, dependencies, summary } = page;
    const { files, targets, clockMs } = dependencies;
    const key = files && this.#keyOf(task);
    if (!files || key === undefined) return;
    const hashed: [string, string][] = [];
    for (const file of files) {
      const hash = this.#hashes.ofUnchanged(file);
      if (hash === undefined) return;
      hashed.push([file, hash]);
    }
    this.#cache.put(
      dependenciesKey(key),
      packDependencies({ files: hashed, targets, clockMs, ids: summary.ids }),
    );
    this.#cache.put(pageKey(key), ...packPage(page));
  }

  /** Undefined for a page whose file cannot be read. */
  #keyOf({ generated, content = '', file, output }: PageTask): string | undefined {
    const source = generated ? shortHash(content) : this.#hashes.of(file);
    return source === undefined ? undefined : shortHash([this.#siteKey, output, source].join('\0'));
  }

  #reject(task: PageTask, reason: string): undefined {
    this.#report({ output: task.output, isReused: false, reason });
  }

  #report(decision: CacheDecision): void {
    this.#site.options.onCacheDecision?.(decision);
  }
}

function dependenciesKey(key: string): string {
  return `dependencies:${key}`;
}

function pageKey(key: string): string {
  return `page:${key}`;
}
