/** Builds the search index in this thread or, for a large site, in a worker thread. */
import { Worker } from 'node:worker_threads';
import type { PageTerms } from '../model/page.ts';
import { type SearchFile, SearchIndex } from './build.ts';
import type { FromIndexThread, ToIndexThread } from './index-thread.ts';
import type { SearchedPages } from './pages.ts';

export interface SearchBuilder {
  /** Returns the completed files. */
  add(route: string, terms: PageTerms | undefined): SearchFile[];
  /** Settles once the builder can take another page without holding too many in memory; undefined if it can now. */
  room(): Promise<void> | undefined;
  finish(): Iterable<SearchFile> | AsyncIterable<SearchFile>;
  close(): void;
}

/** For fewer pages a thread costs more than it saves. */
const minPagesForThread = 2000;
/** Pages that wait for the thread. */
const maxPendingPages = 200;

export function searchBuilder(searched: SearchedPages): SearchBuilder {
  return searched.pages.size < minPagesForThread
    ? new SameThreadBuilder(searched)
    : new WorkerThreadBuilder(searched);
}

export class SameThreadBuilder implements SearchBuilder {
  readonly #index: SearchIndex;

  constructor({ pages, scopes }: SearchedPages) {
    this.#index = new SearchIndex(pages, scopes);
  }

  add(route: string, terms: PageTerms | undefined): SearchFile[] {
    return this.#index.add(route, terms);
  }

  room(): undefined {}

  finish(): Iterable<SearchFile> {
    return this.#index.finish();
  }

  close(): void {}
}

export class WorkerThreadBuilder implements SearchBuilder {
  readonly #worker: Worker;
  readonly #ready: SearchFile[] = [];
  #pendingPages = 0;
  #isFinished = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(searched: SearchedPages) {
    this.#worker = new Worker(new URL('./index-thread.ts', import.meta.url), {
      workerData: searched,
      env: {},
      execArgv: [],
    });
    this.#worker.on('message', (files: FromIndexThread) => {
      if (files === null) this.#isFinished = true;
      else this.#ready.push(...files);
      this.#pendingPages -= 1;
      this.#wake?.();
    });
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', (code) => this.#fail(new Error(`The search index thread exited (${code}).`)));
  }

  add(route: string, terms: PageTerms | undefined): SearchFile[] {
    if (this.#failure) throw this.#failure;
    // Posting a view would copy its whole underlying buffer.
    const copy = terms && new Uint8Array(terms);
    this.#pendingPages += 1;
    this.#worker.postMessage({ route, terms: copy } satisfies ToIndexThread, copy ? [copy.buffer] : []);
    return this.#ready.splice(0);
  }

  room(): Promise<void> | undefined {
    return this.#pendingPages < maxPendingPages || this.#failure ? undefined : this.#next();
  }

  async *finish(): AsyncGenerator<SearchFile> {
    this.#worker.postMessage('finish' satisfies ToIndexThread, []);
    while (!this.#isFinished || this.#ready.length > 0) {
      yield* this.#ready.splice(0);
      if (this.#failure) throw this.#failure;
      if (this.#isFinished || this.#ready.length > 0) continue;
      await this.#next();
    }
  }

  #next(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  close(): void {
    this.#isFinished = true;
    void this.#worker.terminate();
  }

  #fail(error: Error): void {
    if (!this.#isFinished) this.#failure ??= error;
    this.#wake?.();
  }
}
