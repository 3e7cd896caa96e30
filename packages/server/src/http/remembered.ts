/**
 * What many callers ask the database for at the same time: it is asked once, and the answer is remembered until a change
 * is announced, for a second at most. Only the edge remembers, and only what it shows; whoever decides reads the database.
 */
import type { JobChanges } from '../ports/changes.ts';

/** Also the bound for what nobody announces, such as the command line at work on the same SQLite file. */
const longestMs = 1000;
const mostEntries = 10_000;

interface Entry<T> {
  value: Promise<T>;
  isRead: boolean;
  /** The value, once it is read. */
  known?: T;
  readAtMs: number;
  forget(): void;
}

export class Remembered<T> {
  readonly #changes: Pick<JobChanges, 'isLive' | 'listen'>;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(changes: Pick<JobChanges, 'isLive' | 'listen'>) {
    this.#changes = changes;
  }

  /** `subject` is what is listened to. What could not be read, or is not there, is not remembered. */
  read(key: string, subject: string, load: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key);
    if (known !== undefined && this.#isFresh(known)) return known.value;
    known?.forget();
    if (this.#entries.size >= mostEntries) this.#entries.values().next().value?.forget();
    return this.#load(key, subject, load);
  }

  /** What `read` would give without asking anybody; undefined when it would ask. */
  recall(key: string): T | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && this.#isFresh(entry) ? entry.known : undefined;
  }

  /** The listening begins before the reading, so that no change falls between the two. */
  #load(key: string, subject: string, load: () => Promise<T>): Promise<T> {
    const forget = () => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      clearTimeout(timer);
      unlisten();
    };
    const timer = setTimeout(forget, longestMs).unref();
    const unlisten = this.#changes.listen(subject, forget);
    const entry: Entry<T> = { readAtMs: performance.now(), isRead: false, forget, value: load() };
    this.#entries.set(key, entry);
    entry.value.then((value) => {
      entry.isRead = true;
      entry.known = value;
      if (value === undefined || !this.#changes.isLive) forget();
    }, forget);
    return entry.value;
  }

  #isFresh({ isRead, readAtMs }: Entry<T>): boolean {
    return (!isRead || this.#changes.isLive) && performance.now() - readAtMs < longestMs;
  }

  /** How much is remembered; a leak would show here. */
  get size(): number {
    return this.#entries.size;
  }
}
