/** A change of a job and its messages are written in one transaction. */
import type { ExportJob, WebhookEvent } from '@docyard/api';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { viewExport } from '../exports/view.ts';
import { failureOf } from '../jobs/failure.ts';
import { createJob } from '../jobs/create-jobs.ts';
import {
  claimJob,
  completeJob,
  failJob,
  markArchived,
  releaseJob,
  reportProgress,
  type Job,
} from '../jobs/store.ts';
import { inTransaction } from '../ports/database.ts';
import {
  composeForTest,
  createExport,
  createTenant,
  createTestProject,
  present,
  type Tenant,
  type TestContext,
} from '../../test/support/test-context.ts';
import { createWebhook, deleteWebhook, subscribeToJob, updateWebhook } from './webhooks.ts';

let context: TestContext;
let tenant: Tenant;
let newExport: () => Promise<Job>;

beforeAll(async () => {
  context = await composeForTest();
});

beforeEach(async () => {
  tenant = await createTenant(context);
  const project = await createTestProject(context, tenant);
  newExport = () => createExport(context, tenant, project);
});

const subscribe = (events?: WebhookEvent[]) =>
  createWebhook(context, {
    url: 'https://ci.example.com/',
    actor: tenant.actor,
    ...(events === undefined ? {} : { events }),
  });

interface StoredMessage {
  webhook_id: string;
  payload: { type: string; timestamp: string; data: Record<string, unknown> };
}

async function readMessages(): Promise<StoredMessage[]> {
  const rows = await context.database
    .selectFrom('webhook_deliveries')
    .innerJoin('webhook_messages', 'webhook_messages.id', 'webhook_deliveries.message_id')
    .select(['webhook_deliveries.webhook_id', 'webhook_messages.payload'])
    .where('webhook_deliveries.organization_id', '=', tenant.organizationId)
    .orderBy('webhook_deliveries.sequence')
    .execute();
  return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) as StoredMessage['payload'] }));
}
const messageTypes = async () => (await readMessages()).map(({ payload }) => payload.type);

const outcome = {
  result: {
    bundle: { sizeBytes: 1, sha256: 'a'.repeat(64), fileCount: 1 },
    warnings: 0,
    errors: 0,
    attempt: 1,
  },
  pageCount: 1,
};

test('each transition writes a message with the record of that moment, and progress does not', async () => {
  await subscribe();
  const queued = await newExport();
  const running = present(await claimJob(context, queued.id));
  context.clock.advance(1);
  await reportProgress(context, running, { progress: 50, pageCount: 3 });
  const completed = present(await completeJob(context, running, outcome));
  const expected = [queued, running, completed].map((job) => ({
    type: `export.${job.status}`,
    timestamp: job.updated_at,
    data: viewExport(job),
  }));
  expect((await readMessages()).map(({ payload }) => payload)).toEqual(expected);
});

test('a requeued and a failed job write messages', async () => {
  await subscribe(['export.queued', 'export.failed']);
  const { id } = await newExport();
  await releaseJob(context, present(await claimJob(context, id)));
  await failJob(context, present(await claimJob(context, id)), failureOf('internal', 'A fault.'));
  expect(await messageTypes()).toEqual(['export.queued', 'export.queued', 'export.failed']);
});

test('only enabled webhooks of the same organization that subscribe to the event get a delivery', async () => {
  const wanting = await subscribe(['export.running']);
  await subscribe(['export.failed']);
  const off = await subscribe();
  await updateWebhook(context, { webhookId: off.id, change: { enabled: false }, actor: tenant.actor });
  const other = await createTenant(context, { name: 'Other' });
  await createWebhook(context, { url: 'https://ci.example.com/', actor: other.actor });
  const { id } = await newExport();
  await claimJob(context, id);
  expect((await readMessages()).map(({ webhook_id }) => webhook_id)).toEqual([wanting.id]);
});

test('webhooks share one message per event', async () => {
  await subscribe(['export.queued']);
  await subscribe(['export.queued']);
  const { id } = await newExport();
  expect(await readMessages()).toHaveLength(2);
  const messages = context.database.selectFrom('webhook_messages').select('id').where('job_id', '=', id);
  expect(await messages.execute()).toHaveLength(1);
});

test('a rolled back transition writes no message', async () => {
  await subscribe();
  const { id } = await newExport();
  const undone = context.database.transaction().execute(async (database) => {
    await claimJob({ ...context, database }, id);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await messageTypes()).toEqual(['export.queued']);
});

test('a late claim writes no message', async () => {
  await subscribe(['export.completed', 'export.failed']);
  const { id } = await newExport();
  const first = present(await claimJob(context, id));
  await releaseJob(context, first);
  await completeJob(context, present(await claimJob(context, id)), outcome);
  expect(await completeJob(context, first, outcome)).toBeUndefined();
  expect(await messageTypes()).toEqual(['export.completed']);
});

test('the webhook of a job gets only the end of that job', async () => {
  const { id } = await newExport();
  const other = await newExport();
  const { organizationId } = tenant;
  const job = { id, kind: 'export', organizationId, webhookUrl: 'https://ci.example.com/once' };
  await inTransaction(context.database, (database) => subscribeToJob({ ...context, database }, job));
  for (const each of [id, other.id]) {
    await completeJob(context, present(await claimJob(context, each)), outcome);
  }
  const all = await readMessages();
  expect(all.map(({ payload }) => [payload.type, (payload.data as ExportJob).jobId])).toEqual([
    ['export.completed', id],
  ]);
});

test('a concurrent deletion of a webhook does not affect the job', async () => {
  const { id: webhookId } = await subscribe();
  const { id } = await newExport();
  let deletion = Promise.resolve();
  const slow: TestContext['views'] = {
    ...context.views,
    export: {
      async record(database, job) {
        deletion = deleteWebhook(context, { webhookId, actor: tenant.actor });
        // Long enough for the deletion to finish unless it is blocked.
        await Promise.race([deletion, new Promise((resolve) => setTimeout(resolve, 300))]);
        return context.views.export.record(database, job);
      },
    },
  };
  expect(await claimJob({ ...context, views: slow }, id)).toMatchObject({ status: 'running' });
  await deletion;
  expect(await readMessages()).toEqual([]);
});

test('the preview of a branch writes no message', async () => {
  await subscribe();
  const project = await createTestProject(context, tenant);
  await createJob(context, {
    kind: 'export',
    organizationId: tenant.organizationId,
    projectId: project.id,
    domain: project.domain,
    input: { request: { domain: project.domain }, source: project.source },
    retryOf: null,
    previewOf: 'aj_1',
  });
  expect(await readMessages()).toEqual([]);
});

test('a change whose name is not in webhookEvents writes no message', async () => {
  await subscribe();
  const { id } = await newExport();
  await markArchived(context, id, true);
  expect(await messageTypes()).toEqual(['export.queued']);
});
