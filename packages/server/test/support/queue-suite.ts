/** The contract of every queue. */
import { describe, expect, test } from 'vitest';
import type { Database } from '../../src/ports/database.ts';
import type { Delivered, Delivery, Queue } from '../../src/ports/queue.ts';

export type MakeQueue = (options?: {
  maxPerOrganization?: number;
}) => Promise<{ queue: Queue; database: Database }>;

/** Handles deliveries one by one, as the test releases them. */
export function gate() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  let maxRunning = 0;
  return {
    begun,
    async handle({ jobId }: Delivered) {
      begun.push(jobId);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      maxRunning = Math.max(maxRunning, ends.length);
      await promise;
    },
    /** Finishes the oldest running delivery, waiting for one if needed. */
    async finishOne() {
      await expect.poll(() => ends.length, pollOptions).toBeGreaterThan(0);
      ends.shift()?.();
    },
    finishAll() {
      for (const end of ends.splice(0)) end();
    },
    get maxRunning() {
      return maxRunning;
    },
  };
}

/** For queues with an external process. */
export const pollOptions = { timeout: 20_000, interval: 10 };

export function delivery(jobId: string, more: Partial<Delivery> = {}): Delivery {
  return { kind: 'export', jobId, organizationId: 'org_1', attempt: 0, priority: 0, ...more };
}

export function describeQueue(name: string, make: MakeQueue): void {
  describe(`the queue ${name}`, () => {
    test('delivers jobs in order that were sent before and after the consumer started', async () => {
      const { queue, database } = await make();
      const got: Delivered[] = [];
      await queue.send(database, delivery('a'));
      await queue.send(database, delivery('b'));
      await queue.consume('export', 1, async (each) => void got.push(each));
      await expect.poll(() => got.length, pollOptions).toBe(2);
      await queue.send(database, delivery('c'));
      const sent = ['a', 'b', 'c'].map((job) => ({ ...delivery(job), isRedelivery: false }));
      await expect.poll(() => got, pollOptions).toEqual(sent);
      await queue.stop();
    });

    test('keeps one place for a waiting job, which may be sent again after its delivery', async () => {
      const { queue, database } = await make();
      const got: string[] = [];
      for (const job of ['a', 'b', 'a', 'a']) await queue.send(database, delivery(job));
      await queue.consume('export', 1, async ({ jobId }) => void got.push(jobId));
      await expect.poll(() => queue.held(['a', 'b']), pollOptions).toEqual(new Set());
      await queue.send(database, delivery('a'));
      await expect.poll(() => got, pollOptions).toEqual(['a', 'b', 'a']);
      await queue.stop();
    });

    test('delivers another attempt at the same job separately', async () => {
      const { queue, database } = await make();
      const attempts: number[] = [];
      await queue.send(database, delivery('a'));
      await queue.consume('export', 1, async (each) => {
        attempts.push(each.attempt);
        if (each.attempt < 3) await queue.send(database, { ...each, attempt: each.attempt + 1, priority: 1 });
      });
      await expect.poll(() => attempts, pollOptions).toEqual([0, 1, 2, 3]);
      await queue.stop();
    });

    test('runs no more deliveries than its concurrency and fills free places', async () => {
      const { queue, database } = await make();
      const line = gate();
      for (const job of ['a', 'b', 'c', 'd']) await queue.send(database, delivery(job));
      await queue.consume('export', 2, line.handle);
      await expect.poll(() => line.begun, pollOptions).toEqual(['a', 'b']);
      await line.finishOne();
      await expect.poll(() => line.begun, pollOptions).toEqual(['a', 'b', 'c']);
      for (let job = 0; job < 3; job += 1) await line.finishOne();
      await expect.poll(() => line.begun, pollOptions).toEqual(['a', 'b', 'c', 'd']);
      line.finishAll();
      await queue.stop();
      expect(line.maxRunning).toBe(2);
    });

    test('delivers jobs of other organizations despite a large backlog of one', async () => {
      const { queue, database } = await make();
      const { begun, handle, finishOne } = gate();
      const send = (jobId: string, organizationId: string) =>
        queue.send(database, delivery(jobId, { organizationId }));
      for (let job = 1; job <= 4; job += 1) await send(`big-${job}`, 'org_big');
      await queue.consume('export', 1, handle);
      await expect.poll(() => begun, pollOptions).toEqual(['big-1']);
      await send('small-1', 'org_small');
      await send('tiny-1', 'org_tiny');
      await send('small-2', 'org_small');
      for (let job = 0; job < 7; job += 1) await finishOne();
      expect(begun).toEqual(['big-1', 'big-2', 'small-1', 'tiny-1', 'big-3', 'small-2', 'big-4']);
      await queue.stop();
    });

    test('alternates between organizations whose deliveries were sent together', async () => {
      const { queue, database } = await make();
      const { begun, handle, finishOne } = gate();
      const of = (jobId: string, organizationId: string) => delivery(jobId, { organizationId });
      const first = [of('a1', 'org_a'), of('a2', 'org_a'), of('b1', 'org_b'), of('a3', 'org_a')];
      await queue.send(database, ...first, of('b2', 'org_b'));
      await queue.consume('export', 1, handle);
      for (let job = 0; job < 5; job += 1) await finishOne();
      expect(begun).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
      await queue.stop();
    });

    test('limits the running deliveries of an organization while others continue', async () => {
      const { queue, database } = await make({ maxPerOrganization: 2 });
      const line = gate();
      for (const job of ['a', 'b', 'c']) await queue.send(database, delivery(job));
      await queue.send(database, delivery('x', { organizationId: 'org_2' }));
      await queue.consume('export', 4, line.handle);
      await expect.poll(() => line.begun.toSorted(), pollOptions).toEqual(['a', 'b', 'x']);
      await line.finishOne();
      await line.finishOne();
      await expect.poll(() => line.begun.at(3), pollOptions).toBe('c');
      line.finishAll();
      await queue.stop();
      expect(line.maxRunning).toBe(3);
    });

    test('delivers returned jobs first and previews last', async () => {
      const { queue, database } = await make();
      const got: string[] = [];
      await queue.send(database, delivery('preview', { priority: -1 }));
      await queue.send(database, delivery('first'));
      await queue.send(database, delivery('second'));
      await queue.send(database, delivery('returned', { priority: 1, attempt: 1 }));
      await queue.consume('export', 1, async ({ jobId }) => void got.push(jobId));
      await expect.poll(() => got, pollOptions).toEqual(['returned', 'first', 'second', 'preview']);
      await queue.stop();
    });

    test('delivers different kinds independently', async () => {
      const { queue, database } = await make();
      const exports = gate();
      const agents = gate();
      await queue.consume('export', 1, exports.handle);
      await queue.consume('agent', 2, agents.handle);
      for (const job of ['a', 'b']) await queue.send(database, delivery(job));
      for (const job of ['x', 'y', 'z']) await queue.send(database, delivery(job, { kind: 'agent' }));
      await expect
        .poll(() => [exports.begun, agents.begun.toSorted()], pollOptions)
        .toEqual([['a'], ['x', 'y']]);
      const stopping = queue.stop();
      for (const each of [exports, agents, agents]) await each.finishOne();
      await stopping;
      expect([exports.begun, agents.begun.toSorted()]).toEqual([['a'], ['x', 'y']]);
    });

    test('continues after a handler failed', async () => {
      const { queue, database } = await make();
      const got: string[] = [];
      await queue.send(database, delivery('bad'));
      await queue.send(database, delivery('good'));
      await queue.consume('export', 1, async ({ jobId }) => {
        got.push(jobId);
        if (jobId === 'bad') throw new Error('Broken.');
      });
      await expect.poll(() => got, pollOptions).toEqual(['bad', 'good']);
      await expect.poll(() => queue.held(['bad', 'good']), pollOptions).toEqual(new Set());
      await queue.stop();
    });

    test('holds waiting and running deliveries, but not finished ones', async () => {
      const { queue, database } = await make();
      const line = gate();
      for (const job of ['a', 'b']) await queue.send(database, delivery(job));
      await queue.consume('export', 1, line.handle);
      await expect.poll(() => line.begun, pollOptions).toEqual(['a']);
      expect(await queue.held(['a', 'b', 'never sent'])).toEqual(new Set(['a', 'b']));
      await line.finishOne();
      await expect.poll(() => queue.held(['a', 'b', 'never sent']), pollOptions).toEqual(new Set(['b']));
      await line.finishOne();
      await expect.poll(() => queue.held(['a', 'b']), pollOptions).toEqual(new Set());
      await queue.stop();
    });

    test('waits for running deliveries when it stops and starts no others', async () => {
      const { queue, database } = await make();
      const { begun, handle, finishOne } = gate();
      await queue.consume('export', 1, handle);
      await queue.send(database, delivery('a'));
      await expect.poll(() => begun, pollOptions).toEqual(['a']);
      await queue.send(database, delivery('b'));
      let stopped = false;
      const stopping = queue.stop().then(() => (stopped = true));
      await queue.send(database, delivery('c'));
      expect(stopped).toBe(false);
      await finishOne();
      await stopping;
      expect(begun).toEqual(['a']);
      await queue.send(database, delivery('d'));
    });

    test('stops at once when it is idle', async () => {
      const { queue } = await make();
      await queue.stop();
    });
  });
}
