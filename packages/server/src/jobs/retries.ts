/**
 * When and how often jobs are retried automatically. retries.test.ts checks the table in the manual against
 * these values.
 */

/** Lost workers per run after which the job fails: the job itself may kill its workers. */
export const maxLosses = 3;
/** Backoff while the database cannot be written. */
export const persistWaitSeconds = { first: 0.5, max: 15 };
/** Interval at which queue and job rows are compared. */
export const reconcileEverySeconds = 30;
