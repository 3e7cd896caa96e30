/** How often and when jobs are retried without a request. The test beside holds the table of the manual to these limits. */

/** A job whose worker was lost this often in one run is given up: it may be the job that kills the worker. */
export const maxLosses = 3;
/** How long a change of a job waits for a database that cannot be written, at first and at most. */
export const persistWaitSeconds = { first: 0.5, max: 15 };
/** How often rows and queue are compared. */
export const reconcileEverySeconds = 30;
