/** The files of the search index: made from all pages, or from those that changed and the files of the last run. */
import type { SetAside } from '../text/kept.ts';
import { SearchIndex } from '../search/build.ts';
import type { SearchScope, SearchedPage } from '../search/pages.ts';
import type { SearchFile } from '../search/shards.ts';
import { updateIndex } from '../search/update.ts';
import type { LastFiles } from './unchanged.ts';
import type { PageTerms } from '../model/page.ts';

type Terms = () => PageTerms | undefined;

/** What the last run has left of its index. */
export interface LastIndex {
  files: LastFiles;
  reserve: Uint8Array;
}

export const searchFolder = '_docyard/search/';

export class SearchFiles {
  readonly #searched: { pages: ReadonlyMap<string, SearchedPage>; scopes: SearchScope[] };
  readonly #last: LastIndex | undefined;
  readonly #index: SearchIndex;
  readonly #kept = new Map<string, Terms>();
  readonly #before = new Map<string, PageTerms | undefined>();
  readonly #changed = new Map<string, PageTerms | undefined>();
  #updatedReserve: Uint8Array | undefined;

  constructor(
    searched: { pages: ReadonlyMap<string, SearchedPage>; scopes: SearchScope[] },
    last: LastIndex | undefined,
    aside: { setAside?: SetAside } = {},
  ) {
    this.#searched = searched;
    this.#last = last;
    this.#index = new SearchIndex(searched.pages, searched.scopes, aside);
  }

  /** After `finish`: what the next run needs besides the files. It is made for whoever asks. */
  get reserve(): Uint8Array {
    return this.#updatedReserve ?? this.#index.reserve();
  }

  /** A page whose terms are what they were. */
  keep(route: string, terms: Terms): void {
    this.#kept.set(route, terms);
  }

  /** A page that will come with other terms than these, which it had. */
  expect(route: string, before: PageTerms | undefined): void {
    this.#before.set(route, before);
  }

  /** Returns the files that are complete now. */
  add(route: string, terms: PageTerms | undefined): SearchFile[] {
    if (!this.#last) return this.#index.add(route, terms);
    this.#changed.set(route, terms);
    return [];
  }

  *finish(): Generator<SearchFile | { path: string; old: true }> {
    const updated = this.#last && this.#updated(this.#last);
    if (this.#last && updated) {
      this.#updatedReserve = updated.reserve;
      yield* updated.files;
      const gone = new Set([...updated.removed, ...updated.files.map(({ path }) => path)]);
      for (const path of this.#last.files.paths())
        if (path.startsWith(searchFolder) && !gone.has(path)) yield { path, old: true };
      return;
    }
    for (const [route, terms] of this.#changed) yield* this.#index.add(route, terms);
    for (const [route, terms] of this.#kept) yield* this.#index.add(route, terms());
    yield* this.#index.finish();
  }

  #updated({ files, reserve }: LastIndex): ReturnType<typeof updateIndex> {
    const changed = new Map(
      [...this.#changed].map(
        ([route, after]) => [route, { before: this.#before.get(route), after }] as const,
      ),
    );
    return updateIndex({ ...this.#searched, previous: (path) => files.read(path), reserve, changed });
  }
}
