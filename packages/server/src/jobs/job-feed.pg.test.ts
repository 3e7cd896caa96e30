/** The feed starts with the unfinished jobs and then reports every change, including late commits. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createAgentJob } from '../../test/support/agent-jobs.ts';
import type { AccessScope } from '../access-scope.ts';
import {
  composeForTest,
  createCompletedExport,
  createExport,
  createTenant,
  createTestProject,
  present,
  type Tenant,
  type TestContext,
} from '../../test/support/test-context.ts';
import { JobFeed } from './job-feed.ts';
import { claimJob, markArchived, reportProgress, type Job } from './store.ts';

let context: TestContext;
let tenant: Tenant;
let newJob: () => Promise<Job>;

beforeEach(async () => {
  context = await composeForTest();
  tenant = await createTenant(context);
  const project = await createTestProject(context, tenant);
  newJob = () => createExport(context, tenant, project);
  return () => vi.useRealTimers();
});

const openFeed = (after = 0, reach: AccessScope = tenant.actor) =>
  JobFeed.open(context, { reach, kind: 'export', after });
const summary = (jobs: Job[]) => jobs.map(({ id, status, progress }) => [id, status, progress]);

test('the feed starts with the unfinished jobs and continues with changes', async () => {
  const job = await newJob();
  await createCompletedExport(context, tenant, await createTestProject(context, tenant));
  const { feed, first } = await openFeed();
  expect(summary(first)).toEqual([[job.id, 'queued', 0]]);
  expect(await feed.changedJobs()).toEqual([]);
  const claimed = present(await claimJob(context, job.id));
  const later = await newJob();
  expect(summary(await feed.changedJobs())).toEqual([
    [job.id, 'running', 0],
    [later.id, 'queued', 0],
  ]);
  // Three changes between two reads appear as one.
  for (const progress of [10, 20, 30]) await reportProgress(context, claimed, { progress });
  expect(summary(await feed.changedJobs())).toEqual([[job.id, 'running', 30]]);
  expect(await feed.changedJobs()).toEqual([]);
});

describe('a returning client', () => {
  test('receives the changes it missed', async () => {
    const job = await newJob();
    const { feed } = await openFeed();
    await claimJob(context, job.id);
    const again = await openFeed(feed.position);
    expect(again.first).toEqual([]);
    expect(summary(await again.feed.changedJobs())).toEqual([[job.id, 'running', 0]]);
  });

  test.each([
    ['from a database that is no longer', 1_000_000],
    ['from too long ago', -5001],
  ])('%s starts over', async (_what, offset) => {
    const job = await newJob();
    if (offset < 0) {
      const row = { job_id: 'se_gone', at: '2026-01-01T00:00:00.000Z', row: '{}' };
      const rows = Array.from({ length: 1000 }, () => row);
      for (let count = 0; count < 6; count += 1)
        await context.database.insertInto('job_events').values(rows).execute();
    }
    const { first } = await openFeed(Math.max(1, offset));
    expect(summary(first)).toEqual([[job.id, 'queued', 0]]);
  });
});

test('an event with a lower number that is committed late is not missed', async () => {
  const [early, late] = [await newJob(), await newJob()];
  const { feed } = await openFeed();
  const { position } = feed;
  await claimJob(context, late.id);
  expect(summary(await feed.changedJobs())).toEqual([[late.id, 'running', 0]]);
  // PostgreSQL assigns the number before the commit, so two transactions may leave events in this order.
  await context.database
    .updateTable('job_events')
    .set({ sequence: position + 3 })
    .where('sequence', '=', position + 1)
    .execute();
  await feed.changedJobs();
  await context.database
    .insertInto('job_events')
    .values({ sequence: position + 2, job_id: early.id, at: early.updated_at, row: '{}' })
    .execute();
  expect(summary(await feed.changedJobs())).toEqual([[early.id, 'queued', 0]]);
});

test('jobs of another organization are not in the feed', async () => {
  const other = await createTenant(context, { name: 'Other' });
  const { feed } = await openFeed(0, other.actor);
  await newJob();
  expect(await feed.changedJobs()).toEqual([]);
});

test('a caller limited to a project sees no jobs of other projects', async () => {
  const project = await createTestProject(context, tenant);
  await newJob();
  const { feed, first } = await openFeed(0, { ...tenant.actor, projectId: project.id });
  expect(first).toEqual([]);
  await newJob();
  const own = await createExport(context, tenant, project);
  expect(summary(await feed.changedJobs())).toEqual([[own.id, 'queued', 0]]);
});

test('a feed has jobs of one kind, including archived ones', async () => {
  const project = await createTestProject(context, tenant);
  const { id } = await createAgentJob(context, tenant, project.id);
  await newJob();
  const given = { reach: tenant.actor, kind: 'agent', after: 0 } as const;
  const { feed, first } = await JobFeed.open(context, given);
  expect(first.map((job) => job.id)).toEqual([id]);
  await newJob();
  expect(await feed.changedJobs()).toEqual([]);
  await markArchived(context, id, true);
  expect((await feed.changedJobs()).map((job) => [job.id, job.archived_at !== null])).toEqual([[id, true]]);
});
