/** Builds the search index in this thread, or in another one while the pages of a large site are composed. */
import { Worker } from 'node:worker_threads';
import type { PageTerms } from '../model/page.ts';
import { type SearchFile, SearchIndex } from './build.ts';
import type { FromIndexThread, ToIndexThread } from './index-thread.ts';
import type { SearchedPages } from './pages.ts';

export interface SearchBuilder {
  /** Adds the terms of a page; returns files that are complete. */
  add(route: string, terms: PageTerms | undefined): SearchFile[];
  finish(): Iterable<SearchFile> | AsyncIterable<SearchFile>;
  close(): void;
}

/** Below this a thread costs more than it saves. */
const minPagesForThread = 2000;

export function searchBuilder(searched: SearchedPages): SearchBuilder {
  return searched.pages.size < minPagesForThread ? new OwnThread(searched) : new OtherThread(searched);
}

export class OwnThread implements SearchBuilder {
  readonly #index: SearchIndex;

  constructor({ pages, scopes }: SearchedPages) {
    this.#index = new SearchIndex(pages, scopes);
  }

  add(route: string, terms: PageTerms | undefined): SearchFile[] {
    return this.#index.add(route, terms);
  }

  finish(): Iterable<SearchFile> {
    return this.#index.finish();
  }

  close(): void {}
}

export class OtherThread implements SearchBuilder {
  readonly #worker: Worker;
  readonly #ready: SearchFile[] = [];
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
      this.#wake?.();
    });
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', (code) =>
      this.#fail(new Error(`The thread of the search index ended (${code}).`)),
    );
  }

  add(route: string, terms: PageTerms | undefined): SearchFile[] {
    if (this.#failure) throw this.#failure;
    // A message would carry all of the memory that the terms are a part of.
    const copy = terms && new Uint8Array(terms);
    this.#worker.postMessage({ route, terms: copy } satisfies ToIndexThread, copy ? [copy.buffer] : []);
    return this.#ready.splice(0);
  }

  async *finish(): AsyncGenerator<SearchFile> {
    this.#worker.postMessage('finish' satisfies ToIndexThread, []);
    while (!this.#isFinished || this.#ready.length > 0) {
      yield* this.#ready.splice(0);
      if (this.#failure) throw this.#failure;
      if (this.#isFinished || this.#ready.length > 0) continue;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
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
