import { csvLineOf, type ReadingRow } from '@docyard/api';
import { deleteAnalytics, reportReadings } from '../../deployment-registry/analytics.ts';
import { eachReading, readAnalytics } from '../../deployment-registry/read-analytics.ts';
import type { Handlers } from '../request.ts';
import { streamOf } from '../text-stream.ts';

type AnalyticsHandlers = Pick<
  Handlers,
  'reportReadings' | 'readAnalytics' | 'exportAnalytics' | 'deleteAnalytics'
>;

const columns = [
  'day',
  'deployment',
  'metric',
  'name',
  'reader',
  'count',
  'comment',
] as const satisfies readonly (keyof ReadingRow)[];

export function analyticsHandlers(stopping: AbortSignal): AnalyticsHandlers {
  return {
    reportReadings: async ({ context, caller, input }) => {
      await reportReadings(context, input.body, caller);
      return { body: undefined };
    },

    readAnalytics: async ({ context, caller, input }) => ({
      body: await readAnalytics(context, { ...input.query, reach: caller }),
    }),

    exportAnalytics: async ({ context, caller, input, web }) => {
      const text = csvOf(eachReading(context, { ...input.query, reach: caller }));
      const signal = AbortSignal.any([stopping, web.req.raw.signal]);
      const day = context.clock.now().toISOString().slice(0, 10);
      return new Response(web.req.method === 'HEAD' ? null : streamOf(text, signal), {
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="readers-${day}.csv"`,
        },
      });
    },

    deleteAnalytics: async ({ actor, input, commit }) =>
      commit(async (inside) => {
        await deleteAnalytics(inside, { ...input.params, actor });
        return { body: undefined };
      }),
  };
}

async function* csvOf(rows: AsyncIterable<ReadingRow>): AsyncGenerator<string, void, undefined> {
  yield csvLineOf(columns);
  for await (const row of rows) yield csvLineOf(columns.map((column) => row[column]));
}
