import { beforeAll, describe, expect, test } from 'vitest';
import { createJob } from '../jobs/create-jobs.ts';
import { claimJob, releaseJob } from '../jobs/store.ts';
import {
  composeForTest,
  createTenant,
  createTestProject,
  present,
  type TestContext,
} from '../../test/support/test-context.ts';
import type { Step } from './contract.ts';
import { openJournal, stepsOfRun } from './journal.ts';
import { redactor } from './redact.ts';

let context: TestContext;
let newRun: () => Promise<{ id: string; attempt: number }>;

beforeAll(async () => {
  context = await composeForTest();
  const tenant = await createTenant(context);
  const project = await createTestProject(context, tenant);
  newRun = async () => {
    const { organizationId } = tenant;
    const { id: projectId, domain } = project;
    const job = await createJob(context, {
      kind: 'agent',
      organizationId,
      projectId,
      domain,
      input: {},
      retryOf: null,
    });
    return present(await claimJob(context, job.id));
  };
});

const open = (job: { id: string; attempt: number }, run = 1, secrets: string[] = []) =>
  openJournal(context, { job, run, redact: redactor(secrets) });
const said = (text: string): Step => ({ kind: 'message', message: { role: 'user', text } });

test('steps are returned in order, separately for each run', async () => {
  const job = await newRun();
  const first = await open(job);
  await first.append(said('one'));
  await first.append(said('two'));
  await (await open(job, 2)).append(said('other run'));
  const again = await open(job);
  expect(again.steps).toEqual([said('one'), said('two')]);
  await again.append(said('three'));
  expect(await stepsOfRun(context, { jobId: job.id, run: 1 })).toEqual([
    said('one'),
    said('two'),
    said('three'),
  ]);
});

test('a waiting client is notified of a new step', async () => {
  const job = await newRun();
  let notified = 0;
  const unlisten = context.changes.listen(job.id, () => (notified += 1));
  await (await open(job)).append(said('one'));
  unlisten();
  expect(notified).toBeGreaterThan(0);
});

test('a worker that lost the job cannot write', async () => {
  const job = await newRun();
  const late = await open(job);
  await releaseJob(context, job);
  await expect(late.append(said('too late'))).rejects.toMatchObject({ reason: 'stopping' });
  const next = await open(present(await claimJob(context, job.id)));
  await next.append(said('mine'));
  await expect(late.append(said('still too late'))).rejects.toMatchObject({ reason: 'stopping' });
  expect(await stepsOfRun(context, { jobId: job.id, run: 1 })).toEqual([said('mine')]);
});

describe('a step with another database change', () => {
  test('both are written, or neither', async () => {
    const job = await newRun();
    const journal = await open(job);
    const mark = (database: TestContext['database'], prompt: string) =>
      database
        .insertInto('agent_messages')
        .values({ job_id: job.id, prompt, created_at: '2026-03-01' })
        .execute();
    const broken = journal.appendWith(async (database) => {
      await mark(database, 'lost');
      throw new Error('Broken.');
    });
    await expect(broken).rejects.toThrow('Broken.');
    await journal.appendWith(async (database) => {
      await mark(database, 'kept');
      return { kind: 'previewed', exportId: 'se_1' };
    });
    const rows = await context.database
      .selectFrom('agent_messages')
      .select('prompt')
      .where('job_id', '=', job.id)
      .execute();
    expect(rows).toEqual([{ prompt: 'kept' }]);
    expect(journal.steps).toEqual([{ kind: 'previewed', exportId: 'se_1' }]);
  });
});

test('a known secret is masked in the row and for the next step', async () => {
  const secret = 'forge-token-0123456789';
  const journal = await open(await newRun(), 1, [secret]);
  await journal.append(said(`Use ${secret} or ${Buffer.from(secret).toString('base64')}.`));
  expect(JSON.stringify(journal.steps).split('[secret removed]')).toHaveLength(3);
  expect(JSON.stringify(journal.steps)).not.toContain(secret);
});
