/** Checks the retry decisions, and the retry tables of the manual against the limits in the code. */
import { clientRetries, failureTable } from '@docyard/api';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as s3 from '@docyard/site/s3';
import { reconnectMs } from '../adapters/changes/postgres.ts';
import { startTimeoutSeconds, startPauseSeconds } from '../adapters/database/postgres.ts';
import * as forge from '../adapters/forge/api.ts';
import { maxUpdateTries } from '../adapters/forge/bitbucket-data-center.ts';
import { heartbeatSeconds } from '../adapters/queue/pg-boss.ts';
import { defaultGatewayLimits as model } from '../agent/model/gateway.ts';
import { maxRefreshPauseSeconds } from '../../../site/src/refresh/deployment.ts';
import { maxPauseSeconds as maxReportPauseSeconds } from '../../../site/src/reporting/reporter.ts';
import { pauseMs as downloadPauseMs, defaultLimits as download } from '../../../site/src/sources/download.ts';
import { maxTransactionTries } from '../ports/database.ts';
import * as webhooks from '../webhooks/attempts.ts';
import { Problem } from '../problem.ts';
import { JobFailedError, RunnerLostError } from './failure.ts';
import { decide, endingOf, maxLosses, persistWaitSeconds, reconcileEverySeconds } from './retry-policy.ts';

const page = readFileSync(new URL('../../../../docs/operate/durability.mdx', import.meta.url), 'utf8');

interface RetryPath {
  cause: string;
  /** A string applies to both databases. */
  delay: string | { sqlite: string; postgres: string };
  cap: string;
}

const doubling = (first: number, max: number) => `after ${first} s, doubling up to ${max} s`;
const losses = (code: string) => `the limit of losses, then \`${code}\``;
const times = (tries: number) => `${tries} tries`;
const inSeconds = (milliseconds: number) => milliseconds / 1000;
const ofBucket = doubling(inSeconds(s3.pauseMs.first), inSeconds(s3.pauseMs.max));
const ofForge = `after 1 s, then 2 s, or the \`Retry-After\` of the forge up to ${forge.maxPauseSeconds} s`;

const ofJobs: RetryPath[] = [
  {
    cause: 'The worker is asked to stop',
    delay: { sqlite: 'at the next start', postgres: 'at once, by another worker' },
    cap: 'none; it does not count as a loss',
  },
  {
    cause: 'The worker is killed, or its machine is lost',
    delay: { sqlite: 'at the next start', postgres: `after ${heartbeatSeconds} s without a heartbeat` },
    cap: losses('worker_lost'),
  },
  {
    cause:
      'A signal ends the rendering process of an export: the machine is out of memory, or the process crashes',
    delay: 'at once',
    cap: losses('worker_lost'),
  },
  {
    cause: 'The rendering process of an export reports an internal error',
    delay: 'at once, with an empty build cache',
    cap: '1 retry in each attempt; none if `BUILD_CACHE_GB` is 0',
  },
  {
    cause: 'The disk is full, or the database or the bucket is not available while the job runs',
    delay: 'at once',
    cap: losses('storage_failed'),
  },
  {
    cause: 'The bucket does not answer a job that reads or writes',
    delay: ofBucket,
    cap: `${s3.writeTimeoutSeconds} s, then as above`,
  },
  {
    cause: 'The end of a job cannot be written',
    delay: doubling(persistWaitSeconds.first, persistWaitSeconds.max),
    cap: 'none',
  },
  {
    cause: 'A waiting job is missing in the queue',
    delay: `within ${reconcileEverySeconds} s`,
    cap: 'none',
  },
  {
    cause: 'A killed `git` left its lock file in the working copy of the source',
    delay: 'at once, in an empty folder',
    cap: '1 retry. A `git fetch` or `git clone` that fails otherwise is not retried',
  },
  {
    cause: 'The model of an agent job does not answer, or is overloaded',
    delay: `${doubling(model.pauseSeconds, model.maxPauseSeconds)}, or its \`Retry-After\` up to ${model.maxPauseSeconds} s`,
    cap: times(model.attempts),
  },
  {
    cause: 'A forge limits the rate of calls, or does not answer a call that can be repeated',
    delay: ofForge,
    cap: times(forge.maxTries),
  },
  {
    cause: 'A forge fails while it creates a pull request',
    delay: `${ofForge}, after a search for the pull request`,
    cap: times(forge.maxTries),
  },
  {
    cause: 'A pull request of Bitbucket Data Center changes during an update',
    delay: 'at once',
    cap: times(maxUpdateTries),
  },
];

const ofServer: RetryPath[] = [
  {
    cause: 'A transaction ends with a deadlock or a serialization failure',
    delay: { sqlite: 'does not occur: one writer at a time', postgres: 'at once' },
    cap: times(maxTransactionTries),
  },
  {
    cause: 'The database does not answer at the start',
    delay: { sqlite: 'does not occur', postgres: `every ${startPauseSeconds} s` },
    cap: `${startTimeoutSeconds} s, then the process ends`,
  },
  {
    cause: 'The connection for notifications of changes is lost',
    delay: {
      sqlite: 'does not occur',
      postgres: doubling(inSeconds(reconnectMs.first), inSeconds(reconnectMs.max)),
    },
    cap: 'none',
  },
  {
    cause: 'The bucket does not answer a request',
    delay: ofBucket,
    cap: `${s3.readTimeoutSeconds} s, then \`storage_unavailable\``,
  },
  {
    cause: 'A webhook does not take a message',
    delay: `after ${webhooks.retrySeconds.join(', ')} s, or its \`Retry-After\` up to ${webhooks.maxRetryAfterSeconds} s if that is longer`,
    cap: `${webhooks.retrySeconds.length + 1} attempts`,
  },
  {
    cause: 'The process that sends a webhook message is lost',
    delay: `after ${webhooks.claimSeconds} s`,
    cap: 'as above',
  },
  {
    cause: 'Webhook messages may not leave this installation (`OFFLINE`)',
    delay: `every ${webhooks.offlineRetrySeconds} s`,
    cap: 'none',
  },
];

const ofPrograms: (RetryPath & { delay: string })[] = [
  {
    cause: 'The CLI or a client cannot reach the API, or is answered 408, 429, 502, 503 or 504',
    delay: `${doubling(clientRetries.firstSeconds, clientRetries.maxSeconds)}, or the \`Retry-After\` of the answer up to ${clientRetries.maxRetryAfterSeconds} s`,
    cap: times(clientRetries.tries),
  },
  {
    cause: '`docyard site` loses the connection during a download, which then resumes',
    delay: doubling(inSeconds(downloadPauseMs.first) * 2, inSeconds(downloadPauseMs.max)),
    cap: `${download.tries} tries without a new byte`,
  },
  {
    cause: '`docyard site` cannot fetch a newer bundle',
    delay: doubling(2, maxRefreshPauseSeconds),
    cap: 'none',
  },
  {
    cause: '`docyard site` cannot report what it serves',
    delay: `after its interval, or ${doubling(2, maxReportPauseSeconds).replace('after ', '')} if that is longer`,
    cap: 'none',
  },
];

function tableOf(paths: readonly RetryPath[]): string {
  const rows = paths.map(({ cause, delay, cap }) => {
    const { sqlite, postgres } = typeof delay === 'string' ? { sqlite: delay, postgres: delay } : delay;
    return `| ${cause} | ${sqlite} | ${postgres} | ${cap} |`;
  });
  return ['| Cause | On SQLite | On PostgreSQL | Cap |', '|---|---|---|---|', ...rows].join('\n');
}

function shortTableOf(paths: readonly (RetryPath & { delay: string })[]): string {
  const rows = paths.map(({ cause, delay, cap }) => `| ${cause} | ${delay} | ${cap} |`);
  return ['| Cause | Delay | Cap |', '|---|---|---|', ...rows].join('\n');
}

test.each([
  ['jobs', tableOf(ofJobs)],
  ['the server', tableOf(ofServer)],
  ['programs', shortTableOf(ofPrograms)],
])('the manual lists every retry of %s with its delay and cap, as the code has them', (_, table) => {
  expect(page).toContain(table);
});

/** Codes with a cap in the table. `canceled` is a decision of the caller. */
const retriedOrDecided = new Set(['worker_lost', 'storage_failed', 'canceled']);

test('the manual names every retryable failure that only the caller retries', () => {
  const codes = Object.entries(failureTable).flatMap(([code, { retryable }]) =>
    retryable && !retriedOrDecided.has(code) ? [code] : [],
  );
  const [, section = ''] = page.split('### Failures that the caller retries');
  for (const code of codes) expect(section.split('\n## ')[0]).toContain(`\`${code}\``);
});

test('the manual names the limit of losses', () => {
  expect(page).toContain(`fails after ${maxLosses} losses within one run`);
});

describe('the decision about an attempt without a result', () => {
  const decideOn = (error: unknown, losses = 0, cancel_requested_at: string | null = null) =>
    decide({ losses, cancel_requested_at }, endingOf(error, undefined), 60);
  const storage = new Problem('storage_unavailable', 'The database is unavailable.');

  test.each([
    ['a killed rendering process', new RunnerLostError('Killed.'), 'worker_lost'],
    ['unavailable storage', storage, 'storage_failed'],
    ['a full disk', new JobFailedError('storage_failed', 'The disk is full.'), 'storage_failed'],
  ])('%s is a loss: the job runs again until it reaches the limit', (_name, error, code) => {
    expect(decideOn(error)).toEqual({ losses: 1, outcome: 'lost' });
    expect(decideOn(error, maxLosses - 1)).toMatchObject({ losses: maxLosses, outcome: code });
  });

  test('a loss of a job with a requested cancellation fails it as canceled', () => {
    expect(decideOn(storage, 0, '2026-03-01T12:00:00.000Z')).toMatchObject({ outcome: 'canceled' });
  });

  test.each([
    ['config_invalid', new JobFailedError('config_invalid', 'docs.json is missing.')],
    ['internal', new TypeError('A defect.')],
  ])('a failure with the code %s is final and no loss', (code, error) => {
    expect(decideOn(error)).toMatchObject({ losses: 0, outcome: code, failure: { code } });
  });

  test('a stop explains the error that follows it', () => {
    const job = { losses: maxLosses - 1, cancel_requested_at: null };
    const outcomes = (['stopping', 'canceled', 'timeout'] as const).map(
      (reason) => decide(job, endingOf(storage, reason), 60).outcome,
    );
    expect(outcomes).toEqual(['handed_back', 'canceled', 'timeout']);
  });
});
