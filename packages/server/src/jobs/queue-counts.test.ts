import { expect, test } from 'vitest';
import { cancelExport, deleteExport } from '../exports/cancel.ts';
import { prepareExport, prepareRetry, startExport, startExports } from '../exports/start.ts';
import { inTransaction } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import {
  composeForTest,
  createTenant,
  createTestProject,
  present,
  type Tenant,
} from '../../test/support/test-context.ts';
import { failureOf } from './failure.ts';
import { countPlaces, recountQueued } from './queue-counts.ts';
import { claimJob, completeJob, failJob, releaseJob } from './store.ts';

const domain = 'docs.example.com';

async function setUp(environment: Record<string, string> = {}) {
  const context = await composeForTest(environment);
  const tenants = [await createTenant(context), await createTenant(context, { name: 'Quay' })] as const;
  for (const tenant of tenants) await createTestProject(context, tenant, { domain });
  const prepare = ({ actor }: Tenant) =>
    prepareExport(context, { request: { domain }, actor, allowLocal: true });
  const start = async (tenant: Tenant) =>
    startExport(context, { prepared: await prepare(tenant), actor: tenant.actor });
  const counted = async () => {
    const rows = await context.database
      .selectFrom('queue_counts')
      .selectAll()
      .where('queued', '!=', 0)
      .orderBy('organization_id')
      .execute();
    return rows.map((row) => [row.organization_id, row.queued]);
  };
  const queued = async () => {
    const rows = await context.database
      .selectFrom('jobs')
      .select(({ fn }) => ['organization_id', fn.countAll<number>().as('queued')])
      .where('status', '=', 'queued')
      .groupBy('organization_id')
      .orderBy('organization_id')
      .execute();
    return rows.map((row) => [row.organization_id, row.queued]);
  };
  return { context, tenants, prepare, start, counted, queued };
}

test('the counts equal the queued jobs after starts, claims, losses, failures, cancels, retries and deletes', async () => {
  const { context, tenants, start, counted, queued } = await setUp();
  const [first, second] = tenants;
  const expectSame = async (total: number) => {
    const now = await counted();
    expect(now).toEqual(await queued());
    expect(now.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(total);
  };
  const jobs = await Promise.all([first, first, first, first, second, second].map(start));
  await expectSame(6);
  const [completed, failed, lost, canceled] = await Promise.all(
    jobs.slice(0, 4).map(async ({ id }, index) => (index < 3 ? present(await claimJob(context, id)) : null)),
  );
  expect(canceled).toBeNull();
  await expectSame(3);
  await completeJob(context, present(completed), { result: null, pageCount: 1 });
  await failJob(context, present(failed), failureOf('timeout', 'The job took too long.'));
  await expectSame(3);
  await releaseJob(context, present(lost));
  await expectSame(4);
  await cancelExport(context, { jobId: present(jobs[3]).id, actor: first.actor });
  await expectSame(3);
  const prepared = await prepareRetry(context, { jobId: present(jobs[3]).id, actor: first.actor });
  await startExport(context, { prepared, actor: first.actor });
  await expectSame(4);
  await deleteExport(context, { jobId: present(jobs[3]).id, actor: first.actor });
  await expectSame(4);
});

test('a start that is rolled back is not counted', async () => {
  const { context, tenants, prepare, counted } = await setUp();
  const [{ actor }] = tenants;
  const prepared = await prepare(tenants[0]);
  const rolledBack = inTransaction(context.database, async (database) => {
    await startExports({ ...context, database }, [{ prepared, actor }]);
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await counted()).toEqual([]);
});

test('starts of two organizations in many transactions at once never exceed the queue', async () => {
  const { tenants, start, counted, queued } = await setUp({ LIMIT_QUEUED_JOBS: '20' });
  const all = Array.from({ length: 60 }, (_, index) => start(tenants[index % 2] ?? tenants[0]));
  const outcomes = await Promise.allSettled(all);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(Problem);
  const started = outcomes.filter(({ status }) => status === 'fulfilled').length;
  expect(started).toBeGreaterThanOrEqual(13);
  expect(started).toBeLessThanOrEqual(20);
  expect(await counted()).toEqual(await queued());
});

test('claims and starts at the same time keep the counts exact', async () => {
  const { context, tenants, start, counted, queued } = await setUp();
  const work = async (index: number) => {
    const { id } = await start(tenants[index % 2] ?? tenants[0]);
    if (index % 3 !== 0) await claimJob(context, id);
  };
  await Promise.all(Array.from({ length: 30 }, (_, index) => work(index)));
  expect(await counted()).toEqual(await queued());
});

test('a recount corrects a count that a process of an older version left behind', async () => {
  const { context, tenants, start, counted, queued } = await setUp();
  await start(tenants[0]);
  await context.database.updateTable('queue_counts').set({ queued: 7 }).execute();
  await recountQueued(context.database);
  expect(await counted()).toEqual(await queued());
  const places = await inTransaction(context.database, (database) =>
    countPlaces({ ...context, database }, [tenants[0].organizationId]),
  );
  expect(places.take(tenants[0].organizationId)).toBeUndefined();
});
