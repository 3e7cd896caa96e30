import { expect, test } from 'vitest';
import { JobStoppedError } from '../jobs/worker.ts';
import { Problem } from '../problem.ts';
import { endOf } from './ending.ts';
import type { AgentRun } from './agent-run.ts';

/** Other fields are used only to write an ending. */
const runWith = (signal: AbortSignal) => ({ input: { signal } }) as unknown as AgentRun;

test.each([
  ['the worker stops', new JobStoppedError('stopping')],
  ['the database is unavailable', new Problem('storage_unavailable', 'The database cannot be reached.')],
])('when %s, the run stays open for the next attempt', async (_name, error) => {
  await expect(endOf(runWith(new AbortController().signal), error)).rejects.toBe(error);
});

test('a full disk fails the attempt as storage_failed, so the worker retries', async () => {
  const error = Object.assign(new Error('write failed'), { code: 'ENOSPC' });
  await expect(endOf(runWith(new AbortController().signal), error)).rejects.toMatchObject({
    failure: { code: 'storage_failed' },
  });
});
