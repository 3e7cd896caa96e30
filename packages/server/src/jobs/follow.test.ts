/** All jobs of a kind as news: what is under way first, then every change, also of those who commit late. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createAgentJob } from '../../test/support/agent-jobs.ts';
import type { Reach } from '../reach.ts';
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
import { FollowedJobs } from './follow.ts';
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

const begin = (after = 0, reach: Reach = tenant.actor) =>
  FollowedJobs.begin(context, { reach, kind: 'export', after });
const told = (jobs: Job[]) => jobs.map(({ id, status, progress }) => [id, status, progress]);

test('begins with what is under way, and goes on with what changes', async () => {
  const job = await newJob();
  await createCompletedExport(context, tenant, await createTestProject(context, tenant));
  const { followed, first } = await begin();
  expect(told(first)).toEqual([[job.id, 'queued', 0]]);
  expect(await followed.news()).toEqual([]);
  const claimed = present(await claimJob(context, job.id));
  const later = await newJob();
  expect(told(await followed.news())).toEqual([
    [job.id, 'running', 0],
    [later.id, 'queued', 0],
  ]);
  // Three changes between two looks are one piece of news.
  for (const progress of [10, 20, 30]) await reportProgress(context, claimed, { progress });
  expect(told(await followed.news())).toEqual([[job.id, 'running', 30]]);
  expect(await followed.news()).toEqual([]);
});

describe('a client that comes back', () => {
  test('is told what it missed', async () => {
    const job = await newJob();
    const { followed } = await begin();
    await claimJob(context, job.id);
    const again = await begin(followed.position);
    expect(again.first).toEqual([]);
    expect(told(await again.followed.news())).toEqual([[job.id, 'running', 0]]);
  });

  test.each([
    ['from a database that is no longer', 1_000_000],
    ['from too long ago', -5001],
  ])('%s begins anew', async (_what, offset) => {
    const job = await newJob();
    if (offset < 0) {
      const row = { job_id: 'se_gone', at: '2026-01-01T00:00:00.000Z', row: '{}' };
      const rows = Array.from({ length: 1000 }, () => row);
      for (let count = 0; count < 6; count += 1)
        await context.database.insertInto('job_events').values(rows).execute();
    }
    const { first } = await begin(Math.max(1, offset));
    expect(told(first)).toEqual([[job.id, 'queued', 0]]);
  });
});

test('an event with a lower number that is committed late is not missed', async () => {
  const [early, late] = [await newJob(), await newJob()];
  const { followed } = await begin();
  const { position } = followed;
  await claimJob(context, late.id);
  expect(told(await followed.news())).toEqual([[late.id, 'running', 0]]);
  // As two transactions on PostgreSQL may leave them: the number is taken before the commit.
  await context.database
    .updateTable('job_events')
    .set({ sequence: position + 3 })
    .where('sequence', '=', position + 1)
    .execute();
  await followed.news();
  await context.database
    .insertInto('job_events')
    .values({ sequence: position + 2, job_id: early.id, at: early.updated_at, row: '{}' })
    .execute();
  expect(told(await followed.news())).toEqual([[early.id, 'queued', 0]]);
});

test('nothing of another organization is told', async () => {
  const other = await createTenant(context, { name: 'Elsewhere' });
  const { followed } = await begin(0, other.actor);
  await newJob();
  expect(await followed.news()).toEqual([]);
});

test('who is limited to a project is told nothing of another one', async () => {
  const project = await createTestProject(context, tenant);
  await newJob();
  const { followed, first } = await begin(0, { ...tenant.actor, projectId: project.id });
  expect(first).toEqual([]);
  await newJob();
  const own = await createExport(context, tenant, project);
  expect(told(await followed.news())).toEqual([[own.id, 'queued', 0]]);
});

test('each kind is followed by itself, also into the archive', async () => {
  const project = await createTestProject(context, tenant);
  const { id } = await createAgentJob(context, tenant, project.id);
  await newJob();
  const given = { reach: tenant.actor, kind: 'agent', after: 0 } as const;
  const { followed, first } = await FollowedJobs.begin(context, given);
  expect(first.map((job) => job.id)).toEqual([id]);
  await newJob();
  expect(await followed.news()).toEqual([]);
  await markArchived(context, id, true);
  expect((await followed.news()).map((job) => [job.id, job.archived_at !== null])).toEqual([[id, true]]);
});
