/** The files of the search index, made from all pages, or from those that changed and the files of the last run. */
import { SearchIndex, type SearchFile } from '../search/build.ts';
import type { PageTerms } from '../search/page-terms.ts';
import type { SearchScope, SearchedPage } from '../search/pages.ts';

type Terms = () => PageTerms | undefined;

export class SearchFiles {
  readonly #index: SearchIndex;
  readonly #kept = new Map<string, Terms>();

  constructor({ pages, scopes }: { pages: ReadonlyMap<string, SearchedPage>; scopes: SearchScope[] }) {
    this.#index = new SearchIndex(pages, scopes);
  }

  /** A page whose terms are what they were. */
  keep(route: string, terms: Terms): void {
    this.#kept.set(route, terms);
  }

  add(route: string, terms: PageTerms | undefined): SearchFile[] {
    return this.#index.add(route, terms);
  }

  *finish(): Generator<SearchFile | { path: string; old: true }> {
    for (const [route, terms] of this.#kept) yield* this.#index.add(route, terms());
    yield* this.#index.finish();
  }
}
