/** Loads the pages of an API list as one growing list. */
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
    /** A refetch reads all loaded pages one after another. */
    refetchMs?: number | ((rows: Row[]) => number | false);
    /** An event stream keeps the rows current. */
    followed?: boolean;
  } = {},
): { rows: Row[] | undefined; error: unknown; refetch: () => void; more: MoreRows } {
  const { refetchMs = false } = options;
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    // Comparing the rows of a long list takes longer than rendering the visible ones.
    structuralSharing: false,
    refetchInterval: ({ state }) =>
      typeof refetchMs === 'function'
        ? refetchMs(state.data?.pages.flatMap(({ data }) => data) ?? [])
        : refetchMs,
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
