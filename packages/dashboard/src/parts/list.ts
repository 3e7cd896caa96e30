/** A list of the API, page after page, as one list that grows. */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { MoreRows } from './table.tsx';

interface ListPage<Row> {
  data: Row[];
  nextCursor: string | null;
}

export function useList<Row>(
  key: readonly unknown[],
  read: (cursor: string | undefined) => Promise<ListPage<Row>>,
  options: {
    /** All pages are read again, one after another: choose by how many rows there are. */
    refetchMs?: number | ((rows: Row[]) => number | false);
    /** Something else keeps what is there true. */
    followed?: boolean;
  } = {},
): { rows: Row[] | undefined; error: unknown; refetch: () => void; more: MoreRows } {
  const { refetchMs = false } = options;
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    // Looking for what stayed the same takes longer than drawing the rows in sight: 10,000 rows have half a million values.
    structuralSharing: false,
    refetchInterval: ({ state }) =>
      typeof refetchMs === 'function'
        ? refetchMs(state.data?.pages.flatMap(({ data }) => data) ?? [])
        : refetchMs,
    // All pages would be read again, one after another.
    refetchOnWindowFocus: options.followed !== true,
  });
  return {
    rows: list.data?.pages.flatMap(({ data }) => data),
    error: list.data === undefined ? list.error : null,
    refetch: () => void list.refetch(),
    more: {
      hasMore: list.hasNextPage,
      loading: list.isFetchingNextPage,
      error: list.isFetchNextPageError ? list.error : null,
      load: () => void list.fetchNextPage(),
    },
  };
}
