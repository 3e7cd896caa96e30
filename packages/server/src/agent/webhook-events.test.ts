import type { AgentJob } from '@docyard/api';
import { beforeEach, expect, test } from 'vitest';
import { failureOf } from '../jobs/failure.ts';
import { claimJob, completeJob, failJob } from '../jobs/store.ts';
import {
  composeForTest,
  createTenant,
  createTestProject,
  present,
  type Tenant,
  type TestContext,
} from '../../test/support/test-context.ts';
import { createWebhook } from '../webhooks/webhooks.ts';
import { archiveAgentJob, unarchiveAgentJob } from './cancel.ts';
import { describeAgentJob, findAgentJob } from './read.ts';
import { updateRun } from './record.ts';
import { resumeAgentJob } from './start.ts';
import { createAgentJob } from '../../test/support/agent-jobs.ts';

let context: TestContext;
let tenant: Tenant;
let projectId: string;

beforeEach(async () => {
  context = await composeForTest();
  tenant = await createTenant(context);
  projectId = (await createTestProject(context, tenant)).id;
  await createWebhook(context, { url: 'https://ci.example.com/', actor: tenant.actor });
});

const find = (id: string) => findAgentJob(context, { id, projectId, reach: tenant.actor });

async function run(jobId: string, number: number, url: string): Promise<void> {
  const claimed = present(await claimJob(context, jobId));
  const pullRequest = { url, number: 7, state: 'open', draft: false, branch: 'docyard/1' } as const;
  await updateRun(context, { jobId, number }, { ending: 'done', pullRequest });
  await completeJob(context, claimed, { result: { prLink: url }, pageCount: 0 });
}

async function sent(): Promise<{ type: string; data: AgentJob }[]> {
  const rows = await context.database
    .selectFrom('webhook_deliveries')
    .innerJoin('webhook_messages', 'webhook_messages.id', 'webhook_deliveries.message_id')
    .select('payload')
    .orderBy('webhook_deliveries.sequence')
    .execute();
  return rows.map(({ payload }) => JSON.parse(payload) as { type: string; data: AgentJob });
}
const sentTypes = async () => (await sent()).map(({ type }) => type);

test('the payload equals the API record, and agent.pull_request_opened follows the end of the run', async () => {
  const { id } = await createAgentJob(context, tenant, projectId);
  await run(id, 1, 'https://git.example.com/docs/pull/7');
  expect(await sentTypes()).toEqual([
    'agent.queued',
    'agent.running',
    'agent.completed',
    'agent.pull_request_opened',
  ]);
  const record = await describeAgentJob(context, await find(id));
  expect(record.prLink).toBe('https://git.example.com/docs/pull/7');
  for (const { data } of (await sent()).slice(2)) expect(data).toEqual(record);
  expect((await sent())[0]?.data).toMatchObject({ id, status: 'active', phase: 'queued', prLink: null });
});

test('a follow-up on the same pull request sends no agent.pull_request_opened', async () => {
  const { id } = await createAgentJob(context, tenant, projectId);
  await run(id, 1, 'https://git.example.com/docs/pull/7');
  await resumeAgentJob(context, { job: await find(id), kind: 'follow-up', prompt: 'Continue.' });
  const claimed = present(await claimJob(context, id));
  await updateRun(context, { jobId: id, number: 2 }, { ending: 'budget' });
  await failJob(context, claimed, failureOf('agent_stopped', 'Used up.'), { prLink: null });
  await resumeAgentJob(context, { job: await find(id), kind: 'retry', prompt: 'Continue.' });
  await run(id, 3, 'https://git.example.com/docs/pull/7');
  const opened = (await sentTypes()).filter((type) => type === 'agent.pull_request_opened');
  expect(opened).toHaveLength(1);
});

test('archiving and unarchiving are both sent', async () => {
  const { id } = await createAgentJob(context, tenant, projectId);
  await run(id, 1, 'https://git.example.com/docs/pull/7');
  const before = (await sent()).length;
  const { actor } = tenant;
  await archiveAgentJob(context, { job: await find(id), actor });
  await unarchiveAgentJob(context, { job: await find(id), actor });
  const later = (await sent()).slice(before);
  expect(later.map(({ type, data }) => [type, data.status])).toEqual([
    ['agent.archived', 'archived'],
    ['agent.unarchived', 'completed'],
  ]);
});
