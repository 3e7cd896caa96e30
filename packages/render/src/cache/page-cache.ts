/**
 * Reuses finished pages of earlier builds. The key of a page is its site and its source; a hit is valid when
 * the files and heading ids that it depends on are unchanged. No other part of the renderer knows about the
 * cache.
 */
import { extname } from 'node:path';
import type { BuildCache } from '../model/build-cache.ts';
import type {
  FetchedPicture,
  FinishedPage,
  IdsOf,
  PageRenderer,
  RenderedPage,
} from '../model/finished-page.ts';
import type { PageTask } from '../model/page.ts';
import type { FileContent } from '../model/file-content.ts';
import type { SitePlan } from '../model/site-plan.ts';
import type { SiteOptions } from '../site/render-options.ts';
import type { Site } from '../site/site.ts';
import type { SiteFonts } from '../theme/fonts.ts';
import { idsHash, shortHash } from '../text/short-hash.ts';
import {
  type CachedDependencies,
  type CachedFile,
  packDependencies,
  packSummary,
  unpackDependencies,
  unpackSummary,
} from './cached-page.ts';
import { FileHashes } from './file-hashes.ts';

export interface CacheDecision {
  output: string;
  isReused: boolean;
  reason: string;
}

interface KeyedSite {
  site: Pick<Site, 'root' | 'files' | 'metas' | 'sourceHashes' | 'loadStartedAtMs'>;
  plan: SitePlan;
  options: SiteOptions & { engine?: string; onCacheDecision?: (decision: CacheDecision) => void };
  /** Files that the frame shows. */
  pictures: { files: readonly string[]; style: { fonts: Pick<SiteFonts, 'preloaded'> } };
}

/** A file of the cache was damaged after the build began. The build succeeds when it is repeated without this cache. */
export class DamagedCacheError extends Error {
  override name = 'DamagedCacheError';

  constructor() {
    super('The build cache is damaged.');
  }
}

export function withPageCache(
  renderer: PageRenderer<RenderedPage>,
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
  readonly #renderer: PageRenderer<RenderedPage>;
  readonly #cache: BuildCache;
  readonly #site: KeyedSite;
  readonly #hashes: FileHashes;
  readonly #siteKey: string;

  constructor(renderer: PageRenderer<RenderedPage>, cache: BuildCache, site: KeyedSite) {
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
    /** Whether the ids of all its targets are known before rendering. */
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
    const lost: PageTask[] = [];
    try {
      // The processes render while the cached pages are read.
      let next = rendering.next();
      next.catch(() => undefined);
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
    } finally {
      // Ends the processes also when the consumer stops early.
      await rendering.return(undefined);
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
      if ('picture' in page) {
        yield page;
        continue;
      }
      hashes.set(page.task.output, idsHash(page.summary.ids));
      yield this.#put(page);
    }
  }

  #find(task: PageTask): Hit | undefined {
    const key = this.#keyOf(task);
    const packed = key === undefined ? undefined : this.#cache.get(dependenciesKey(key));
    const found = packed && unpackDependencies(packed);
    if (key === undefined || !found) return this.#reject(task, 'not cached for this source and site');
    if (found.clockMs !== undefined && found.clockMs !== this.#site.plan.clockMs)
      return this.#reject(task, 'its code sees a different time');
    const changed = found.files.find(([file, hash]) => this.#hashes.of(file) !== hash);
    if (changed) return this.#reject(task, `${changed[0]} changed`);
    if (!this.#hasFile(found.html) || !this.#hasFile(found.markdown))
      return this.#reject(task, 'the cached page cannot be read');
    return { ...found, task, key };
  }

  #hasSameIds({ task, targets }: Hit, hashes: ReadonlyMap<string, string>): boolean {
    const changed = targets.find(([output, hash]) => hashes.get(output) !== hash);
    if (changed) this.#reject(task, `the ids of ${changed[0]} changed`);
    return changed === undefined;
  }

  #read({ task, key, html, markdown }: Hit): FinishedPage | undefined {
    const packed = this.#cache.get(summaryKey(key));
    const summary = packed && unpackSummary(packed);
    if (!summary) return this.#reject(task, 'the cached page cannot be read');
    this.#report({ output: task.output, isReused: true, reason: 'same source, site, files and ids' });
    return { task, summary, html: this.#stored(html), markdown: this.#stored(markdown), milliseconds: 0 };
  }

  /** Returns the page, whose files are read from the cache from now on. */
  #put(page: RenderedPage): FinishedPage {
    const { task, summary } = page;
    const { files, targets, clockMs } = page.dependencies;
    const key = files && this.#keyOf(task);
    if (!files || key === undefined) return page;
    const hashed: [string, string][] = [];
    for (const file of files) {
      const hash = this.#hashes.ofUnchanged(file);
      if (hash === undefined) return page;
      hashed.push([file, hash]);
    }
    const [html, markdown] = [this.#putFile(page.html), this.#putFile(page.markdown)];
    this.#cache.put(
      dependenciesKey(key),
      packDependencies({
        files: hashed,
        targets,
        clockMs,
        ids: summary.ids,
        html: { sizeBytes: html.sizeBytes, sha256: html.sha256 },
        markdown: { sizeBytes: markdown.sizeBytes, sha256: markdown.sha256 },
      }),
    );
    this.#cache.put(summaryKey(key), ...packSummary(summary));
    return { ...page, html, markdown };
  }

  #putFile(file: FileContent): FileContent {
    this.#cache.put(fileKey(file), file.read());
    // Nothing is stored on a full disk.
    return this.#hasFile(file) ? this.#stored(file) : file;
  }

  #hasFile(file: CachedFile): boolean {
    return this.#cache.keep(fileKey(file)) === file.sizeBytes;
  }

  #stored({ sizeBytes, sha256 }: CachedFile): FileContent {
    const read = (): Uint8Array => {
      const bytes = this.#cache.get(fileKey({ sha256 }));
      if (bytes?.length !== sizeBytes) throw new DamagedCacheError();
      return bytes;
    };
    return { sizeBytes, sha256, isInMemory: false, read };
  }

  /** Undefined for a page whose file cannot be read. */
  #keyOf({ generated, content = '', file, output }: PageTask): string | undefined {
    const source = generated ? shortHash(content) : this.#hashes.of(file);
    const day = this.#site.options.sourceFacts?.changedOn.get(file) ?? '';
    return source === undefined ? undefined : shortHash([this.#siteKey, output, source, day].join('\0'));
  }

  #reject(task: PageTask, reason: string): undefined {
    this.#report({ output: task.output, isReused: false, reason });
  }

  #report(decision: CacheDecision): void {
    this.#site.options.onCacheDecision?.(decision);
  }
}

/** Files of these kinds affect only the pages that depend on them. */
const filesOfPages = new Set(
  '.md .mdx .css .png .jpg .jpeg .gif .webp .avif .svg .mp4 .webm .pdf'.split(' '),
);

/** The part of a page's key that all pages share: everything that may be visible on any page. */
function siteKeyOf({ site, plan, options, pictures }: KeyedSite, hashes: FileHashes): string {
  const { root: _root, clockMs: _clockMs, pictures: remotePictures, ...planned } = plan;
  const { fetchPicture, engine, version, customScripts, sourceFacts } = options;
  const { preloaded } = pictures.style.fonts;
  const shared = site.files.all.filter((file) => !filesOfPages.has(extname(file).toLowerCase()));
  const files = [...shared, ...pictures.files].map((file) => [file, hashes.of(file)]);
  const { links } = sourceFacts ?? {};
  const fetches = fetchPicture !== undefined;
  const chosen = { engine, version, customScripts, links, fetches, preloaded };
  return shortHash(JSON.stringify([chosen, planned, [...remotePictures], files, [...site.metas.values()]]));
}

function dependenciesKey(key: string): string {
  return `dependencies:${key}`;
}

function summaryKey(key: string): string {
  return `summary:${key}`;
}

function fileKey({ sha256 }: Pick<CachedFile, 'sha256'>): string {
  return `file:${sha256}`;
}
