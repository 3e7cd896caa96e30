import { describe, expect, test } from 'vitest';
import type { Project } from '@docyard/api';
import { failureOf } from '../jobs/failure.ts';
import { claimJob, failJob, type Job } from '../jobs/store.ts';
import {
  composeForTest,
  createCompletedExport,
  createExport,
  createTenant,
  createTestProject,
  present,
} from '../../test/support/test-context.ts';
import { sweep } from './retention.ts';

const day = 86_400;

async function setUp() {
  const context = await composeForTest();
  const tenant = await createTenant(context);
  const project = await createTestProject(context, tenant);
  const complete = (where: Project = project) => createCompletedExport(context, tenant, where);
  const stored = async () => {
    const found: { owner: string; generations: string[] }[] = [];
    for await (const owner of context.blobs.listOwners()) found.push(owner);
    return found;
  };
  const kept = async () => (await stored()).map(({ owner }) => owner).toSorted();
  const ids = (jobs: Job[]) => jobs.map(({ id }) => id).toSorted();
  return { context, tenant, project, complete, stored, kept, ids };
}

test('the last five exports of each project are kept, and the others are marked as purged', async () => {
  const { context, tenant, complete, kept, ids } = await setUp();
  const other = await createTestProject(context, tenant);
  const jobs: Job[] = [];
  for (let made = 0; made < 7; made += 1) jobs.push(await complete());
  const others = [await complete(other), await complete(other)];
  const { purged } = await sweep(context);
  expect(purged.toSorted()).toEqual(ids(jobs.slice(0, 2)));
  expect(await kept()).toEqual(ids([...jobs.slice(2), ...others]));
  const rows = await context.database.selectFrom('jobs').select(['id', 'status', 'purged_at']).execute();
  for (const row of rows) {
    const gone = purged.includes(row.id);
    expect(row).toMatchObject({ status: 'completed', purged_at: gone ? '2026-03-01T12:00:00.000Z' : null });
  }
  expect((await sweep(context)).purged).toEqual([]);
});

test('an export is removed after 30 days unless it is the newest of its project', async () => {
  const { context, complete, kept, ids } = await setUp();
  const old = await complete();
  context.clock.advance(10 * day);
  const newest = await complete();
  context.clock.advance(20 * day);
  expect((await sweep(context)).purged).toEqual([]);
  context.clock.advance(1);
  expect((await sweep(context)).purged).toEqual([old.id]);
  context.clock.advance(1000 * day);
  expect((await sweep(context)).purged).toEqual([]);
  expect(await kept()).toEqual(ids([newest]));
});

test('previews of branches are counted separately', async () => {
  const { context, complete, kept, ids } = await setUp();
  const published = await complete();
  const previews: Job[] = [];
  for (let made = 0; made < 6; made += 1) previews.push(await complete());
  const mark = { preview_of: 'aj_0123456789abcdef' };
  for (const { id } of previews)
    await context.database.updateTable('jobs').set(mark).where('id', '=', id).execute();
  await sweep(context);
  expect(await kept()).toEqual(ids([published, ...previews.slice(1)]));
});

test('the settings change the limits', async () => {
  const { context, complete } = await setUp();
  const [first, second] = [await complete(), await complete()];
  await complete();
  const config = { ...context.config, retention: { ...context.config.retention, exports: 1, days: 1 } };
  const { purged } = await sweep({ ...context, config });
  expect(purged.toSorted()).toEqual([first.id, second.id].toSorted());
});

test('a newer failed export does not displace a completed one', async () => {
  const { context, tenant, project, complete, kept, ids } = await setUp();
  const completed = await complete();
  for (let made = 0; made < 8; made += 1) {
    const { id } = await createExport(context, tenant, project);
    const claimed = present(await claimJob(context, id));
    await failJob(context, claimed, failureOf('internal', 'Broken.'));
  }
  context.clock.advance(100 * day);
  await sweep(context);
  expect(await kept()).toEqual(ids([completed]));
});

describe('orphaned files', () => {
  test('of deleted, failed and purged jobs are removed', async () => {
    const { context, tenant, project, complete, kept } = await setUp();
    const bytes = Buffer.from('x');
    await context.blobs.putBytes('se_00000000deadbeef/1/bundle.tar.gz', bytes);
    const failed = present(await claimJob(context, (await createExport(context, tenant, project)).id));
    await failJob(context, failed, failureOf('internal', 'Broken.'));
    await context.blobs.putBytes(`${failed.id}/1/bundle.tar.gz`, bytes);
    const purged = await complete();
    const marked = { purged_at: '2026-03-01T12:00:00.000Z' };
    await context.database.updateTable('jobs').set(marked).where('id', '=', purged.id).execute();
    await sweep(context);
    expect(await kept()).toEqual([]);
  });

  test('with foreign names stay in the bucket', async () => {
    const { context, kept } = await setUp();
    await context.blobs.putBytes('pictures/2026/harbour.png', Buffer.from('x'));
    await sweep(context);
    expect(await kept()).toEqual(['pictures']);
  });

  test('that are the report of a failed job stay for the usual days', async () => {
    const { context, tenant, project, kept } = await setUp();
    const failed = present(await claimJob(context, (await createExport(context, tenant, project)).id));
    await failJob(context, failed, failureOf('strict_failed', 'Strict: a finding'));
    await context.blobs.putBytes(`${failed.id}/1/report.json`, Buffer.from('{}'));
    context.clock.advance(30 * day);
    await sweep(context);
    expect(await kept()).toEqual([failed.id]);
    context.clock.advance(1);
    await sweep(context);
    expect(await kept()).toEqual([]);
  });

  test('of other attempts than the completed one are removed', async () => {
    const { context, complete, stored } = await setUp();
    const job = await complete();
    await context.blobs.putBytes(`${job.id}/2/bundle.tar.gz`, Buffer.from('late'));
    await sweep(context);
    expect(await stored()).toEqual([{ owner: job.id, generations: ['1'] }]);
  });

  test('of unfinished jobs stay', async () => {
    const { context, tenant, project, kept, ids } = await setUp();
    const queued = await createExport(context, tenant, project);
    const running = await createExport(context, tenant, project);
    await claimJob(context, running.id);
    for (const { id } of [queued, running]) {
      await context.blobs.putBytes(`${id}/1/bundle.tar.gz`, Buffer.from('x'));
    }
    context.clock.advance(100 * day);
    await sweep(context);
    expect(await kept()).toEqual(ids([queued, running]));
  });
});

test('events are removed after a week and idempotency records after a day', async () => {
  const { context, tenant, project } = await setUp();
  await createExport(context, tenant, project);
  await context.database
    .insertInto('idempotency')
    .values({
      organization_id: tenant.organizationId,
      key: 'k',
      fingerprint: 'f',
      status: 202,
      headers: '{}',
      body: '',
      created_at: context.clock.now().toISOString(),
    })
    .execute();
  const counts = async () => {
    await sweep(context);
    const events = await context.database.selectFrom('job_events').selectAll().execute();
    const records = await context.database.selectFrom('idempotency').selectAll().execute();
    return { events: events.length, records: records.length };
  };
  context.clock.advance(day);
  expect(await counts()).toEqual({ events: 1, records: 1 });
  context.clock.advance(1);
  expect(await counts()).toEqual({ events: 1, records: 0 });
  context.clock.advance(6 * day);
  expect(await counts()).toEqual({ events: 0, records: 0 });
});
