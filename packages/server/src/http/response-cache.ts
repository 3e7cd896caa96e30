/**
 * What many callers ask the database for at the same time: it is asked once, and the answer is remembered until a change
 * is announced, for a second at most. Only the edge remembers, and only what it shows; whoever decides reads the database.
 */
import type { JobChanges } from '../ports/changes.ts';

/** Also the bound for what nobody announces, such as the command line at work on the same SQLite file. */
const longestMs = 1000;
/**
 * What is asked for often is read again before it has to be, and the old answer is given meanwhile. Ten thousand pollers
 * that wait for PostgreSQL once a second cost a third more processor time than those who never wait.
 */
const readAgainMs = 500;
const oftenTimes = 10;
const mostEntries = 10_000;

interface Entry<T> {
  value: Promise<T>;
  isRead: boolean;
  readAtMs: number;
  timesAsked: number;
  isForgotten: boolean;
  forget(): void;
  /** What was read before; until this one is read it is as good as it ever was. */
  before: Entry<T> | undefined;
}

export class ResponseCache<T> {
  readonly #changes: Pick<JobChanges, 'isLive' | 'listen'>;
  readonly #entries = new Map<string, Entry<T>>();

  constructor(changes: Pick<JobChanges, 'isLive' | 'listen'>) {
    this.#changes = changes;
  }

  /** `subject` is what is listened to. What could not be read, or is not there, is not remembered. */
  read(key: string, subject: string, load: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key);
    if (known === undefined || !this.#isFresh(known)) {
      known?.forget();
      if (this.#entries.size >= mostEntries) this.#entries.values().next().value?.forget();
      return this.#load(key, subject, load).value;
    }
    known.timesAsked += 1;
    const { before } = known;
    if (before !== undefined && this.#isFresh(before)) return before.value;
    if (known.isRead && known.timesAsked >= oftenTimes && performance.now() - known.readAtMs >= readAgainMs)
      this.#load(key, subject, load).before = known;
    return known.value;
  }

  /** The listening begins before the reading, so that no change falls between the two. */
  #load(key: string, subject: string, load: () => Promise<T>): Entry<T> {
    const forget = () => {
      entry.isForgotten = true;
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      clearTimeout(timer);
      unlisten();
    };
    const timer = setTimeout(forget, longestMs).unref();
    const unlisten = this.#changes.listen(subject, forget);
    const entry: Entry<T> = {
      readAtMs: performance.now(),
      isRead: false,
      timesAsked: 0,
      isForgotten: false,
      forget,
      before: undefined,
      value: load(),
    };
    this.#entries.set(key, entry);
    entry.value
      .then((value) => {
        entry.isRead = true;
        if (value === undefined || !this.#changes.isLive) forget();
      }, forget)
      .finally(() => {
        entry.before?.forget();
        entry.before = undefined;
      });
    return entry;
  }

  #isFresh({ isRead, isForgotten, readAtMs }: Entry<T>): boolean {
    if (isForgotten || (isRead && !this.#changes.isLive)) return false;
    return performance.now() - readAtMs < longestMs;
  }

  /** How much is remembered; a leak would show here. */
  get size(): number {
    return this.#entries.size;
  }
}
