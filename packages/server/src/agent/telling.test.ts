/** What webhooks are told of an agent job: the record as the API shows it, and a pull request when it is new. */
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
import { noteRun } from './record.ts';
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

/** One run that ends with a pull request. */
async function run(jobId: string, number: number, url: string): Promise<void> {
  const claimed = present(await claimJob(context, jobId));
  const pullRequest = { url, number: 7, state: 'open', draft: false, branch: 'docyard/1' } as const;
  await noteRun(context, { jobId, number }, { ending: 'done', pullRequest });
  await completeJob(context, claimed, { result: { prLink: url }, pageCount: 0 });
}

async function told(): Promise<{ type: string; data: AgentJob }[]> {
  const rows = await context.database
    .selectFrom('webhook_deliveries')
    .innerJoin('webhook_messages', 'webhook_messages.id', 'webhook_deliveries.message_id')
    .select('payload')
    .orderBy('webhook_deliveries.sequence')
    .execute();
  return rows.map(({ payload }) => JSON.parse(payload) as { type: string; data: AgentJob });
}
const toldTypes = async () => (await told()).map(({ type }) => type);

test('the record is the one that can be read, and the pull request comes with the end of its run', async () => {
  const { id } = await createAgentJob(context, tenant, projectId);
  await run(id, 1, 'https://git.example.com/docs/pull/7');
  expect(await toldTypes()).toEqual([
    'agent.queued',
    'agent.running',
    'agent.completed',
    'agent.pull_request_opened',
  ]);
  const record = await describeAgentJob(context, await find(id));
  expect(record.prLink).toBe('https://git.example.com/docs/pull/7');
  for (const { data } of (await told()).slice(2)) expect(data).toEqual(record);
  expect((await told())[0]?.data).toMatchObject({ id, status: 'active', phase: 'queued', prLink: null });
});

test('a follow-up on the same pull request opens none', async () => {
  const { id } = await createAgentJob(context, tenant, projectId);
  await run(id, 1, 'https://git.example.com/docs/pull/7');
  await resumeAgentJob(context, { job: await find(id), kind: 'follow-up', prompt: 'Go on.' });
  const claimed = present(await claimJob(context, id));
  await noteRun(context, { jobId: id, number: 2 }, { ending: 'budget' });
  await failJob(context, claimed, failureOf('agent_stopped', 'Used up.'), { prLink: null });
  await resumeAgentJob(context, { job: await find(id), kind: 'retry', prompt: 'Go on.' });
  await run(id, 3, 'https://git.example.com/docs/pull/7');
  const opened = (await toldTypes()).filter((type) => type === 'agent.pull_request_opened');
  expect(opened).toHaveLength(1);
});

test('the archive is told both ways', async () => {
  const { id } = await createAgentJob(context, tenant, projectId);
  await run(id, 1, 'https://git.example.com/docs/pull/7');
  const before = (await told()).length;
  const { actor } = tenant;
  await archiveAgentJob(context, { job: await find(id), actor });
  await unarchiveAgentJob(context, { job: await find(id), actor });
  const later = (await told()).slice(before);
  expect(later.map(({ type, data }) => [type, data.status])).toEqual([
    ['agent.archived', 'archived'],
    ['agent.unarchived', 'completed'],
  ]);
});
