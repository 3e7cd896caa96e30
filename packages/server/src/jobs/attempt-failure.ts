/** Classifies the errors with which an attempt ends. */
import { Problem } from '../problem.ts';
import { failureOf, JobFailedError } from './failure.ts';
import type { Job } from './store.ts';

export type StopReason = 'canceled' | 'timeout' | 'stopping';

/** The storage is the database or the bundle store. Both recover. */
export function isStorageUnavailable(error: unknown): error is Problem {
  return error instanceof Problem && error.code === 'storage_unavailable';
}

/** Includes a full disk of this machine: the job may succeed later or on another one. */
export function hasStorageFailed(error: unknown): boolean {
  return (
    isStorageUnavailable(error) ||
    (error instanceof JobFailedError && error.failure.code === 'storage_failed')
  );
}

export function failureAfterLosses(job: Job, error: unknown): JobFailedError['failure'] {
  if (error instanceof JobFailedError) return error.failure;
  if (isStorageUnavailable(error))
    return failureOf('storage_failed', error.message, { hint: 'Retry the job.' });
  const message = `The worker was lost ${job.losses + 1} times while it ran this job.`;
  const hint = 'The job may need more memory than the machine has.';
  return failureOf('worker_lost', message, { hint });
}

export function failureOfAttempt(
  error: unknown,
  reason: StopReason | undefined,
  maxSeconds: number,
): JobFailedError['failure'] {
  if (reason === 'canceled') return failureOf('canceled', 'The job was canceled.');
  if (reason === 'timeout') return failureOf('timeout', `The job took longer than ${maxSeconds} seconds.`);
  if (error instanceof JobFailedError) return error.failure;
  return failureOf('internal', 'An internal error stopped the job. See the server log.');
}
