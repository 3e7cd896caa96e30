import { ForgeError } from '../../ports/forge.ts';
import type { Api, Call } from './api.ts';

export interface Page<Item> {
  items: readonly Item[];
  /** Null after the last page. */
  next: number | null;
}

const maxPages = 50;

/** Throws if there are more pages, because a lookup that misses an item would create a second one. */
export async function* readPages<Item>(
  read: (page: number) => Promise<Page<Item>>,
  firstPage = 1,
): AsyncGenerator<Item, void, undefined> {
  let page: number | null = firstPage;
  for (let count = 1; page !== null; count++) {
    if (count > maxPages) {
      throw new ForgeError('rejected', `The list has more than ${maxPages} pages.`, {
        hint: 'Delete old comments or close the pull request.',
      });
    }
    const found: Page<Item> = await read(page);
    yield* found.items;
    page = found.next;
  }
}

/** Pages of forges that name the next page in the header Link. */
export async function readLinkedPage<Item>(api: Api, call: Call<Item[]>, page: number): Promise<Page<Item>> {
  const query = { ...call.query, page: String(page) };
  const { value, headers } = await api.getWithHeaders({ ...call, query });
  const hasNext = (headers.get('link') ?? '').includes('rel="next"');
  return { items: value, next: hasNext ? page + 1 : null };
}
