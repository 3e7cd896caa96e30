import { createHash, randomUUID } from 'node:crypto';
import type { CreatedHookSecret, ExportJob, ForgeEvent, Project } from '@docyard/api';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { pullRequestWebhook } from '../../../../test/fakes/forges/pull-request-webhooks.ts';
import { pushWebhook, type WebhookRequest } from '../../../../test/fakes/forges/push-webhooks.ts';
import { stopAtQuery } from '../../test/support/stop-at-query.ts';
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
import { recordAudit } from '../audit/audit.ts';
import { eventHandlers } from '../event-handlers.ts';
import type { EventHandlers, HandleEvent } from './event-handlers.ts';
import { ForgeEventProcessor } from './processor.ts';

const repository = 'https://git.example.com/acme/docs.git';
const newCommit = () => createHash('sha1').update(randomUUID()).digest('hex');

let context: TestContext;
let service: TestService;
let tenant: Tenant;
let project: Project;
let secret: string;

beforeAll(async () => {
  context = await composeForTest({ LIMIT_EXPORT_STARTS_PER_HOUR: '1000', LIMIT_QUEUED: '1000' });
  service = await serveForTest(context);
});

beforeEach(async () => {
  tenant = await createTenant(context);
  project = await createTestProject(context, tenant, { repository });
  ({ secret } = await call<CreatedHookSecret>(`/v1/projects/${project.id}/hook/secret`, jsonBody({})));
});

async function call<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await service.request(path, { ...init, key: tenant.key.key });
  expect(response.status, path).toBeLessThan(300);
  return (await response.json()) as T;
}

async function deliver(request: WebhookRequest): Promise<string> {
  const response = await service.request(`/hooks/${project.id}`, { method: 'POST', ...request });
  expect(response.status).toBe(202);
  const { events } = (await response.json()) as { events: { id: string }[] };
  return present(events[0]).id;
}

const read = (id: string) => call<ForgeEvent>(`/v1/forge-events/${id}`);
const exportsOf = async () =>
  (await call<{ data: ExportJob[] }>(`/v1/static-export/jobs?domain=${project.domain}&limit=100`)).data;

/** Processes until the process ends at that query. Returns whether it ended early. */
async function interrupt(stopAt: number, handlers: EventHandlers): Promise<boolean> {
  const stopping = stopAtQuery(context, stopAt);
  await new ForgeEventProcessor(stopping.context, handlers).processDue().catch(() => undefined);
  return stopping.tried() >= stopAt;
}

/** Events that an interrupted process put off are due again. */
async function processAgain(handlers: EventHandlers): Promise<void> {
  context.clock.advance(3600);
  await new ForgeEventProcessor(context, handlers).processDue();
}

test('a process that ends before any query of a push leaves one export', async () => {
  let [stopAt, wasStopped] = [1, true];
  for (; wasStopped; stopAt += 1) {
    const before = (await exportsOf()).length;
    const id = await deliver(pushWebhook('github', { secret, repository, after: newCommit() }));
    context.clock.advance(60);
    wasStopped = await interrupt(stopAt, eventHandlers);
    await processAgain(eventHandlers);
    expect(await read(id), `stopped at query ${stopAt}`).toMatchObject({ state: 'processed' });
    const jobs = await exportsOf();
    expect(jobs.length, `stopped at query ${stopAt}`).toBe(before + 1);
    for (const { jobId } of jobs)
      await context.database
        .updateTable('jobs')
        .set({ status: 'completed' })
        .where('id', '=', jobId)
        .execute();
  }
  expect(stopAt).toBeGreaterThan(15);
});

test('a process that ends before any query of another event leaves its effects once', async () => {
  const actor = {
    organizationId: tenant.organizationId,
    projectId: project.id,
    name: 'system',
    address: null,
    requestId: null,
  };
  const handle: HandleEvent = async (inside, { event }) => {
    await recordAudit(inside, { actor, action: 'project.update', object: event.id });
    return { jobId: null };
  };
  const handlers: EventHandlers = { ...eventHandlers, pull_request: [handle] };
  let [stopAt, wasStopped] = [1, true];
  for (; wasStopped; stopAt += 1) {
    const sent = { secret, repository, headCommit: newCommit(), action: 'opened' as const };
    const id = await deliver(pullRequestWebhook('github', sent));
    wasStopped = await interrupt(stopAt, handlers);
    await processAgain(handlers);
    expect(await read(id), `stopped at query ${stopAt}`).toMatchObject({ state: 'processed' });
    const effects = await context.database
      .selectFrom('audit_log')
      .select('id')
      .where('object', '=', id)
      .execute();
    expect(effects.length, `stopped at query ${stopAt}`).toBe(1);
  }
  expect(stopAt).toBeGreaterThan(5);
});
