import { beforeEach, describe, expect, test } from 'vitest';
import { claimJob, completeJob, type Job } from '../jobs/store.ts';
import {
  composeForTest,
  createTenant,
  createTestProject,
  jsonBody,
  present,
  serveForTest,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';
import { archiveAgentJob } from './cancel.ts';
import { addMessage, markMessagesTaken, pendingMessages } from './pending-messages.ts';
import { addStep, updateRun } from './record.ts';
import { sweepAgentJobs } from './retention.ts';
import { createAgentJob } from '../../test/support/agent-jobs.ts';

const day = 86_400;
const said = 'Something that a person said long ago.';
const model = { MODEL_URL: 'https://models.example.com/v1', MODEL_NAME: 'writer-1' };

let context: TestContext;
let service: TestService;
let tenant: Tenant;
let projectId: string;

beforeEach(async () => {
  context = await composeForTest(model);
  service = await serveForTest(context);
  tenant = await createTenant(context);
  projectId = (await createTestProject(context, tenant)).id;
});

async function endedJob(): Promise<Job> {
  const job = await createAgentJob(context, tenant, projectId);
  const step = { kind: 'message', message: { role: 'user', text: said } } as const;
  await addStep(context, { jobId: job.id, run: 1, number: 1 }, step);
  await addMessage(context, { jobId: job.id, prompt: said });
  const waiting = await pendingMessages(context, job.id);
  await markMessagesTaken(
    context,
    waiting.map(({ sequence }) => sequence),
    1,
  );
  const diff = { files: [], patch: `+${said}` };
  await updateRun(
    context,
    { jobId: job.id, number: 1 },
    { diff, ownDiff: diff, ending: 'done', summary: 'Done.' },
  );
  const claimed = present(await claimJob(context, job.id));
  return present(await completeJob(context, claimed, { result: {}, pageCount: 0 }));
}

const ask = (id: string, operation: string, init: RequestInit = {}) =>
  service.request(`/v2/agent/${projectId}/job/${id}${operation}`, { ...init, key: tenant.key.key });
const statusOf = async (id: string, operation: string, init?: RequestInit) =>
  (await ask(id, operation, init)).status;
const message = jsonBody({ prompt: 'Continue.' });

describe('after the retention period', () => {
  test('steps, messages and changes are deleted, and the record shows when', async () => {
    const { id } = await endedJob();
    context.clock.advance(90 * day);
    expect(await sweepAgentJobs(context)).toEqual({ purged: [] });
    expect(await statusOf(id, '/transcript')).toBe(200);
    context.clock.advance(1);
    expect(await sweepAgentJobs(context)).toEqual({ purged: [id] });
    expect(await sweepAgentJobs(context)).toEqual({ purged: [] });
    for (const table of ['agent_steps', 'agent_messages', 'agent_runs'] as const) {
      const rows = await context.database.selectFrom(table).selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(said);
    }
    expect(await (await ask(id, '')).json()).toMatchObject({
      status: 'completed',
      result: { summary: 'Done.' },
      purgedAt: context.clock.now().toISOString(),
    });
  });

  test('purged parts answer 410, and the job cannot be resumed', async () => {
    const { id } = await endedJob();
    context.clock.advance(90 * day + 1);
    await sweepAgentJobs(context);
    for (const operation of ['/transcript', '/diff']) expect(await statusOf(id, operation)).toBe(410);
    expect(await (await ask(id, '/message', message)).json()).toMatchObject({ code: 'job_purged' });
    expect(await statusOf(id, '/retry', { method: 'POST' })).toBe(410);
    expect(await statusOf(id, '/archive', { method: 'POST' })).toBe(200);
  });
});

describe('jobs that are kept', () => {
  test('a running job and a resumed job are kept', async () => {
    const queued = await createAgentJob(context, tenant, projectId);
    const { id } = await endedJob();
    context.clock.advance(80 * day);
    expect(await statusOf(id, '/message', message)).toBe(200);
    context.clock.advance(80 * day);
    expect(await sweepAgentJobs(context)).toEqual({ purged: [] });
    const again = present(await claimJob(context, id));
    await completeJob(context, again, { result: {}, pageCount: 0 });
    context.clock.advance(90 * day);
    expect(await sweepAgentJobs(context)).toEqual({ purged: [] });
    context.clock.advance(1);
    expect(await sweepAgentJobs(context)).toEqual({ purged: [id] });
    expect((await rowOf(queued.id))?.purged_at).toBeNull();
  });

  test('a job with a pending message is kept', async () => {
    const { id } = await endedJob();
    await addMessage(context, { jobId: id, prompt: 'One more thing.' });
    context.clock.advance(100 * day);
    expect(await sweepAgentJobs(context)).toEqual({ purged: [] });
  });

  test('a recently archived job is kept', async () => {
    const job = await endedJob();
    context.clock.advance(80 * day);
    await archiveAgentJob(context, { job, actor: tenant.actor });
    context.clock.advance(80 * day);
    expect(await sweepAgentJobs(context)).toEqual({ purged: [] });
    context.clock.advance(11 * day);
    expect(await sweepAgentJobs(context)).toEqual({ purged: [job.id] });
  });
});

test('the retention period is configurable', async () => {
  const { id } = await endedJob();
  context.clock.advance(2 * day);
  const config = { ...context.config, retention: { ...context.config.retention, agentDays: 1 } };
  expect(await sweepAgentJobs({ ...context, config })).toEqual({ purged: [id] });
});

function rowOf(id: string): Promise<Job | undefined> {
  return context.database.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
}
