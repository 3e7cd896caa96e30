/** Cursor pagination returns every row once, also while rows are added. */
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { readPage, type PageRequest } from './paging.ts';
import { isPostgres } from './ports/database.ts';
import { composeForTest, type TestContext } from '../test/support/test-context.ts';

let context: TestContext;

beforeAll(async () => {
  context = await composeForTest();
  if (!isPostgres(context.database)) await sql`pragma synchronous = off`.execute(context.database);
});

let lists = 0;

/** A separate list in a real table that also has rows of other lists. */
function newList() {
  lists += 1;
  const name = `list_${lists}`;
  let added = 0;
  const insert = async (job_id: string, row: string) => {
    await context.database.insertInto('job_events').values({ job_id, at: '', row }).execute();
  };
  return {
    async add(count: number) {
      for (let done = 0; done < count; done += 1) {
        await insert(name, String((added += 1)));
        await insert('another', 'row');
      }
    },
    read(request: PageRequest) {
      const query = context.database.selectFrom('job_events').selectAll().where('job_id', '=', name);
      return readPage(request, query, ({ row }) => Number(row));
    },
  };
}

const countdown = (from: number, count: number) => Array.from({ length: count }, (_, index) => from - index);

test('a page contains `limit` rows, 20 by default, and the last cursor is null', async () => {
  const list = newList();
  expect(await list.read({})).toEqual({ data: [], nextCursor: null });
  await list.add(25);
  const first = await list.read({});
  expect(first.data).toEqual(countdown(25, 20));
  expect(await list.read({ cursor: first.nextCursor ?? '' })).toEqual({
    data: [5, 4, 3, 2, 1],
    nextCursor: null,
  });
  expect(await list.read({ limit: 25 })).toEqual({ data: countdown(25, 25), nextCursor: null });
});

test('paging returns every row that existed at its start exactly once while rows are added', async () => {
  const sizes = fc.record({
    rows: fc.integer({ min: 0, max: 40 }),
    limit: fc.integer({ min: 1, max: 20 }),
    addedEachTime: fc.integer({ min: 0, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(sizes, async ({ rows, limit, addedEachTime }) => {
      const list = newList();
      await list.add(rows);
      const seen: number[] = [];
      let cursor: string | undefined;
      do {
        const page = await list.read({ limit, cursor });
        seen.push(...page.data);
        cursor = page.nextCursor ?? undefined;
        await list.add(addedEachTime);
      } while (cursor !== undefined);
      expect(seen).toEqual(countdown(rows, rows));
    }),
    { numRuns: 40 },
  );
});

test.each(['', 'x', 'MTI', 'before:12', Buffer.from('before:-1').toString('base64url'), 'a'.repeat(500)])(
  'the invalid cursor %j is refused',
  async (cursor) => {
    await expect(newList().read({ cursor })).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'cursor', message: expect.stringContaining('nextCursor') as string }],
    });
  },
);
