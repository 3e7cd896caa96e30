/** Lists by cursor: whoever walks through sees every row once, whatever is added on the way. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPage } from './paging.ts';

interface Row {
  sequence: number;
}

/** A table in the small, asked as every list of ours is: newest first. */
function reader(rows: Row[], before = Infinity, most = Infinity) {
  return {
    where: (_column: 'sequence', _operator: '<', value: number) => reader(rows, value, most),
    orderBy: (_column: 'sequence', _direction: 'desc') => reader(rows, before, most),
    limit: (value: number) => reader(rows, before, value),
    execute: async (): Promise<Row[]> =>
      rows
        .filter(({ sequence }) => sequence < before)
        .toSorted((a, b) => b.sequence - a.sequence)
        .slice(0, most),
  };
}

const view = ({ sequence }: Row) => sequence;

test('a page holds `limit` rows, 20 when not told; the cursor is null at the end', async () => {
  const rows = Array.from({ length: 25 }, (_, index) => ({ sequence: index + 1 }));
  const first = await readPage({}, reader(rows), view);
  expect(first.data).toEqual(Array.from({ length: 20 }, (_, index) => 25 - index));
  const second = await readPage({ cursor: first.nextCursor ?? '' }, reader(rows), view);
  expect(second).toEqual({ data: [5, 4, 3, 2, 1], nextCursor: null });
  expect(await readPage({ limit: 25 }, reader(rows), view)).toMatchObject({ nextCursor: null });
  expect(await readPage({}, reader([]), view)).toEqual({ data: [], nextCursor: null });
});

test('a walk sees every row that was there at its start exactly once while rows are added', async () => {
  const sizes = fc.record({
    rows: fc.integer({ min: 0, max: 60 }),
    limit: fc.integer({ min: 1, max: 20 }),
    addedEachTime: fc.integer({ min: 0, max: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(sizes, async ({ rows: count, limit, addedEachTime }) => {
      const rows = Array.from({ length: count }, (_, index) => ({ sequence: index + 1 }));
      const seen: number[] = [];
      let cursor: string | undefined;
      do {
        const page = await readPage({ limit, cursor }, reader(rows), view);
        seen.push(...page.data);
        cursor = page.nextCursor ?? undefined;
        for (let added = 0; added < addedEachTime; added += 1) rows.push({ sequence: rows.length + 1 });
      } while (cursor !== undefined);
      expect(seen).toEqual(Array.from({ length: count }, (_, index) => count - index));
    }),
  );
});

test.each(['', 'x', 'MTI', 'before:12', Buffer.from('before:-1').toString('base64url'), 'a'.repeat(500)])(
  'the cursor %j is not one of ours',
  async (cursor) => {
    await expect(readPage({ cursor }, reader([]), view)).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'cursor', message: expect.stringContaining('nextCursor') as string }],
    });
  },
);
