import { describe, expect, test } from 'vitest';
import {
  composeForTest,
  createCompletedExport,
  createExport,
  createTenant,
  createTestProject,
  present,
} from '../../test/support/test-context.ts';
import { failureOf } from './failure.ts';
import { sweepJobs } from './retention.ts';
import { claimJob, failJob } from './store.ts';

const daySeconds = 86_400;

async function setUp(environment = {}) {
  const context = await composeForTest(environment);
  const tenant = await createTenant(context);
  const project = await createTestProject(context, tenant);
  const complete = async () => (await createCompletedExport(context, tenant, project)).id;
  const fail = async () => {
    const { id } = await createExport(context, tenant, project);
    await failJob(context, present(await claimJob(context, id)), failureOf('timeout', 'Too long.'));
    return id;
  };
  const ids = async () =>
    (await context.database.selectFrom('jobs').select('id').orderBy('sequence').execute()).map(
      ({ id }) => id,
    );
  return { context, tenant, project, complete, fail, ids };
}

describe('the record of a job', () => {
  test('is deleted 90 days after its end, but the newest completed export of a project stays', async () => {
    const { context, tenant, project, complete, fail, ids } = await setUp();
    const [older, newest, failed] = [await complete(), await complete(), await fail()];
    const { id: waiting } = await createExport(context, tenant, project);
    context.clock.advance(90 * daySeconds);
    expect((await sweepJobs(context)).deleted).toEqual([]);
    context.clock.advance(1);
    expect((await sweepJobs(context)).deleted.toSorted()).toEqual([older, failed].toSorted());
    expect(await ids()).toEqual([newest, waiting]);
    const events = await context.database.selectFrom('job_events').select('job_id').execute();
    expect(new Set(events.map(({ job_id }) => job_id))).toEqual(new Set([newest, waiting]));
  });

  test('leaves the audit log unchanged when it is deleted', async () => {
    const { context, complete } = await setUp({ RETENTION_JOB_DAYS: '1' });
    await complete();
    await complete();
    const before = await context.database.selectFrom('audit_log').selectAll().execute();
    context.clock.advance(2 * daySeconds);
    expect((await sweepJobs(context)).deleted).toHaveLength(1);
    expect(await context.database.selectFrom('audit_log').selectAll().execute()).toEqual(before);
  });
});
