/**
 * A site that is loaded again and again: what was read stays in memory until its file changes. It decides which changes
 * of the folder can be seen on the site as a whole, and not on single pages only.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { SiteLoadError } from '../model/diagnostic.ts';
import { loadSite, readPage } from '../pipeline/load.ts';
import { routeOfFile } from '../navigation/files.ts';
import type { PageSource } from '../model/page-source.ts';
import type { LoadCache, LoadOptions, Site } from '../site/site.ts';

/** Then it is a checkout of another branch, and looking at single files costs more than it saves. */
const manyFiles = 500;
const loadAttempts = 3;

export class ReloadableSite {
  readonly #options: Pick<LoadOptions, 'root' | 'fetchRemote'>;
  #cache = emptyCache();

  constructor(options: Pick<LoadOptions, 'root' | 'fetchRemote'>) {
    this.#options = options;
  }

  /** A file may be gone between being listed and being read, as long as somebody is at work in the folder. */
  async load(attempts = loadAttempts): Promise<Site> {
    const { root, fetchRemote } = this.#options;
    try {
      return await loadSite({ root, cache: this.#cache, ...(fetchRemote ? { fetchRemote } : {}) });
    } catch (error) {
      if (error instanceof SiteLoadError || attempts === 1) throw error;
      this.#cache = emptyCache();
      return this.load(attempts - 1);
    }
  }

  /** Forgets what is not true any more; answers whether the site must be loaded again. */
  async takeIn(changed: readonly string[]): Promise<boolean> {
    if (changed.length > manyFiles) {
      this.#cache = emptyCache();
      return true;
    }
    const listed = this.#cache.files?.all ?? [];
    const answers = await Promise.all(changed.map((path) => this.#takeInPath(path, listed)));
    return answers.includes(true);
  }

  async #takeInPath(path: string, listed: readonly string[]): Promise<boolean> {
    const found = await lstat(join(this.#options.root, path)).catch(() => undefined);
    const isData = /\.(?:json|ya?ml)$/i.test(path);
    if (isData && !isConfiguration(path)) this.#cache.specs = emptyCache().specs;
    const isKnown = found?.isFile()
      ? listed.includes(path)
      : !found?.isDirectory() && !listed.some((file) => file === path || file.startsWith(`${path}/`));
    if (!isKnown || /^\.mint(?:lify)?ignore$/.test(path)) {
      this.#cache.files = undefined;
      this.#cache.pages.delete(path);
      return true;
    }
    return found !== undefined && (isData || this.#takeInPage(path));
  }

  /** Navigation and search know front matter; the rest of a page is nobody else's business. */
  #takeInPage(file: string): boolean {
    const before = this.#cache.pages.get(file);
    if (!before) return false;
    const page = this.#readAgain(file);
    if (page) this.#cache.pages.set(file, page);
    else this.#cache.pages.delete(file);
    return !page || !isDeepStrictEqual({ ...page, sourceHash: before.sourceHash }, before);
  }

  /** Undefined when it is gone again. */
  #readAgain(file: string): PageSource | undefined {
    try {
      return readPage(this.#options.root, file, routeOfFile(file));
    } catch {
      return undefined;
    }
  }
}

export function isConfiguration(path: string): boolean {
  return path === 'docs.json' || path === 'mint.json';
}

function emptyCache(): LoadCache {
  return { pages: new Map(), specs: { kinds: new Map(), specs: new Map() } };
}
