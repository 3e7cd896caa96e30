/**
 * Decides whether a job whose attempt ended without a result runs again, and contains the limits of automatic
 * retries. retry-policy.test.ts compares the manual with these limits.
 */
import type { Failure } from '@docyard/api';
import { Problem } from '../problem.ts';
import { failureOf, JobFailedError, RunnerLostError } from './failure.ts';
import type { AttemptOutcome } from './job-metrics.ts';
import type { Job } from './store.ts';

/** Losses per run after which the job fails: the job itself may be the cause. */
export const maxLosses = 3;
/** Backoff while the database cannot be written. */
export const persistWaitSeconds = { first: 0.5, max: 15 };
/** Interval at which queue and job rows are compared. */
export const reconcileEverySeconds = 30;

/** `stopping`: the worker shuts down, or it no longer holds the job. */
export type StopReason = 'canceled' | 'timeout' | 'stopping';

/**
 * A loss may be temporary: `worker_lost` is a worker that no longer holds its job, `process_killed` a rendering
 * process that a signal ended.
 */
type Loss = 'worker_lost' | 'process_killed' | 'storage_failed';

export interface Ending {
  cause: StopReason | Loss | 'error';
  error?: unknown;
}

/** The job runs again unless there is a `failure`. */
export interface Decision {
  /** Of the run, including this attempt. */
  losses: number;
  outcome: AttemptOutcome;
  failure?: Failure;
}

/** A stop by the worker explains every error that follows it. */
export function endingOf(error: unknown, stopped: StopReason | undefined): Ending {
  if (stopped !== undefined) return { cause: stopped, error };
  if (error instanceof RunnerLostError) return { cause: 'process_killed', error };
  return { cause: hasStorageFailed(error) ? 'storage_failed' : 'error', error };
}

export function decide(
  job: Pick<Job, 'losses' | 'cancel_requested_at'>,
  { cause, error }: Ending,
  maxSeconds: number,
): Decision {
  const fail = (failure: Failure, losses = job.losses): Decision => ({
    losses,
    outcome: failure.code,
    failure,
  });
  switch (cause) {
    case 'stopping':
      return { losses: job.losses, outcome: 'handed_back' };
    case 'canceled':
      return fail(failureOf('canceled', 'The job was canceled.'));
    case 'timeout':
      return fail(failureOf('timeout', `The job took longer than ${maxSeconds} seconds.`));
    case 'error':
      if (error instanceof JobFailedError) return fail(error.failure);
      return fail(failureOf('internal', 'An internal error stopped the job. See the server log.'));
    case 'worker_lost':
    case 'process_killed':
    case 'storage_failed': {
      const losses = job.losses + 1;
      // The cancellation was requested while no worker could abort the job.
      if (job.cancel_requested_at !== null) {
        return fail(failureOf('canceled', 'The job was canceled.'), losses);
      }
      if (losses < maxLosses) return { losses, outcome: 'lost' };
      return fail(failureAfterLosses(losses, error), losses);
    }
  }
}

function failureAfterLosses(losses: number, error: unknown): Failure {
  if (error instanceof JobFailedError) return error.failure;
  if (isStorageUnavailable(error))
    return failureOf('storage_failed', error.message, { hint: 'Retry the job.' });
  const hint = 'The job may need more memory than the machine has.';
  return failureOf('worker_lost', `The job failed after ${losses} lost attempts.`, { hint });
}

/** The storage is the database or the bundle store. Both recover. */
export function isStorageUnavailable(error: unknown): error is Problem {
  return error instanceof Problem && error.code === 'storage_unavailable';
}

/** Includes a full disk of this machine: the job may succeed later or on another one. */
function hasStorageFailed(error: unknown): boolean {
  return (
    isStorageUnavailable(error) ||
    (error instanceof JobFailedError && error.failure.code === 'storage_failed')
  );
}
