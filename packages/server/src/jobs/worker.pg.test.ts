/**
 * Every attempt ends with the row completed, failed or queued again, regardless of what the runner does and
 * when the process stops.
 */
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { Failure } from '@docyard/api';
import { InProcessQueue } from '../adapters/queue/in-process.ts';
import type { Context } from '../context.ts';
import type { Queue } from '../ports/queue.ts';
import { Problem } from '../problem.ts';
import {
  composeForTest,
  createExport,
  createTenant,
  createTestProject,
  present,
  until,
  type TestContext,
} from '../../test/support/test-context.ts';
import { isFinal } from './lifecycle.ts';
import { claimJob, requestCancel, releaseJob, releaseLostJob, type Job } from './store.ts';
import { enqueueJob } from './transitions.ts';
import { JobFailedError, RunnerLostError } from './failure.ts';
import { maxLosses } from './retry-policy.ts';
import { Worker, type Runner, type RunnerInput } from './worker.ts';

async function setUp(environment = {}) {
  const context = await composeForTest(environment);
  const tenant = await createTenant(context);
  const project = await createTestProject(context, tenant);
  const read = async ({ id }: { id: string }) =>
    present(await context.database.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst());
  return {
    context,
    newJob: () => createExport(context, tenant, project),
    read,
    start: (runner: Runner) => startWorker(context, runner),
    ended: async (job: { id: string }) => {
      await until(async () => isFinal((await read(job)).status));
      return read(job);
    },
    send: (job: Job) => enqueueJob(context, job),
  };
}

async function startWorker(context: TestContext, runner: Runner): Promise<Worker> {
  const worker = new Worker(context, { export: runner, agent: runner });
  await worker.start();
  return worker;
}

const done = async () => ({ result: { fine: true }, pageCount: 2 });
const failureOfRow = (job: Job) => JSON.parse(job.failure ?? 'null') as Failure;

/** A runner that works until it is stopped. */
function endless() {
  const started: RunnerInput[] = [];
  const runner: Runner = async (_context, input) => {
    started.push(input);
    await new Promise((_resolve, reject) => {
      if (input.signal.aborted) reject(new Error('aborted'));
      input.signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
    throw new Error('Not reached.');
  };
  return { started, runner };
}

describe('an ending', () => {
  test('a job queued before the start is completed', async () => {
    const { newJob, start, ended } = await setUp();
    const job = await newJob();
    const worker = await start(async (_context, { report }) => {
      await report({ phase: 'rendering', progress: 50, pageCount: 1 });
      return done();
    });
    expect(await ended(job)).toMatchObject({
      status: 'completed',
      attempt: 1,
      page_count: 2,
      result: '{"fine":true}',
    });
    await worker.stop();
  });

  test('a job queued after the start is completed', async () => {
    const { newJob, start, ended, send } = await setUp();
    const worker = await start(done);
    const job = await newJob();
    await send(job);
    await send(job);
    expect(await ended(job)).toMatchObject({ status: 'completed', attempt: 1 });
    await worker.stop();
  });

  test('a JobFailedError becomes the failure of the job', async () => {
    const { newJob, start, ended } = await setUp();
    const job = await newJob();
    await start(async () => {
      throw new JobFailedError('config_invalid', 'docs.json has no navigation.', {
        file: 'docs.json',
        line: 3,
      });
    });
    expect(failureOfRow(await ended(job))).toEqual({
      code: 'config_invalid',
      message: 'docs.json has no navigation.',
      file: 'docs.json',
      line: 3,
      hint: null,
      retryable: false,
    });
  });

  test('any other error is reported as internal, and its text appears only in the log', async () => {
    const { newJob, start, ended } = await setUp();
    const job = await newJob();
    await start(async () => {
      throw new TypeError('secret detail of /srv/data');
    });
    const failure = failureOfRow(await ended(job));
    expect(failure).toMatchObject({ code: 'internal', retryable: true });
    expect(JSON.stringify(failure)).not.toContain('secret detail');
  });

  test('a failing job does not block the next one', async () => {
    const { newJob, start, ended } = await setUp();
    const [bad, good] = [await newJob(), await newJob()];
    await start(async (_context, { job }) => {
      if (job.id === bad.id) throw new Error('Broken.');
      return done();
    });
    expect(await ended(good)).toMatchObject({ status: 'completed' });
    expect(await ended(bad)).toMatchObject({ status: 'failed' });
  });

  /** Rejects transactions while enabled. */
  function flakyDatabase(context: Context, maxRefusals: number) {
    const state = { isAway: false, refusals: 0 };
    const database = new Proxy(context.database, {
      get(target, name) {
        if (name === 'transaction' && state.isAway) {
          state.refusals += 1;
          if (state.refusals === maxRefusals) state.isAway = false;
          throw new Problem('storage_unavailable', 'The database cannot be written at the moment.');
        }
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    return { database, state };
  }

  test('a full disk drops a progress report, and the ending is written once the disk has space', async () => {
    const { context, newJob, ended } = await setUp();
    const job = await newJob();
    const { database, state } = flakyDatabase(context, 3);
    await startWorker({ ...context, database }, async (_context, { report }) => {
      state.isAway = true;
      await report({ progress: 50 });
      return done();
    });
    expect(await ended(job)).toMatchObject({ status: 'completed' });
    expect(state.refusals).toBe(3);
  });

  test('a short database outage loses neither the commit of a job nor its reads', async () => {
    const { context, newJob, ended } = await setUp();
    const [reporting, reading] = [await newJob(), await newJob()];
    const { database, state } = flakyDatabase(context, 1);
    await startWorker({ ...context, database }, async (inside, { job, report, retryOnStorage }) => {
      Object.assign(state, { isAway: true, refusals: 0 });
      if (job.id === reporting.id) await report({ commit: 'abc' });
      else await retryOnStorage(() => inside.database.transaction().execute(async () => 'read'));
      return done();
    });
    expect(await ended(reporting)).toMatchObject({ status: 'completed', attempt: 1, source_commit: 'abc' });
    expect(await ended(reading)).toMatchObject({ status: 'completed', attempt: 1 });
  });
});

describe('cancelling', () => {
  test('a queued job never runs', async () => {
    const { context, newJob, start, read } = await setUp();
    const job = await newJob();
    await requestCancel(context, job);
    const { started, runner } = endless();
    const worker = await start(runner);
    await enqueueJob(context, job);
    await worker.stop();
    expect(started).toEqual([]);
    expect(failureOfRow(await read(job)).code).toBe('canceled');
  });

  test('a running job is aborted immediately', async () => {
    const { context, newJob, start, ended, read } = await setUp();
    const job = await newJob();
    const { started, runner } = endless();
    await start(runner);
    await until(() => started.length === 1);
    const before = Date.now();
    await requestCancel(context, await read(job));
    expect(failureOfRow(await ended(job))).toMatchObject({
      code: 'canceled',
      message: 'The job was canceled.',
    });
    expect(Date.now() - before).toBeLessThan(500);
  });

  test('a cancellation by another process is found within about one second', async () => {
    const { context, newJob, start, ended } = await setUp();
    const job = await newJob();
    const { started, runner } = endless();
    await start(runner);
    await until(() => started.length === 1);
    await context.database
      .updateTable('jobs')
      .set({ cancel_requested_at: '2026-03-01T12:00:00.000Z' })
      .where('id', '=', job.id)
      .execute();
    expect(failureOfRow(await ended(job)).code).toBe('canceled');
  });

  test('a job that was canceled and then requeued ends as canceled without running again', async () => {
    const { context, newJob, start, ended } = await setUp();
    const claimed = present(await claimJob(context, (await newJob()).id));
    await requestCancel(context, claimed);
    await releaseJob(context, claimed);
    let runs = 0;
    await start(async () => {
      runs += 1;
      return done();
    });
    expect(failureOfRow(await ended(claimed)).code).toBe('canceled');
    expect(runs).toBe(0);
  });
});

test('a job over its time limit fails as timeout', async () => {
  const { context, newJob, ended } = await setUp();
  const job = await newJob();
  const config = { ...context.config, exportTimeoutSeconds: 0.1 };
  await startWorker({ ...context, config }, endless().runner);
  expect(failureOfRow(await ended(job))).toMatchObject({
    code: 'timeout',
    message: 'The job took longer than 0.1 seconds.',
    retryable: true,
  });
});

describe('stopping', () => {
  test('a running job is requeued, and the next process completes it as the second attempt', async () => {
    const { context, newJob, start, read, ended } = await setUp();
    const job = await newJob();
    const { started, runner } = endless();
    const worker = await start(runner);
    await until(() => started.length === 1);
    await worker.stop();
    expect(await read(job)).toMatchObject({ status: 'queued', attempt: 1, failure: null });
    await startWorker({ ...context, queue: new InProcessQueue() }, done);
    expect(await ended(job)).toMatchObject({ status: 'completed', attempt: 2 });
  });

  test('queued jobs stay in the queue', async () => {
    const { newJob, start, read } = await setUp();
    const [first, second] = [await newJob(), await newJob()];
    const { started, runner } = endless();
    const worker = await start(runner);
    await until(() => started.length === 1);
    await worker.stop();
    expect(await read(first)).toMatchObject({ status: 'queued', attempt: 1 });
    expect(await read(second)).toMatchObject({ status: 'queued', attempt: 0 });
  });

  test('a job that completes while the worker stops is completed', async () => {
    const { newJob, start, read } = await setUp();
    const job = await newJob();
    let started = false;
    let finish = () => {};
    const worker = await start(async () => {
      started = true;
      await new Promise<void>((resolve) => (finish = resolve));
      return done();
    });
    await until(() => started);
    const stopped = worker.stop();
    finish();
    await stopped;
    expect(await read(job)).toMatchObject({ status: 'completed', attempt: 1 });
  });
});

describe('a worker that was lost', () => {
  async function lost(times: number) {
    const parts = await setUp();
    const job = await parts.newJob();
    for (let time = 1; time <= times; time += 1) {
      const claimed = present(await claimJob(parts.context, job.id));
      if (time < times) await releaseLostJob(parts.context, claimed);
    }
    // A restarted process has an empty queue.
    const context = { ...parts.context, queue: new InProcessQueue() };
    return { ...parts, context, job, start: (runner: Runner) => startWorker(context, runner) };
  }

  test.each([1, maxLosses - 1])('its job runs again after loss %i', async (times) => {
    const { job, start, ended } = await lost(times);
    await start(done);
    expect(await ended(job)).toMatchObject({ status: 'completed', attempt: times + 1 });
  });

  test('its job fails as worker_lost when it reaches the limit of losses', async () => {
    const { job, start, ended } = await lost(maxLosses);
    let runs = 0;
    await start(async () => {
      runs += 1;
      return done();
    });
    expect(failureOfRow(await ended(job))).toMatchObject({
      code: 'worker_lost',
      message: `The job failed after ${maxLosses} lost attempts.`,
      hint: expect.stringContaining('memory') as string,
    });
    expect(runs).toBe(0);
  });

  test('requeued attempts do not count: the first loss after two restarts is retried', async () => {
    const { context, newJob, ended } = await setUp();
    const job = await newJob();
    for (let restart = 0; restart < 2; restart += 1) {
      await releaseJob(context, present(await claimJob(context, job.id)));
    }
    await claimJob(context, job.id);
    await startWorker({ ...context, queue: new InProcessQueue() }, done);
    expect(await ended(job)).toMatchObject({ status: 'completed', attempt: 4, losses: 1 });
  });

  test('a job on a full disk is retried and then fails as storage_failed', async () => {
    const { newJob, start, ended } = await setUp();
    const [unlucky, doomed] = [await newJob(), await newJob()];
    const worker = await start(async (_context, { job }) => {
      if (job.id === doomed.id || job.attempt === 1)
        throw new JobFailedError('storage_failed', 'The disk is full.');
      return done();
    });
    expect(await ended(unlucky)).toMatchObject({ status: 'completed', attempt: 2 });
    expect(await ended(doomed)).toMatchObject({ status: 'failed', attempt: maxLosses });
    expect(failureOfRow(await ended(doomed))).toMatchObject({
      code: 'storage_failed',
      message: 'The disk is full.',
    });
    await worker.stop();
  });

  test('a job whose rendering process is killed is retried and then fails as worker_lost', async () => {
    const { newJob, start, ended } = await setUp();
    const [unlucky, doomed] = [await newJob(), await newJob()];
    const worker = await start(async (_context, { job }) => {
      if (job.id === doomed.id || job.attempt === 1) throw new RunnerLostError('Killed for its memory.');
      return done();
    });
    expect(await ended(unlucky)).toMatchObject({ status: 'completed', attempt: 2 });
    expect(await ended(doomed)).toMatchObject({ status: 'failed', attempt: maxLosses });
    expect(failureOfRow(await ended(doomed))).toMatchObject({ code: 'worker_lost', retryable: true });
    await worker.stop();
  });

  test('a job without storage is retried and finally fails as storage_failed', async () => {
    const { newJob, start, ended } = await setUp();
    const [unlucky, doomed] = [await newJob(), await newJob()];
    const worker = await start(async (_context, { job }) => {
      if (job.id === doomed.id || job.attempt === 1)
        throw new Problem('storage_unavailable', 'The store cannot be reached.');
      return done();
    });
    expect(await ended(unlucky)).toMatchObject({ status: 'completed', attempt: 2 });
    expect(failureOfRow(await ended(doomed))).toMatchObject({
      code: 'storage_failed',
      message: 'The store cannot be reached.',
      retryable: true,
    });
    await worker.stop();
  });

  test('its job ends as canceled after a cancellation', async () => {
    const { context, job, read, start, ended } = await lost(1);
    await requestCancel(context, await read(job));
    let runs = 0;
    await start(async () => {
      runs += 1;
      return done();
    });
    expect(failureOfRow(await ended(job)).code).toBe('canceled');
    expect(runs).toBe(0);
  });

  test('a late worker is stopped by its next report and changes nothing', async () => {
    const { context, newJob, start, read } = await setUp();
    const job = await newJob();
    let aborted = false;
    let finished = false;
    const worker = await start(async (_context, input) => {
      // Meanwhile another process settles the job as lost and claims it.
      await releaseJob(context, { id: job.id, attempt: 1 });
      await claimJob(context, job.id);
      await input.report({ progress: 90, pageCount: 90 });
      aborted = input.signal.aborted;
      finished = true;
      return done();
    });
    await until(() => finished);
    await worker.stop();
    expect(aborted).toBe(true);
    expect(await read(job)).toMatchObject({ status: 'running', attempt: 2, progress: 0, result: null });
  });
});

describe('the metric and the log of an attempt without a result', () => {
  function observe(context: TestContext) {
    const measured: { outcome: string }[] = [];
    const logged: Record<string, unknown>[] = [];
    const write = (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>);
    const observed: TestContext = {
      ...context,
      queue: new InProcessQueue(),
      measures: { ...context.measures, jobEnded: (job) => void measured.push(job) },
      log: pino({}, { write }),
    };
    const decisions = () => logged.filter(({ msg }) => /requeued|failed|settled/.test(String(msg)));
    return { observed, measured, decisions, outcomes: () => measured.map(({ outcome }) => outcome) };
  }

  test('each loss is counted as lost, and the last one with the code of the failure', async () => {
    const { context, newJob, ended } = await setUp();
    const { observed, outcomes, decisions } = observe(context);
    const runner: Runner = async () => {
      throw new RunnerLostError('Killed.');
    };
    const worker = await startWorker(observed, runner);
    const job = await newJob();
    await enqueueJob(observed, job);
    await ended(job);
    await worker.stop();
    const lost = Array.from({ length: maxLosses - 1 }, () => 'lost');
    expect(outcomes()).toEqual([...lost, 'worker_lost']);
    const shared = { cause: 'process_killed', jobId: job.id };
    expect(decisions()).toMatchObject([
      ...lost.map((outcome, index) => ({
        ...shared,
        outcome,
        msg: 'job requeued',
        losses: index + 1,
        attempt: index + 1,
      })),
      { ...shared, outcome: 'worker_lost', msg: 'job failed', losses: maxLosses, attempt: maxLosses },
    ]);
  });

  test.each([
    [1, 'lost', 'job requeued'],
    [maxLosses, 'worker_lost', 'job failed'],
  ])('a killed worker is counted by its successor: loss %i as %s', async (losses, outcome, msg) => {
    const { context, newJob, ended } = await setUp();
    const { observed, measured, decisions } = observe(context);
    const job = await newJob();
    for (let loss = 1; loss < losses; loss += 1)
      await releaseLostJob(context, present(await claimJob(context, job.id)));
    await claimJob(context, job.id);
    const worker = await startWorker(observed, done);
    await ended(job);
    await worker.stop();
    expect(measured[0]).toEqual({ kind: job.kind, outcome });
    expect(decisions()).toMatchObject([
      { msg, outcome, cause: 'worker_lost', losses, jobId: job.id, attempt: losses },
    ]);
  });

  test('a stopped attempt is counted as handed_back', async () => {
    const { context, newJob } = await setUp();
    const { observed, outcomes, decisions } = observe(context);
    const job = await newJob();
    const { started, runner } = endless();
    const worker = await startWorker(observed, runner);
    await until(() => started.length === 1);
    await worker.stop();
    expect(outcomes()).toEqual(['handed_back']);
    expect(decisions()).toMatchObject([
      { msg: 'job requeued', cause: 'stopping', losses: 0, jobId: job.id, attempt: 1 },
    ]);
  });

  test('an attempt that another process has settled is not counted again', async () => {
    const { context, newJob } = await setUp();
    const { observed, outcomes, decisions } = observe(context);
    const job = await newJob();
    const { started, runner } = endless();
    const worker = await startWorker(observed, runner);
    await until(() => started.length === 1);
    await releaseLostJob(context, present(started[0]).job);
    await worker.stop();
    expect(outcomes()).toEqual([]);
    expect(decisions()).toMatchObject([{ msg: 'attempt already settled', jobId: job.id, attempt: 1 }]);
  });
});

describe('a worker whose job another worker has claimed', () => {
  test('is stopped before its next report and changes nothing', async () => {
    const { context, newJob, start, read } = await setUp();
    const { started, runner } = endless();
    const worker = await start(runner);
    const job = await newJob();
    await until(() => started.length === 1);
    const others = { ...(await read(job)), attempt: 2 };
    await context.database.updateTable('jobs').set({ attempt: 2 }).where('id', '=', job.id).execute();
    await until(() => present(started[0]).signal.aborted, 5);
    await until(async () => !(await context.queue.held([job.id])).has(job.id));
    expect(await read(job)).toEqual(others);
    await worker.stop();
  });

  test('ends its attempt before it starts another one of the same job', async () => {
    const { context, newJob, read } = await setUp();
    let deliver: Parameters<Queue['consume']>[2] = async () => {};
    const queue: Queue = {
      send: async () => {},
      consume: async (kind, _concurrency, handle) => {
        if (kind === 'export') deliver = handle;
      },
      held: async (jobIds) => new Set(jobIds),
      stop: async () => {},
    };
    const seen: string[] = [];
    const worker = await startWorker({ ...context, queue }, async (_context, { job, signal }) => {
      seen.push(`begins ${job.attempt}`);
      while (job.attempt === 1 && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 5));
      seen.push(`ends ${job.attempt}`);
      signal.throwIfAborted();
      return done();
    });
    const job = await newJob();
    const delivery = { kind: 'export' as const, jobId: job.id, organizationId: job.organization_id };
    const first = deliver({ ...delivery, attempt: 0, priority: 0, isRedelivery: false });
    await until(() => seen.length === 1);
    await deliver({ ...delivery, attempt: 0, priority: 0, isRedelivery: true });
    await deliver({ ...delivery, attempt: 1, priority: 1, isRedelivery: false });
    await first;
    expect(seen).toEqual(['begins 1', 'ends 1', 'begins 2', 'ends 2']);
    expect(await read(job)).toMatchObject({ status: 'completed', attempt: 2 });
    await worker.stop();
  });
});

test('the concurrency setting limits the jobs that run at the same time', async () => {
  const { newJob, start } = await setUp({ EXPORT_CONCURRENCY: '3', LIMIT_RUNNING_PER_ORGANIZATION: '9' });
  for (let made = 0; made < 5; made += 1) await newJob();
  const { started, runner } = endless();
  const worker = await start(runner);
  await until(() => started.length === 3);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(started).toHaveLength(3);
  await worker.stop();
});
