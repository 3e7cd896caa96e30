/**
 * What every queue must do: deliver each job, no more at once than asked for, in the order they came, turn by turn
 * between organizations, and stop only when everything under way has been handled.
 */
import { describe, expect, test } from 'vitest';
import type { Database } from './database.ts';
import type { Delivery, Queue } from './queue.ts';

const tick = () => new Promise((resolve) => setTimeout(resolve, 2));

/** Handles deliveries one at a time, as the test lets them through. */
function gate() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    handle: async ({ jobId }: Delivery) => {
      begun.push(jobId);
      await new Promise<void>((resolve) => ends.push(resolve));
    },
    async finishOne() {
      ends.shift()?.();
      await tick();
    },
    get underWay() {
      return ends.length;
    },
  };
}

export function describeQueue(name: string, make: () => Promise<{ queue: Queue; database: Database }>): void {
  const delivery = (jobId: string, organizationId = 'org_1') => ({
    kind: 'export' as const,
    jobId,
    organizationId,
    attempt: 0,
    priority: 0 as const,
  });

  describe(`the queue ${name}`, () => {
    test('delivers what was sent before and after somebody listens, in order', async () => {
      const { queue, database } = await make();
      const got: Delivery[] = [];
      await queue.send(database, delivery('a'));
      await queue.send(database, delivery('b'));
      await queue.consume('export', 1, async (each) => void got.push(each));
      await tick();
      await queue.send(database, delivery('c'));
      await tick();
      expect(got).toMatchObject([delivery('a'), delivery('b'), delivery('c')]);
      await queue.stop();
    });

    test('a job that waits already keeps its one place; after its delivery it may be sent again', async () => {
      const { queue, database } = await make();
      const got: string[] = [];
      for (const job of ['a', 'b', 'a', 'a']) await queue.send(database, delivery(job));
      await queue.consume('export', 1, async ({ jobId }) => void got.push(jobId));
      await tick();
      await queue.send(database, delivery('a'));
      await tick();
      expect(got).toEqual(['a', 'b', 'a']);
      await queue.stop();
    });

    test('no more than the given number is under way, and a free place is filled', async () => {
      const { queue, database } = await make();
      const { begun, handle, finishOne } = gate();
      for (const job of ['a', 'b', 'c', 'd']) await queue.send(database, delivery(job));
      await queue.consume('export', 2, handle);
      await tick();
      expect(begun).toEqual(['a', 'b']);
      await finishOne();
      expect(begun).toEqual(['a', 'b', 'c']);
      await finishOne();
      await finishOne();
      await finishOne();
      expect(begun).toEqual(['a', 'b', 'c', 'd']);
      await queue.stop();
    });

    test('a large backlog of one organization does not hold up another', async () => {
      const { queue, database } = await make();
      const { begun, handle, finishOne } = gate();
      for (let job = 1; job <= 4; job += 1) await queue.send(database, delivery(`big-${job}`, 'org_big'));
      await queue.consume('export', 1, handle);
      await queue.send(database, delivery('small-1', 'org_small'));
      await queue.send(database, delivery('tiny-1', 'org_tiny'));
      await queue.send(database, delivery('small-2', 'org_small'));
      for (let job = 0; job < 7; job += 1) await finishOne();
      expect(begun).toEqual(['big-1', 'big-2', 'small-1', 'tiny-1', 'big-3', 'small-2', 'big-4']);
      await queue.stop();
    });

    test('kinds do not wait for each other', async () => {
      const { queue, database } = await make();
      const exports = gate();
      const agents = gate();
      await queue.consume('export', 1, exports.handle);
      await queue.consume('agent', 2, agents.handle);
      for (const job of ['a', 'b']) await queue.send(database, delivery(job));
      for (const job of ['x', 'y', 'z']) await queue.send(database, { ...delivery(job), kind: 'agent' });
      await tick();
      expect([exports.begun, agents.begun]).toEqual([['a'], ['x', 'y']]);
      const stopping = queue.stop();
      for (const each of [exports, agents, agents]) await each.finishOne();
      await stopping;
      expect([exports.begun, agents.begun]).toEqual([['a'], ['x', 'y']]);
    });

    test('a handler that fails does not stop the others', async () => {
      const { queue, database } = await make();
      const got: string[] = [];
      await queue.send(database, delivery('bad'));
      await queue.send(database, delivery('good'));
      await queue.consume('export', 1, async ({ jobId }) => {
        got.push(jobId);
        if (jobId === 'bad') throw new Error('Broken.');
      });
      await tick();
      expect(got).toEqual(['bad', 'good']);
      await queue.stop();
    });

    test('stop waits for what is under way and takes nothing more', async () => {
      const { queue, database } = await make();
      const { begun, handle, finishOne } = gate();
      await queue.consume('export', 1, handle);
      await queue.send(database, delivery('a'));
      await queue.send(database, delivery('b'));
      let stopped = false;
      const stopping = queue.stop().then(() => (stopped = true));
      await queue.send(database, delivery('c'));
      await tick();
      expect(stopped).toBe(false);
      await finishOne();
      await stopping;
      await tick();
      expect(begun).toEqual(['a']);
    });

    test('a queue that does nothing stops at once', async () => {
      const { queue } = await make();
      await queue.stop();
    });
  });
}
