import { describe, expect, test } from 'vitest';
import { GroupCommit } from './group-commit.ts';

function groups(options: { isShared?: (error: unknown) => boolean; maxItems?: number } = {}) {
  const committed: string[][] = [];
  const group = new GroupCommit<string, string>(
    async (items) => {
      committed.push(items);
      await new Promise((resolve) => setImmediate(resolve));
      if (items.includes('bad')) throw new Error('bad');
      return items.map((item) => item.toUpperCase());
    },
    { isShared: options.isShared ?? (() => false), maxItems: options.maxItems ?? 100 },
  );
  return { committed, add: (item: string) => group.add(item) };
}

describe('a group commit', () => {
  test('commits the first item at once and later items together', async () => {
    const { committed, add } = groups();
    expect(await Promise.all(['a', 'b', 'c'].map(add))).toEqual(['A', 'B', 'C']);
    expect(committed).toEqual([['a'], ['b', 'c']]);
  });

  test('contains no more items than its limit', async () => {
    const { committed, add } = groups({ maxItems: 2 });
    await Promise.all(['a', 'b', 'c', 'd'].map(add));
    expect(committed).toEqual([['a'], ['b', 'c'], ['d']]);
  });

  test('commits the other items of a group when one fails', async () => {
    const { add } = groups();
    const settled = await Promise.allSettled(['a', 'b', 'bad', 'c'].map(add));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  test('is not retried per item after an error that affects all items', async () => {
    const { committed, add } = groups({ isShared: () => true });
    const settled = await Promise.allSettled(['a', 'b', 'bad'].map(add));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(committed).toEqual([['a'], ['b', 'bad']]);
  });
});
