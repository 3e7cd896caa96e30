/**
 * What every queue must do: deliver each job, no more at once than asked for, in the order they came, turn by turn
 * between organizations, and stop only when everything under way has been handled.
 */
import { describe, expect, test } from 'vitest';
import type { Database } from '../../src/ports/database.ts';
import type { Delivered, Delivery, Queue } from '../../src/ports/queue.ts';

export type MakeQueue = (options?: {
  mostOfOrganization?: number;
}) => Promise<{ queue: Queue; database: Database }>;

/** Handles deliveries as the test lets them through. */
export function gate() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  let most = 0;
  return {
    begun,
    async handle({ jobId }: Delivered) {
      begun.push(jobId);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      most = Math.max(most, ends.length);
      await promise;
    },
    /** Ends the one that has been under way longest, as soon as there is one. */
    async finishOne() {
      await expect.poll(() => ends.length, patience).toBeGreaterThan(0);
      ends.shift()?.();
    },
    finishAll() {
      for (const end of ends.splice(0)) end();
    },
    /** The most that were ever under way at once. */
    get most() {
      return most;
    },
  };
}

/** For a queue that asks another program. */
export const patience = { timeout: 20_000, interval: 10 };

export function delivery(jobId: string, more: Partial<Delivery> = {}): Delivery {
  return { kind: 'export', jobId, organizationId: 'org_1', attempt: 0, priority: 0, ...more };
}

export function describeQueue(name: string, make: MakeQueue): void {
  describe(`the queue ${name}`, () => {
    test('delivers what was sent before and after somebody listens, in order', async () => {
      const { queue, database } = await make();
      const got: Delivered[] = [];
      await queue.send(database, delivery('a'));
      await queue.send(database, delivery('b'));
      await queue.consume('export', 1, async (each) => void got.push(each));
      await expect.poll(() => got.length, patience).toBe(2);
      await queue.send(database, delivery('c'));
      const sent = ['a', 'b', 'c'].map((job) => ({ ...delivery(job), isRedelivery: false }));
      await expect.poll(() => got, patience).toEqual(sent);
      await queue.stop();
    });

    test('a job that waits already keeps its one place; after its delivery it may be sent again', async () => {
      const { queue, database } = await make();
      const got: string[] = [];
      for (const job of ['a', 'b', 'a', 'a']) await queue.send(database, delivery(job));
      await queue.consume('export', 1, async ({ jobId }) => void got.push(jobId));
      await expect.poll(() => queue.held(['a', 'b']), patience).toEqual(new Set());
      await queue.send(database, delivery('a'));
      await expect.poll(() => got, patience).toEqual(['a', 'b', 'a']);
      await queue.stop();
    });

    test('another attempt at the same job is another delivery', async () => {
      const { queue, database } = await make();
      const attempts: number[] = [];
      await queue.send(database, delivery('a'));
      await queue.consume('export', 1, async (each) => {
        attempts.push(each.attempt);
        if (each.attempt < 3) await queue.send(database, { ...each, attempt: each.attempt + 1, priority: 1 });
      });
      await expect.poll(() => attempts, patience).toEqual([0, 1, 2, 3]);
      await queue.stop();
    });

    test('no more than the given number is under way, and a free place is filled', async () => {
      const { queue, database } = await make();
      const line = gate();
      for (const job of ['a', 'b', 'c', 'd']) await queue.send(database, delivery(job));
      await queue.consume('export', 2, line.handle);
      await expect.poll(() => line.begun, patience).toEqual(['a', 'b']);
      await line.finishOne();
      await expect.poll(() => line.begun, patience).toEqual(['a', 'b', 'c']);
      for (let job = 0; job < 3; job += 1) await line.finishOne();
      await expect.poll(() => line.begun, patience).toEqual(['a', 'b', 'c', 'd']);
      line.finishAll();
      await queue.stop();
      expect(line.most).toBe(2);
    });

    test('a large backlog of one organization does not hold up another', async () => {
      const { queue, database } = await make();
      const { begun, handle, finishOne } = gate();
      const send = (jobId: string, organizationId: string) =>
        queue.send(database, delivery(jobId, { organizationId }));
      for (let job = 1; job <= 4; job += 1) await send(`big-${job}`, 'org_big');
      await queue.consume('export', 1, handle);
      await expect.poll(() => begun, patience).toEqual(['big-1']);
      await send('small-1', 'org_small');
      await send('tiny-1', 'org_tiny');
      await send('small-2', 'org_small');
      for (let job = 0; job < 7; job += 1) await finishOne();
      expect(begun).toEqual(['big-1', 'big-2', 'small-1', 'tiny-1', 'big-3', 'small-2', 'big-4']);
      await queue.stop();
    });

    test('deliveries of several organizations that are sent together are served in turn', async () => {
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

    test('no organization has more under way than its limit, and the others go on', async () => {
      const { queue, database } = await make({ mostOfOrganization: 2 });
      const line = gate();
      for (const job of ['a', 'b', 'c']) await queue.send(database, delivery(job));
      await queue.send(database, delivery('x', { organizationId: 'org_2' }));
      await queue.consume('export', 4, line.handle);
      await expect.poll(() => line.begun.toSorted(), patience).toEqual(['a', 'b', 'x']);
      await line.finishOne();
      await line.finishOne();
      await expect.poll(() => line.begun.at(3), patience).toBe('c');
      line.finishAll();
      await queue.stop();
      expect(line.most).toBe(3);
    });

    test('what was handed back goes first, previews last', async () => {
      const { queue, database } = await make();
      const got: string[] = [];
      await queue.send(database, delivery('preview', { priority: -1 }));
      await queue.send(database, delivery('first'));
      await queue.send(database, delivery('second'));
      await queue.send(database, delivery('handed back', { priority: 1, attempt: 1 }));
      await queue.consume('export', 1, async ({ jobId }) => void got.push(jobId));
      await expect.poll(() => got, patience).toEqual(['handed back', 'first', 'second', 'preview']);
      await queue.stop();
    });

    test('kinds do not wait for each other', async () => {
      const { queue, database } = await make();
      const exports = gate();
      const agents = gate();
      await queue.consume('export', 1, exports.handle);
      await queue.consume('agent', 2, agents.handle);
      for (const job of ['a', 'b']) await queue.send(database, delivery(job));
      for (const job of ['x', 'y', 'z']) await queue.send(database, delivery(job, { kind: 'agent' }));
      await expect
        .poll(() => [exports.begun, agents.begun.toSorted()], patience)
        .toEqual([['a'], ['x', 'y']]);
      const stopping = queue.stop();
      for (const each of [exports, agents, agents]) await each.finishOne();
      await stopping;
      expect([exports.begun, agents.begun.toSorted()]).toEqual([['a'], ['x', 'y']]);
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
      await expect.poll(() => got, patience).toEqual(['bad', 'good']);
      await expect.poll(() => queue.held(['bad', 'good']), patience).toEqual(new Set());
      await queue.stop();
    });

    test('what waits and what is under way is held, what was handled is not', async () => {
      const { queue, database } = await make();
      const line = gate();
      for (const job of ['a', 'b']) await queue.send(database, delivery(job));
      await queue.consume('export', 1, line.handle);
      await expect.poll(() => line.begun, patience).toEqual(['a']);
      expect(await queue.held(['a', 'b', 'never sent'])).toEqual(new Set(['a', 'b']));
      await line.finishOne();
      await expect.poll(() => queue.held(['a', 'b', 'never sent']), patience).toEqual(new Set(['b']));
      await line.finishOne();
      await expect.poll(() => queue.held(['a', 'b']), patience).toEqual(new Set());
      await queue.stop();
    });

    test('stop waits for what is under way and takes nothing more', async () => {
      const { queue, database } = await make();
      const { begun, handle, finishOne } = gate();
      await queue.consume('export', 1, handle);
      await queue.send(database, delivery('a'));
      await expect.poll(() => begun, patience).toEqual(['a']);
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

    test('a queue that does nothing stops at once', async () => {
      const { queue } = await make();
      await queue.stop();
    });
  });
}
