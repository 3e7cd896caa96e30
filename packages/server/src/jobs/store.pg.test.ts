/**
 * Every transition is guarded by the state it leaves and the attempt it belongs to, so that no order of
 * events revives a finished job or lets a late worker overwrite its successor.
 */
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Project } from '@docyard/api';
import { inTransaction, isPostgres } from '../ports/database.ts';
import {
  composeForTest,
  createExport,
  createTenant,
  createTestProject,
  present,
  type Tenant,
  type TestContext,
} from '../../test/support/test-context.ts';
import { isFinal } from './lifecycle.ts';
import { failureOf } from './failure.ts';
import { createJob } from './create-jobs.ts';
import * as store from './store.ts';

let context: TestContext;
let tenant: Tenant;
let project: Project;

beforeAll(async () => {
  context = await composeForTest();
  // Without durable commits: this suite makes thousands of writes.
  const { sql } = await import('kysely');
  if (!isPostgres(context.database)) await sql`pragma synchronous = off`.execute(context.database);
  tenant = await createTenant(context);
  project = await createTestProject(context, tenant);
});

const newJob = () => createExport(context, tenant, project);
const read = async ({ id }: { id: string }) =>
  present(await context.database.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst());
const claim = async (job: { id: string }) => present(await store.claimJob(context, job.id));
const outcome = { result: { done: true }, pageCount: 3 };
const failure = failureOf('internal', 'Broken.');

async function events(job: { id: string }) {
  const rows = await context.database
    .selectFrom('job_events')
    .selectAll()
    .where('job_id', '=', job.id)
    .orderBy('sequence')
    .execute();
  return rows.map(({ row }) => JSON.parse(row) as Omit<store.Job, 'input'>);
}

/** Events omit the input. */
function asEvent({ input: _input, ...rest }: store.Job): Omit<store.Job, 'input'> {
  return rest;
}

describe('a new job', () => {
  test('is queued with progress 0 and an event', async () => {
    const job = await newJob();
    expect(job).toMatchObject({
      id: expect.stringMatching(/^se_[0-9a-f]{16}$/) as string,
      status: 'queued',
      phase: 'queued',
      progress: 0,
      page_count: 0,
      attempt: 0,
      started_at: null,
      finished_at: null,
    });
    expect(await events(job)).toEqual([asEvent(job)]);
  });

  test('is found only by id, access scope and kind together', async () => {
    const { id, project_id: projectId } = await newJob();
    const { organizationId } = tenant;
    const isFound = async (
      projectOf: string | null,
      organizationOf = organizationId,
      kind: 'export' | 'agent' = 'export',
    ) => {
      const reach = { organizationId: organizationOf, projectId: projectOf };
      return (await store.readJob(context, { id, reach, kind })) !== undefined;
    };
    expect([await isFound(null), await isFound(projectId)]).toEqual([true, true]);
    expect(await isFound(null, organizationId, 'agent')).toBe(false);
    expect(await isFound('pr_other')).toBe(false);
    expect([await isFound(null, 'org_other'), await isFound(projectId, 'org_other')]).toEqual([false, false]);
  });
});

describe('claiming', () => {
  test('claiming starts the job, counts the attempt, and succeeds for only one of two workers', async () => {
    const job = await newJob();
    const [first, second] = await Promise.all([
      store.claimJob(context, job.id),
      store.claimJob(context, job.id),
    ]);
    expect([first, second].filter((won) => won !== undefined)).toHaveLength(1);
    expect(await read(job)).toMatchObject({ status: 'running', attempt: 1 });
    expect(await store.claimJob(context, 'se_unknown')).toBeUndefined();
  });

  test('a second attempt keeps the time of the first start', async () => {
    const job = await newJob();
    const first = await claim(job);
    await store.releaseJob(context, first);
    context.clock.advance(100);
    expect(await claim(job)).toMatchObject({ attempt: 2, started_at: first.started_at });
  });
});

describe('progress', () => {
  test('progress and page count never fall, and progress stops at 99 until the end', async () => {
    const job = await claim(await newJob());
    await store.reportProgress(context, job, {
      phase: 'rendering',
      progress: 40,
      pageCount: 10,
      totalPages: 20,
    });
    await store.reportProgress(context, job, { phase: 'loading', progress: 20, pageCount: 5 });
    expect(await read(job)).toMatchObject({
      phase: 'loading',
      progress: 40,
      page_count: 10,
      total_pages: 20,
    });
    await store.reportProgress(context, job, { progress: 100 });
    expect(await read(job)).toMatchObject({ progress: 99 });
  });

  test('a second attempt does not lower the progress', async () => {
    const job = await claim(await newJob());
    await store.reportProgress(context, job, { progress: 70, pageCount: 30, commit: 'abc' });
    await store.releaseJob(context, job);
    expect(await read(job)).toMatchObject({
      status: 'queued',
      phase: 'queued',
      progress: 70,
      page_count: 30,
    });
    const second = await claim(job);
    await store.reportProgress(context, second, { progress: 1, pageCount: 0 });
    expect(await read(job)).toMatchObject({ progress: 70, page_count: 30, source_commit: 'abc' });
  });

  test('a report returns whether the claim is still valid', async () => {
    const job = await claim(await newJob());
    expect(await store.reportProgress(context, job, { progress: 5 })).toBe(true);
    await store.releaseJob(context, job);
    expect(await store.reportProgress(context, job, { progress: 50 })).toBe(false);
    await claim(job);
    expect(await store.reportProgress(context, job, { progress: 50 })).toBe(false);
    expect(await read(job)).toMatchObject({ progress: 5 });
  });
});

describe('endings', () => {
  test('completing sets progress 100, the result and the end time', async () => {
    const job = await claim(await newJob());
    context.clock.advance(7);
    expect(await store.completeJob(context, job, outcome)).toMatchObject({
      status: 'completed',
      phase: 'done',
      progress: 100,
      page_count: 3,
      result: '{"done":true}',
      failure: null,
      finished_at: context.clock.now().toISOString(),
    });
  });

  test('failing stores the failure and leaves progress below 100', async () => {
    const job = await claim(await newJob());
    await store.failJob(context, job, failure);
    const row = await read(job);
    expect(row).toMatchObject({ status: 'failed', result: null });
    expect(JSON.parse(row.failure ?? '')).toEqual(failure);
    expect(row.progress).toBeLessThan(100);
  });

  test.each([
    ['completed', (job: store.Job) => store.completeJob(context, job, outcome)],
    ['failed', (job: store.Job) => store.failJob(context, job, failure)],
  ] as const)('nothing moves a job that has %s', async (_name, end) => {
    const job = await claim(await newJob());
    await end(job);
    const ended = await read(job);
    const moves = [
      store.claimJob(context, job.id),
      store.completeJob(context, job, { result: 'other', pageCount: 9 }),
      store.failJob(context, job, failure),
      store.releaseJob(context, job),
      store.requestCancel(context, job),
      store.requestCancel(context, ended),
    ];
    expect(await Promise.all(moves)).toEqual(moves.map(() => undefined));
    expect(await store.reportProgress(context, job, { progress: 1 })).toBe(false);
    expect(await read(job)).toEqual(ended);
  });

  test('a queued job cannot be completed or released', async () => {
    const job = await newJob();
    expect(await store.completeJob(context, job, outcome)).toBeUndefined();
    expect(await store.releaseJob(context, job)).toBeUndefined();
    expect(await read(job)).toEqual(job);
  });

  test('a worker cannot end a job that was requeued', async () => {
    const late = await claim(await newJob());
    const released = await store.releaseJob(context, late);
    expect(await store.failJob(context, late, failure)).toBeUndefined();
    expect(await store.completeJob(context, late, outcome)).toBeUndefined();
    expect(await read(late)).toEqual(released);
  });

  test('a late worker does not change the attempt of its successor', async () => {
    const late = await claim(await newJob());
    await store.releaseJob(context, late);
    const successor = await claim(late);
    expect(await store.completeJob(context, late, outcome)).toBeUndefined();
    expect(await store.failJob(context, late, failure)).toBeUndefined();
    expect(await store.releaseJob(context, late)).toBeUndefined();
    expect(await read(late)).toEqual(successor);
  });
});

describe('cancelling', () => {
  test('a queued job ends immediately', async () => {
    const ended = present(await store.requestCancel(context, await newJob()));
    expect(ended).toMatchObject({ status: 'failed', attempt: 0 });
    expect(JSON.parse(ended.failure ?? '')).toMatchObject({ code: 'canceled', retryable: true });
  });

  test('a running job is marked and continues until its worker ends it', async () => {
    const job = await claim(await newJob());
    expect(await store.requestCancel(context, job)).toMatchObject({ status: 'running' });
    expect((await read(job)).cancel_requested_at).not.toBeNull();
  });

  test('a job with an acknowledged cancellation is not completed', async () => {
    const job = await claim(await newJob());
    await store.requestCancel(context, job);
    expect(await store.completeJob(context, job, outcome)).toBeUndefined();
    expect(await store.failJob(context, job, failure)).toBeDefined();
  });

  test('a job claimed between reading and cancelling is marked', async () => {
    const asRead = await newJob();
    await claim(asRead);
    expect(await store.requestCancel(context, asRead)).toMatchObject({ status: 'running', attempt: 1 });
    expect((await read(asRead)).cancel_requested_at).not.toBeNull();
  });
});

describe('resuming', () => {
  test('an export cannot be resumed', async () => {
    const job = await newJob();
    const ended = present(await store.completeJob(context, await claim(job), outcome));
    expect(await store.resumeJob(context, ended)).toBeUndefined();
    expect(await read(job)).toEqual(ended);
  });

  test('resuming resets the losses and the previous failure', async () => {
    const agent = { organizationId: tenant.organizationId, projectId: project.id, domain: project.domain };
    const job = await createJob(context, { ...agent, kind: 'agent', input: {}, retryOf: null });
    const claimed = await claim(job);
    const ended = present(await store.failJob(context, claimed, failure));
    const resumed = present(await store.resumeJob(context, ended));
    expect(resumed).toMatchObject({
      status: 'queued',
      phase: 'queued',
      attempt: 1,
      earlier_attempts: 1,
      failure: null,
      finished_at: null,
    });
    expect(await store.resumeJob(context, ended)).toBeUndefined();
    await claim(job);
    expect(await store.completeJob(context, claimed, outcome)).toBeUndefined();
  });
});

describe('removing', () => {
  test('purging is recorded once', async () => {
    const job = await claim(await newJob());
    await store.completeJob(context, job, outcome);
    await store.markPurged(context, job.id);
    const { purged_at } = await read(job);
    context.clock.advance(10);
    await store.markPurged(context, job.id);
    expect(await read(job)).toMatchObject({ purged_at, status: 'completed' });
  });

  test('deleting a job deletes its events', async () => {
    const job = await newJob();
    await store.deleteJob(context, job.id);
    expect(await events(job)).toEqual([]);
    expect(await store.readJob(context, { id: job.id, reach: tenant.actor, kind: 'export' })).toBeUndefined();
  });
});

test('every change notifies listeners and records the row of that moment', async () => {
  const job = await newJob();
  let notifications = 0;
  const stop = context.changes.listen(job.id, () => (notifications += 1));
  const running = await claim(job);
  await store.reportProgress(context, running, { progress: 10 });
  const ended = present(await store.completeJob(context, running, outcome));
  await store.completeJob(context, running, outcome);
  stop();
  // PostgreSQL triggers notify as well, so a change may arrive twice.
  expect(notifications).toBeGreaterThanOrEqual(3);
  const statuses = (await events(job)).map(({ status, progress }) => [status, progress]);
  expect(statuses).toEqual([
    ['queued', 0],
    ['running', 0],
    ['running', 10],
    ['completed', 100],
  ]);
  expect((await events(job)).at(-1)).toEqual(asEvent(ended));
});

/** Random interleavings of three workers with different claims and a caller who cancels. */

const worker = fc.integer({ min: 0, max: 2 });
const step = fc.oneof(
  fc.record({ do: fc.constant('claim' as const), worker }),
  fc.record({
    do: fc.constant('report' as const),
    worker,
    progress: fc.integer({ min: -10, max: 200 }),
    pageCount: fc.integer({ min: 0, max: 50 }),
  }),
  fc.record({ do: fc.constantFrom('complete' as const, 'fail' as const, 'release' as const), worker }),
  fc.record({ do: fc.constant('cancel' as const) }),
);

test('the rules hold in any order of events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const job = await newJob();
      const claims = new Map<number, store.Claim>();
      let before: store.Job = job;
      for (const action of steps) {
        const held = 'worker' in action ? claims.get(action.worker) : undefined;
        const holds = held !== undefined && before.status === 'running' && held.attempt === before.attempt;
        const accepted = await perform(action, job, held, claims, before);
        const after = await read(job);
        if (!accepted) expect(after).toEqual(before);
        // An acknowledged cancellation wins over finished work.
        const allowed = holds && !(action.do === 'complete' && before.cancel_requested_at !== null);
        if (action.do !== 'claim' && action.do !== 'cancel') expect(accepted).toBe(allowed);
        if (isFinal(before.status)) expect(after).toEqual(before);
        if (after.status !== 'completed') expect(after.progress).toBeLessThan(100);
        expect(after.progress).toBeGreaterThanOrEqual(before.progress);
        if (after.status !== 'completed') expect(after.page_count).toBeGreaterThanOrEqual(before.page_count);
        expect(after.attempt).toBe(before.attempt + (action.do === 'claim' && accepted ? 1 : 0));
        before = after;
      }
      expect((await events(job)).at(-1)).toEqual(asEvent(before));
    }),
    { numRuns: 150 },
  );
});

async function perform(
  action: typeof step extends fc.Arbitrary<infer Step> ? Step : never,
  job: store.Job,
  held: store.Claim | undefined,
  claims: Map<number, store.Claim>,
  before: store.Job,
): Promise<boolean> {
  if (action.do === 'cancel') return (await store.requestCancel(context, before)) !== undefined;
  if (action.do === 'claim') {
    const won = await store.claimJob(context, job.id);
    if (won !== undefined) claims.set(action.worker, { id: won.id, attempt: won.attempt });
    return won !== undefined;
  }
  if (held === undefined) return false;
  if (action.do === 'report') return store.reportProgress(context, held, action);
  if (action.do === 'complete') return (await store.completeJob(context, held, outcome)) !== undefined;
  if (action.do === 'fail') return (await store.failJob(context, held, failure)) !== undefined;
  return (await store.releaseJob(context, held)) !== undefined;
}

test('a job locked by a transaction is not changed by others until the transaction ends', async () => {
  const claimed = await claim(await newJob());
  const order: string[] = [];
  const held = Promise.withResolvers<void>();
  const holding = inTransaction(context.database, async (database) => {
    expect(await store.holdJob(database, claimed.id)).toEqual(claimed);
    held.resolve();
    await new Promise((resolve) => setTimeout(resolve, 50));
    order.push('held');
  });
  await held.promise;
  await store.completeJob(context, claimed, outcome);
  order.push('completed');
  await holding;
  expect(order).toEqual(['held', 'completed']);
});
