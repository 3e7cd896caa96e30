import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeQueue } from '../../../test/support/queue-suite.ts';
import { openSqlite } from '../database/sqlite.ts';
import { InProcessQueue } from './in-process.ts';

const database = await openSqlite(':memory:');

describeQueue('in this process', async ({ maxPerOrganization } = {}) => ({
  queue: new InProcessQueue(maxPerOrganization),
  database,
}));

test('every job is delivered once and in order, and no organization waits for two jobs of another', async () => {
  const organizations = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(organizations, async (sent) => {
      const queue = new InProcessQueue();
      const got: { organizationId: string; jobId: string }[] = [];
      for (const [index, organizationId] of sent.entries())
        await queue.send(database, {
          kind: 'export',
          jobId: String(index),
          organizationId,
          attempt: 0,
          priority: 0,
        });
      await new Promise<void>((resolve) => {
        void queue.consume('export', 1, async (delivery) => {
          got.push(delivery);
          if (got.length === sent.length) resolve();
        });
      });
      expect(got.map(({ jobId }) => Number(jobId)).toSorted((x, y) => x - y)).toEqual([...sent.keys()]);
      for (const each of new Set(sent)) {
        const places = got.flatMap(({ organizationId }, place) => (organizationId === each ? [place] : []));
        const jobs = places.map((place) => Number(got[place]?.jobId));
        expect(jobs).toEqual(jobs.toSorted((x, y) => x - y));
        for (const [index, place] of places.entries()) {
          const between = got
            .slice((places[index - 1] ?? -1) + 1, place)
            .map(({ organizationId }) => organizationId);
          expect(new Set(between).size).toBe(between.length);
        }
      }
    }),
  );
});
