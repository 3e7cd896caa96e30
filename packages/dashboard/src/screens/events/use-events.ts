import type { ForgeEvent } from '@docyard/api';
import { client } from '../../api/client.ts';
import { useList } from '../../parts/list.ts';

export interface EventFilters {
  projectId?: string;
  state?: ForgeEvent['state'];
  kind?: ForgeEvent['kind'];
}

const maxPolledRows = 100;

/** Polls quickly while an event is pending, as long as few pages are loaded. */
export function useEvents(filters: EventFilters, limit = 50) {
  return useList(
    ['events', filters, limit],
    (cursor) =>
      client.call('listForgeEvents', {
        query: { ...filters, limit, ...(cursor === undefined ? {} : { cursor }) },
      }),
    {
      refetchMs: (rows) =>
        rows.length > maxPolledRows ? false : rows.some(({ state }) => state === 'pending') ? 2000 : 5000,
    },
  );
}
