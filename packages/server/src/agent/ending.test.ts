/** What ends a run, and what only ends an attempt. */
import { expect, test } from 'vitest';
import { Stopped } from '../jobs/worker.ts';
import { Problem } from '../problem.ts';
import { endOf } from './ending.ts';
import type { AgentRun } from './running.ts';

/** Anything but the signal would be touched only to write an ending. */
const runWith = (signal: AbortSignal) => ({ input: { signal } }) as unknown as AgentRun;

test.each([
  ['the worker stops', new Stopped('stopping')],
  ['the database is away', new Problem('storage_unavailable', 'The database cannot be reached.')],
])('when %s, the run is not ended: the next attempt goes on with it', async (_name, error) => {
  await expect(endOf(runWith(new AbortController().signal), error)).rejects.toBe(error);
});

test('a full disk ends the attempt as storage_failed, so that the worker tries again', async () => {
  const error = Object.assign(new Error('write failed'), { code: 'ENOSPC' });
  await expect(endOf(runWith(new AbortController().signal), error)).rejects.toMatchObject({
    failure: { code: 'storage_failed' },
  });
});
