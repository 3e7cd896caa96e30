/**
 * A short-lived cache for replies that many callers request (stale-while-revalidate). Concurrent loads are merged,
 * and an announced change evicts the entry. Only the HTTP layer uses it, for data that is shown; decisions read the
 * database.
 */
import type { JobChanges } from '../ports/changes.ts';

/** Also bounds changes that are not announced, such as those of the CLI on the same SQLite file. */
const maxAgeMs = 1000;
/**
 * Frequently read entries are reloaded before they expire while the old value is served, so that many pollers never
 * wait for the database.
 */
const revalidateAfterMs = 500;
const minReadsToRevalidate = 10;
const maxEntries = 10_000;

interface Entry<T> {
  value: Promise<T>;
  isLoaded: boolean;
  loadedAtMs: number;
  reads: number;
  isEvicted: boolean;
  evict(): void;
  /** The previous entry, served until this one is loaded. */
  previous: Entry<T> | undefined;
}

export class ResponseCache<T> {
  readonly #changes: Pick<JobChanges, 'isLive' | 'listen'>;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(changes: Pick<JobChanges, 'isLive' | 'listen'>) {
    this.#changes = changes;
  }

  /** `subject` is the announced name. Failed and undefined results are not cached. */
  read(key: string, subject: string, load: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key);
    if (known === undefined || !this.#isFresh(known)) {
      known?.evict();
      if (this.#entries.size >= maxEntries) this.#entries.values().next().value?.evict();
      return this.#load(key, subject, load).value;
    }
    known.reads += 1;
    const { previous } = known;
    if (previous !== undefined && this.#isFresh(previous)) return previous.value;
    if (
      known.isLoaded &&
      known.reads >= minReadsToRevalidate &&
      performance.now() - known.loadedAtMs >= revalidateAfterMs
    )
      this.#load(key, subject, load).previous = known;
    return known.value;
  }

  /** Listens before loading, so that no change is missed. */
  #load(key: string, subject: string, load: () => Promise<T>): Entry<T> {
    const evict = () => {
      entry.isEvicted = true;
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      clearTimeout(timer);
      unlisten();
    };
    const timer = setTimeout(evict, maxAgeMs).unref();
    const unlisten = this.#changes.listen(subject, evict);
    const entry: Entry<T> = {
      loadedAtMs: performance.now(),
      isLoaded: false,
      reads: 0,
      isEvicted: false,
      evict,
      previous: undefined,
      value: load(),
    };
    this.#entries.set(key, entry);
    entry.value
      .then((value) => {
        entry.isLoaded = true;
        if (value === undefined || !this.#changes.isLive) evict();
      }, evict)
      .finally(() => {
        entry.previous?.evict();
        entry.previous = undefined;
      });
    return entry;
  }

  #isFresh({ isLoaded, isEvicted, loadedAtMs }: Entry<T>): boolean {
    if (isEvicted || (isLoaded && !this.#changes.isLive)) return false;
    return performance.now() - loadedAtMs < maxAgeMs;
  }

  /** For tests. */
  get size(): number {
    return this.#entries.size;
  }
}
