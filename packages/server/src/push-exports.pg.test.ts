import { createHash, randomUUID } from 'node:crypto';
import type { CreatedHookSecret, ExportJob, ForgeEvent, Project } from '@docyard/api';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  noCommit,
  pushWebhook,
  webhookForges,
  type Push,
  type WebhookForge,
} from '../../../test/fakes/forges/push-webhooks.ts';
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
} from '../test/support/test-context.ts';
import { eventHandlers } from './event-handlers.ts';
import type { StartPushExport } from './forge-events/event-handlers.ts';
import { ForgeEventProcessor } from './forge-events/processor.ts';
import { claimJob } from './jobs/store.ts';
import { setPlan } from './organizations/organizations.ts';
import { startPushExport } from './push-exports.ts';

const repository = 'https://git.example.com/acme/docs.git';
const before = 'b'.repeat(40);
const commit = (name: string) => createHash('sha1').update(name).digest('hex');

let context: TestContext;
let service: TestService;
let tenant: Tenant;
let project: Project;
let secret: string;
let processor: ForgeEventProcessor;

beforeAll(async () => {
  context = await composeForTest({ LIMIT_EXPORT_STARTS_PER_HOUR: '3' });
  service = await serveForTest(context);
  processor = new ForgeEventProcessor(context, eventHandlers);
});

beforeEach(async () => {
  tenant = await createTenant(context);
  await useProject(await createTestProject(context, tenant, { repository, directory: 'docs' }));
});

async function useProject(used: Project): Promise<void> {
  project = used;
  ({ secret } = await call<CreatedHookSecret>(`/v1/projects/${used.id}/hook/secret`, jsonBody({})));
}

async function call<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await service.request(path, { ...init, key: tenant.key.key });
  expect(response.status, path).toBeLessThan(300);
  return (await response.json()) as T;
}

async function push(given: Partial<Push> = {}, forge: WebhookForge = 'github'): Promise<string> {
  const whole = { secret, repository, before, after: commit(randomUUID()), commits: [['docs/index.mdx']] };
  const request = pushWebhook(forge, { ...whole, ...given });
  const response = await service.request(`/hooks/${project.id}`, { method: 'POST', ...request });
  expect(response.status).toBe(202);
  const { events } = (await response.json()) as { events: { id: string }[] };
  return present(events[0]).id;
}

const read = (id: string) => call<ForgeEvent>(`/v1/forge-events/${id}`);
const exportsOf = async () =>
  (await call<{ data: ExportJob[] }>(`/v1/static-export/jobs?domain=${project.domain}`)).data;

/** The quiet period passes. */
async function process(seconds = 10): Promise<void> {
  await processor.processDue();
  context.clock.advance(seconds);
  await processor.processDue();
}

test.each(webhookForges)('a push of %s to the branch of the project starts an export', async (forge) => {
  const after = commit('first');
  const id = await push({ after }, forge);
  await process();
  const [job] = await exportsOf();
  expect(await read(id)).toMatchObject({ state: 'processed', jobId: job?.jobId, nextAttemptAt: null });
  expect(job).toMatchObject({ status: 'queued', trigger: { kind: 'push', eventId: id, commit: after } });
});

describe('a push is ignored', () => {
  test.each<[string, Partial<Push>, string]>([
    ['to another branch', { ref: 'refs/heads/topic' }, 'The project follows main, not topic.'],
    ['of a tag', { ref: 'refs/tags/main' }, 'Only pushes to a branch start an export.'],
    ['that deletes the branch', { after: noCommit }, 'The branch main was deleted.'],
    ['that changes nothing', { after: before }, 'The push changed nothing.'],
    ['outside the docs', { commits: [['src/a.ts'], ['docs.md']] }, 'The push changed nothing below docs.'],
    [
      'to another repository',
      { repository: 'https://git.example.com/acme/other.git' },
      'The push was to https://git.example.com/acme/other.git. The project has https://git.example.com/acme/docs.git.',
    ],
    [
      'to another host',
      { repository: 'https://git.example.org/acme/docs.git' },
      'The push was to https://git.example.org/acme/docs.git. The project has https://git.example.com/acme/docs.git.',
    ],
  ])('%s', async (_what, given, reason) => {
    const id = await push(given);
    await process();
    expect(await read(id)).toMatchObject({ state: 'ignored', reason, jobId: null });
    expect(await exportsOf()).toEqual([]);
  });

  test('while automatic exports are disabled', async () => {
    const exports = { onPush: { enabled: false } };
    await call(`/v1/projects/${project.id}`, { ...jsonBody({ exports }), method: 'PATCH' });
    const id = await push();
    await process();
    expect(await read(id)).toMatchObject({ state: 'ignored' });
  });

  test('when its commit was exported before, unless it is replayed', async () => {
    const after = commit('again');
    await push({ after });
    await process();
    const id = await push({ after });
    await process();
    expect(await read(id)).toMatchObject({ state: 'ignored' });
    await claimJob(context, present((await exportsOf())[0]).jobId);
    await call(`/v1/forge-events/${id}/replay`, jsonBody({}));
    await process();
    expect(await read(id)).toMatchObject({ state: 'processed' });
    expect(await exportsOf()).toHaveLength(2);
  });
});

describe('a push starts an export although it may have changed nothing below the docs', () => {
  test.each<[string, Partial<Push>]>([
    ['a forced push', { forced: true, commits: [['src/a.ts']] }],
    ['a push of as many commits as forges list', { commits: Array.from({ length: 20 }, () => ['src/a.ts']) }],
    ['a push without a list of commits', { commits: [] }],
  ])('%s', async (_what, given) => {
    const id = await push(given);
    await process();
    expect(await read(id)).toMatchObject({ state: 'processed' });
  });
});

describe('pushes that follow each other', () => {
  test('start one export, for the newest', async () => {
    const ids = [await push(), await push()];
    await processor.processDue();
    context.clock.advance(9);
    ids.push(await push());
    await processor.processDue();
    context.clock.advance(9);
    await processor.processDue();
    expect(await exportsOf()).toEqual([]);
    context.clock.advance(1);
    await processor.processDue();
    const [job, ...more] = await exportsOf();
    expect(more).toEqual([]);
    expect(job?.trigger?.eventId).toBe(ids[2]);
    for (const id of ids) expect(await read(id)).toMatchObject({ state: 'processed', jobId: job?.jobId });
  });

  test('delay an export by at most a minute', async () => {
    for (let second = 0; second < 60; second += 5) {
      await push();
      await processor.processDue();
      expect(await exportsOf()).toEqual([]);
      context.clock.advance(5);
    }
    await processor.processDue();
    expect(await exportsOf()).toHaveLength(1);
  });

  test('join an export that is queued, and start another one after it was claimed', async () => {
    await push();
    await process();
    const [queued] = await exportsOf();
    const joined = await push();
    await process();
    expect(await read(joined)).toMatchObject({ state: 'processed', jobId: queued?.jobId });
    expect(await exportsOf()).toHaveLength(1);
    await claimJob(context, present(queued).jobId);
    const later = await push();
    await process();
    expect((await read(later)).jobId).not.toBe(queued?.jobId);
    expect(await exportsOf()).toHaveLength(2);
  });
});

test('an event waits while the limit of export starts is reached', async () => {
  for (let count = 0; count < 3; count += 1) {
    await useProject(await createTestProject(context, tenant, { repository }));
    await push();
    await process();
    expect(await exportsOf()).toHaveLength(1);
  }
  await useProject(await createTestProject(context, tenant, { repository }));
  const id = await push();
  await process();
  expect(await read(id)).toMatchObject({
    state: 'pending',
    attempts: 1,
    reason: expect.stringContaining('3 export'),
  });
  context.clock.advance(3600);
  await processor.processDue();
  expect(await read(id)).toMatchObject({ state: 'processed', reason: null });
});

test('an event fails without the plan, and can be replayed with it', async () => {
  await setPlan(context, { id: tenant.organizationId, plan: 'free' });
  const id = await push();
  await process();
  await setPlan(context, { id: tenant.organizationId, plan: 'enterprise' });
  expect(await read(id)).toMatchObject({ state: 'failed', reason: 'The plan free has no exports.' });
  await call(`/v1/forge-events/${id}/replay`, jsonBody({}));
  await process();
  expect(await read(id)).toMatchObject({ state: 'processed' });
});

test('an interruption before the commit leaves neither an export nor a processed event', async () => {
  const interrupted: StartPushExport = async (...given) => {
    await startPushExport(...given);
    throw new Error('The process ended.');
  };
  const id = await push();
  await processor.processDue();
  context.clock.advance(10);
  await new ForgeEventProcessor(context, { ...eventHandlers, startPushExport: interrupted }).processDue();
  expect(await exportsOf()).toEqual([]);
  expect(await read(id)).toMatchObject({ state: 'pending', attempts: 1 });
  context.clock.advance(30);
  await processor.processDue();
  expect(await exportsOf()).toHaveLength(1);
});

test('several processes start one export', async () => {
  const id = await push();
  await processor.processDue();
  context.clock.advance(10);
  const others = [1, 2, 3].map(() => new ForgeEventProcessor(context, eventHandlers).processDue());
  await Promise.all([...others, processor.processDue()]);
  expect(await exportsOf()).toHaveLength(1);
  expect(await read(id)).toMatchObject({ state: 'processed' });
});

test('a push that was received earlier and stored later starts no second export', async () => {
  const late = await push();
  await context.database.updateTable('forge_events').set({ state: 'held' }).where('id', '=', late).execute();
  context.clock.advance(1);
  await push();
  await process();
  const [job] = await exportsOf();
  await claimJob(context, present(job).jobId);
  await context.database
    .updateTable('forge_events')
    .set({ state: 'pending' })
    .where('id', '=', late)
    .execute();
  await process();
  expect(await read(late)).toMatchObject({
    state: 'ignored',
    reason: `The later export ${job?.jobId} includes this push.`,
  });
  expect(await exportsOf()).toHaveLength(1);
});
