import { describe, expect, test } from 'vitest';
import { dropForeignSettings } from './environment.ts';
import { whyUnexplained, type Incident } from './explanation.ts';
import type { Change } from './history.ts';
import { maxFailedStarts, StartFailedError, StartLimit } from './start-limit.ts';

test('a run keeps nothing of the environment of its caller but what programs need to start', () => {
  const environment = {
    PATH: '/usr/bin',
    HOME: '/root',
    DATABASE_URL: 'postgres://production/docyard',
    BLOBS_URL: 's3://production',
    SECRET_KEY_FILE: '/run/secrets/key',
    DOCYARD_API_KEY: 'docyard_1',
    AWS_PROFILE: 'production',
    PGHOST: 'production',
    NODE_OPTIONS: '--inspect',
  };
  expect(dropForeignSettings(environment)).toContain('DATABASE_URL');
  expect(environment).toEqual({ PATH: '/usr/bin', HOME: '/root' });
});

describe('a process that does not start', () => {
  test('is given up after some failures in a row, with the last error', () => {
    const limit = new StartLimit('worker 1');
    for (let failures = 1; failures < maxFailedStarts; failures += 1) limit.failed(new Error('port'), false);
    const last = () => limit.failed(new Error('The configuration is not usable'), false);
    expect(last).toThrow(StartFailedError);
    expect(last).toThrow(/worker 1 failed to start 5 times in a row: The configuration/);
  });

  test('is not given up for failures during an outage or before a success', () => {
    const limit = new StartLimit('worker 1');
    for (let failures = 0; failures < 20; failures += 1) limit.failed(new Error('refused'), true);
    for (let rounds = 0; rounds < 20; rounds += 1) {
      limit.failed(new Error('once'), false);
      limit.started();
    }
  });
});

describe('an export that was given up', () => {
  const change = (status: string, attempt: number, seconds: number): Change => ({
    sequence: seconds,
    jobId: 'se_1',
    organizationId: 'org_1',
    atMs: seconds * 1000,
    status,
    attempt,
    progress: 0,
  });
  const life = [
    change('queued', 0, 0),
    change('running', 1, 100),
    change('queued', 1, 112),
    change('running', 2, 200),
    change('failed', 2, 212),
  ];
  const incident = (cause: Incident['cause'], fromSeconds: number, toSeconds: number): Incident => ({
    cause,
    fromMs: fromSeconds * 1000,
    toMs: toSeconds * 1000,
  });

  test('is explained when each of its attempts met trouble', () => {
    const incidents = [incident('worker', 101, 101), incident('database', 195, 199)];
    expect(whyUnexplained('worker_lost', life, incidents)).toBeUndefined();
  });

  test('is a problem when one attempt met none', () => {
    const incidents = [incident('worker', 101, 101), incident('worker', 300, 300)];
    expect(whyUnexplained('worker_lost', life, incidents)).toBe('no trouble explains the loss of attempt 2');
  });

  test('is a problem when the trouble cannot cause its failure', () => {
    const incidents = [incident('worker', 101, 101), incident('worker', 201, 201)];
    expect(whyUnexplained('storage_failed', life, incidents)).toContain('attempt 1');
    expect(whyUnexplained('internal', life, incidents)).toContain('internal is no failure');
  });
});
