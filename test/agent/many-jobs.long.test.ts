/** The short version of `npm run torture -- --agent`. */
import { expect, test } from 'vitest';
import { runMany } from './many-jobs.ts';

test('many jobs, two at a time, some canceled: no folder, lease, process or second pull request is left', async () => {
  const { problems, completed, failed } = await runMany({ jobs: 10, seed: 7 });
  expect(problems).toEqual([]);
  expect(completed + failed).toBe(10);
}, 180_000);
