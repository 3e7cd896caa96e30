/** Concurrent reads share a statement, and no caller gets a row that was read before its call. */
import { expect, test, vi } from 'vitest';
import { BatchedReads } from './batched-reads.ts';

interface Row {
  id: string;
  progress: number;
}

/** Each statement waits until the test calls `answer` or `fail` for it, in any order. */
function makeReads() {
  const sent: { ids: string[]; answer(progress: number, ids?: string[]): void; fail(error: Error): void }[] =
    [];
  const select = async (ids: readonly string[]): Promise<Map<string, Row>> => {
    const { promise, resolve, reject } = Promise.withResolvers<Map<string, Row>>();
    const asked = [...ids];
    const answer = (progress: number, found = asked) =>
      resolve(new Map(found.map((id) => [id, { id, progress }])));
    sent.push({ ids: asked, answer, fail: reject });
    return promise;
  };
  const reads = new BatchedReads(select);
  const sentTimes = (times: number) => vi.waitFor(() => expect(sent).toHaveLength(times));
  return { reads, sent, sentTimes };
}

test('concurrent reads share one statement, and each caller gets its own row', async () => {
  const { reads, sent, sentTimes } = makeReads();
  const asked = ['a', 'b', 'a', 'gone'].map((id) => reads.read(id));
  await sentTimes(1);
  expect(sent[0]?.ids).toEqual(['a', 'b', 'gone']);
  sent[0]?.answer(1, ['b', 'a']);
  const jobs = await Promise.all(asked);
  expect(jobs.map((job) => job?.id)).toEqual(['a', 'b', 'a', undefined]);
});

test('a read that starts during a statement gets the result of a later statement', async () => {
  const { reads, sent, sentTimes } = makeReads();
  const early = reads.read('a');
  await sentTimes(1);
  const late = reads.read('a');
  await sentTimes(2);
  sent[1]?.answer(2);
  sent[0]?.answer(1);
  expect((await early)?.progress).toBe(1);
  expect((await late)?.progress).toBe(2);
});

test('reads wait while two statements are running and then share the next one', async () => {
  const { reads, sent, sentTimes } = makeReads();
  void reads.read('a');
  await sentTimes(1);
  void reads.read('b');
  await sentTimes(2);
  const waiting = ['c', 'd', 'e'].map((id) => reads.read(id));
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toHaveLength(2);
  sent[1]?.answer(1);
  await sentTimes(3);
  expect(sent[2]?.ids).toEqual(['c', 'd', 'e']);
  sent[2]?.answer(3);
  expect((await Promise.all(waiting)).map((job) => job?.progress)).toEqual([3, 3, 3]);
});

test('one statement reads a bounded number of jobs', async () => {
  const { reads, sent, sentTimes } = makeReads();
  const ids = Array.from({ length: 450 }, (_, index) => String(index));
  const asked = ids.map((id) => reads.read(id));
  await sentTimes(2);
  sent[0]?.answer(1);
  await sentTimes(3);
  sent[1]?.answer(1);
  sent[2]?.answer(1);
  expect((await Promise.all(asked)).map((job) => job?.id)).toEqual(ids);
  expect(sent.map(({ ids }) => ids.length)).toEqual([200, 200, 50]);
});

test('a failed statement rejects its own callers, and the next read starts a new statement', async () => {
  const { reads, sent, sentTimes } = makeReads();
  const failing = [reads.read('a'), reads.read('b')];
  await sentTimes(1);
  sent[0]?.fail(new Error('away'));
  const settled = await Promise.allSettled(failing);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = reads.read('a');
  await sentTimes(2);
  sent[1]?.answer(2);
  expect((await next)?.progress).toBe(2);
});
