import { expect, test } from 'vitest';
import { describeChanges } from '../../../test/support/changes-suite.ts';
import { InProcessChanges } from './in-process.ts';

describeChanges('this process', async () => {
  const changes = new InProcessChanges();
  return { changes, change: (jobId) => changes.notify(jobId) };
});

test('a job without listeners leaves no state', async () => {
  const changes = new InProcessChanges();
  const stop = changes.listen('a', () => {});
  const waits = ['a', 'b', 'c'].map((job) =>
    changes.next(job, { seconds: 60, signal: new AbortController().signal }),
  );
  expect(changes.listenedJobs).toBe(3);
  for (const wait of waits) wait.stop();
  expect(changes.listenedJobs).toBe(1);
  stop();
  expect(changes.listenedJobs).toBe(0);
});
