/** Polls of a status are served from the cache and never show outdated data for longer than a second. */
import { describe, expect, test } from 'vitest';
import { claimJob, reportProgress } from '../jobs/store.ts';
import { createKey } from '../keys/keys.ts';
import { setPlan } from '../organizations/organizations.ts';
import {
  composeForTest,
  createExport,
  createTenant,
  createTestProject,
  jsonBody,
  present,
  serveForTest,
  until,
} from '../../test/support/test-context.ts';

async function setUp() {
  const context = await composeForTest();
  const tenant = await createTenant(context);
  const job = await createExport(context, tenant, await createTestProject(context, tenant));
  let queries = 0;
  const executor = context.database.getExecutor();
  const execute = executor.executeQuery.bind(executor);
  executor.executeQuery = (...args) => {
    queries += 1;
    return execute(...args);
  };
  const service = await serveForTest(context);
  const path = `/v1/static-export/jobs/${job.id}`;
  const get = (key = tenant.key.key) => service.request(path, { key });
  const read = async () => (await (await get()).json()) as { status: string; progress: number };
  return { context, tenant, job, service, path, get, read, counted: () => queries };
}

test('a hundred concurrent polls of one job share their queries', async () => {
  const { get, counted } = await setUp();
  const before = counted();
  await get();
  const one = counted() - before;
  expect(one).toBeGreaterThan(0);
  const answers = await Promise.all(Array.from({ length: 100 }, () => get()));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(1);
  // On a slow machine the cached response may expire during the requests.
  expect(counted() - before).toBeLessThan(one * 10);
});

test('the next poll shows every change of this process', async () => {
  const { context, job, read } = await setUp();
  expect((await read()).status).toBe('queued');
  const claimed = present(await claimJob(context, job.id));
  expect((await read()).status).toBe('running');
  for (const progress of [10, 20, 30]) {
    await reportProgress(context, claimed, { progress });
    expect((await read()).progress).toBe(progress);
  }
});

test('a poll after a cancellation shows it at once', async () => {
  const { service, tenant, path, read } = await setUp();
  await read();
  await service.request(`${path}/cancel`, { method: 'POST', key: tenant.key.key });
  expect((await read()).status).toBe('failed');
});

test('a change of another process that is not announced is shown within a second', async () => {
  const { context, job, read } = await setUp();
  await read();
  await context.database.updateTable('jobs').set({ progress: 55 }).where('id', '=', job.id).execute();
  await until(async () => (await read()).progress === 55, 2);
});

test('a cached status is not shown to another organization', async () => {
  const { context, get } = await setUp();
  const other = await createTenant(context, { name: 'Other' });
  expect((await get()).status).toBe(200);
  expect((await get(other.key.key)).status).toBe(404);
});

describe('a recently used key', () => {
  test('a recently used key is refused as soon as it is revoked', async () => {
    const { context, tenant, get, service } = await setUp();
    const { id, key } = await createKey(context, { name: 'Other', actor: tenant.actor });
    expect((await get(key)).status).toBe(200);
    const revoked = await service.request(`/v1/api-keys/${id}`, { method: 'DELETE', key: tenant.key.key });
    expect(revoked.status).toBe(204);
    expect((await get(key)).status).toBe(401);
  });

  test('a recently used key is refused as soon as it is rolled without an overlap', async () => {
    const { context, tenant, get, service } = await setUp();
    const { id, key } = await createKey(context, { name: 'Other', actor: tenant.actor });
    expect((await get(key)).status).toBe(200);
    const init = { ...jsonBody({ overlapSeconds: 0 }), key: tenant.key.key };
    expect((await service.request(`/v1/api-keys/${id}/roll`, init)).status).toBe(201);
    expect((await get(key)).status).toBe(401);
  });

  test('a recently used key is refused as soon as it expires', async () => {
    const { context, tenant, get } = await setUp();
    const { key } = await createKey(context, { name: 'Other', expiresInDays: 7, actor: tenant.actor });
    expect((await get(key)).status).toBe(200);
    context.clock.advance(7 * 86_400);
    expect((await get(key)).status).toBe(401);
  });

  test('a recently used key has the new plan of its organization within a second', async () => {
    const { context, tenant, service } = await setUp();
    const plan = async () => {
      const answer = await service.request('/v1/me', { key: tenant.key.key });
      return ((await answer.json()) as { organization: { plan: string } }).organization.plan;
    };
    expect(await plan()).toBe('enterprise');
    await setPlan(context, { id: tenant.organizationId, plan: 'free' });
    await until(async () => (await plan()) === 'free', 2);
  });
});
