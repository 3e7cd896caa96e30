/** Every way in which work is tried again without a request: the limits that the code keeps to, and the table of the manual. */
import { retrySeconds as webhookRetrySeconds } from '../webhooks/attempts.ts';

/** A job whose worker was lost this often in one run is given up: it may be the job that kills the worker. */
export const maxLosses = 3;
/** How long a change of a job waits for a database that cannot be written, at first and at most. */
export const persistWaitSeconds = { first: 0.5, max: 15 };
/** How often rows and queue are compared. */
export const reconcileEverySeconds = 30;
/** A worker on PostgreSQL that shows no sign of life for so long is taken for lost. */
export const silenceSeconds = 10;
/** How long an upload waits for the bucket. */
export const uploadPatienceSeconds = 150;

interface RetryPath {
  cause: string;
  /** When it is tried again. */
  sqlite: string;
  postgres: string;
  cap: string;
}

const losses = (code: string) => `${maxLosses} losses, then \`${code}\``;
const inTurn = `after ${webhookRetrySeconds.join(', ')} s`;
const persisted = `after ${persistWaitSeconds.first} s, doubling up to ${persistWaitSeconds.max} s`;

const retryPaths = {
  handedBack: {
    cause: 'The worker is asked to stop',
    sqlite: 'at the next start',
    postgres: 'at once, by another worker',
    cap: 'none; it does not count as a loss',
  },
  workerLost: {
    cause: 'The worker is killed, or its machine is lost',
    sqlite: 'at the next start',
    postgres: `after ${silenceSeconds} s without a sign of life`,
    cap: losses('worker_lost'),
  },
  processLost: {
    cause: 'The process that renders is killed, for example for its memory',
    sqlite: 'at once',
    postgres: 'at once',
    cap: losses('worker_lost'),
  },
  storageFailed: {
    cause: 'The disk is full, or the database or the bucket is not available while the job runs',
    sqlite: 'at once',
    postgres: 'at once',
    cap: losses('storage_failed'),
  },
  upload: {
    cause: 'The bucket does not answer during an upload',
    sqlite: `for ${uploadPatienceSeconds} s`,
    postgres: `for ${uploadPatienceSeconds} s`,
    cap: 'then as above',
  },
  persist: {
    cause: 'The end of a job cannot be written',
    sqlite: persisted,
    postgres: persisted,
    cap: 'none',
  },
  reconcile: {
    cause: 'A waiting job is missing in the queue',
    sqlite: `within ${reconcileEverySeconds} s`,
    postgres: `within ${reconcileEverySeconds} s`,
    cap: 'none',
  },
  webhook: {
    cause: 'A webhook does not take a message',
    sqlite: inTurn,
    postgres: inTurn,
    cap: `${webhookRetrySeconds.length + 1} attempts`,
  },
} as const satisfies Record<string, RetryPath>;

/** As Markdown. */
export function retryTable(): string {
  const rows = Object.values(retryPaths).map(
    ({ cause, sqlite, postgres, cap }) => `| ${cause} | ${sqlite} | ${postgres} | ${cap} |`,
  );
  return ['| Cause | On SQLite | On PostgreSQL | Cap |', '|---|---|---|---|', ...rows].join('\n');
}
