/**
 * A site that is reloaded incrementally: sources stay in memory until their file changes. It decides which
 * changes affect the whole site rather than single pages.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { SiteLoadError } from '../model/diagnostic.ts';
import { loadSite, readPageSource } from '../pipeline/load.ts';
import { routeOfFile } from '../navigation/files.ts';
import type { PageSource } from '../model/page-source.ts';
import type { LoadCache, LoadOptions, Site } from '../site/site.ts';

/** More changed files are probably a checkout of another branch, where a full reload is cheaper. */
const manyFiles = 500;
const loadAttempts = 3;

export class ReloadableSite {
  readonly #options: Pick<LoadOptions, 'root' | 'fetchRemote'>;
  #cache = emptyCache();

  constructor(options: Pick<LoadOptions, 'root' | 'fetchRemote'>) {
    this.#options = options;
  }

  /** While the folder is edited, a file may disappear between being listed and being read. */
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

  /** Drops outdated sources; returns whether the site must be reloaded. */
  async applyChanges(changed: readonly string[]): Promise<boolean> {
    if (changed.length > manyFiles) {
      this.#cache = emptyCache();
      return true;
    }
    const listed = this.#cache.files?.all ?? [];
    const answers = await Promise.all(changed.map((path) => this.#applyChange(path, listed)));
    return answers.includes(true);
  }

  async #applyChange(path: string, listed: readonly string[]): Promise<boolean> {
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
    return found !== undefined && (isData || this.#applyPageChange(path));
  }

  #applyPageChange(file: string): boolean {
    const before = this.#cache.pages.get(file);
    if (!before) return false;
    const page = this.#readAgain(file);
    if (page) this.#cache.pages.set(file, page);
    else this.#cache.pages.delete(file);
    return !page || !isDeepStrictEqual({ ...page, sourceHash: before.sourceHash }, before);
  }

  /** Undefined when the file has disappeared. */
  #readAgain(file: string): PageSource | undefined {
    try {
      return readPageSource(this.#options.root, file, routeOfFile(file));
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
