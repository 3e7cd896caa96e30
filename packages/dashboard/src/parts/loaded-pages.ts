/** Updates the loaded pages of a list with one changed row. */
import type { InfiniteData } from '@tanstack/react-query';

export type LoadedPages<Row> = InfiniteData<{ data: Row[]; nextCursor: string | null }, string | undefined>;

interface Dated {
  createdAt: string;
  updatedAt: string;
}

/**
 * Rows are sorted newest first. A row that is not `isWanted` is removed or not added. Without `isAdded`, only rows that
 * are already in the list change, because only the server knows the position of a new row in another order or in a search.
 */
export function withRow<Row extends Dated>(
  loaded: LoadedPages<Row>,
  row: Row,
  { keyOf, isWanted, isAdded = true }: { keyOf: (row: Row) => string; isWanted: boolean; isAdded?: boolean },
): LoadedPages<Row> {
  const key = keyOf(row);
  const known = loaded.pages.flatMap(({ data }) => data).find((each) => keyOf(each) === key);
  if (known === undefined) {
    const newest = loaded.pages[0]?.data[0];
    const belongsOnTop = newest === undefined || newest.createdAt <= row.createdAt;
    return isWanted && isAdded && belongsOnTop ? mapFirst(loaded, (data) => [row, ...data]) : loaded;
  }
  if (known.updatedAt > row.updatedAt) return loaded;
  return mapPages(loaded, (data) =>
    data.some((each) => keyOf(each) === key)
      ? data.flatMap((each) => (keyOf(each) !== key ? [each] : isWanted ? [row] : []))
      : data,
  );
}

function mapFirst<Row>(loaded: LoadedPages<Row>, change: (data: Row[]) => Row[]): LoadedPages<Row> {
  const [first, ...rest] = loaded.pages;
  if (first === undefined) return loaded;
  return { ...loaded, pages: [{ ...first, data: change(first.data) }, ...rest] };
}

function mapPages<Row>(loaded: LoadedPages<Row>, change: (data: Row[]) => Row[]): LoadedPages<Row> {
  return { ...loaded, pages: loaded.pages.map((page) => ({ ...page, data: change(page.data) })) };
}
