/** Rate limits of keys and organizations, and the limits of the queue and of event streams. */
import type { CreatedKey } from '@docyard/api';
import { describe, expect, test } from 'vitest';
import {
  composeForTest,
  createExport,
  createTenant,
  createTestProject,
  jsonBody,
  serveForTest,
  until,
} from '../../test/support/test-context.ts';

async function setUp(environment: Record<string, string>) {
  const context = await composeForTest(environment);
  const tenant = await createTenant(context);
  const service = await serveForTest(context);
  const get = (headers: Record<string, string> = {}, key = tenant.key.key) =>
    service.request('/v1/me', { headers, key });
  return { context, tenant, service, get };
}

describe('requests per minute', () => {
  test('the headers count the remaining requests down, and further requests are refused until the window ends', async () => {
    const { context, get } = await setUp({ LIMIT_READS_PER_MINUTE: '3' });
    const left: (string | null)[] = [];
    for (let request = 0; request < 3; request += 1) {
      const answer = await get();
      expect(answer.status).toBe(200);
      expect(answer.headers.get('ratelimit-policy')).toBe('"reads";q=3;w=60');
      left.push(answer.headers.get('ratelimit'));
      context.clock.advance(10);
    }
    expect(left).toEqual(['"reads";r=2;t=60', '"reads";r=1;t=50', '"reads";r=0;t=40']);
    const refused = await get();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('30');
    expect(refused.headers.get('ratelimit')).toBe('"reads";r=0;t=30');
    expect(await refused.json()).toMatchObject({
      code: 'rate_limited',
      error: 'Rate limit exceeded: 3 reads per minute. Try again in 30 s.',
    });
    context.clock.advance(30);
    expect((await get()).headers.get('ratelimit')).toBe('"reads";r=2;t=60');
  });

  test('each key has its own limits, and reads and writes are counted separately', async () => {
    const { context, service, tenant, get } = await setUp({
      LIMIT_READS_PER_MINUTE: '1',
      LIMIT_WRITES_PER_MINUTE: '1',
    });
    const other = await createTenant(context, { name: 'Other' });
    expect((await get()).status).toBe(200);
    expect((await get()).status).toBe(429);
    expect((await get({}, other.key.key)).status).toBe(200);
    const write = () => service.request('/v1/api-keys', { ...jsonBody({ name: 'CI' }), key: tenant.key.key });
    const made = await write();
    expect(made.status).toBe(201);
    expect(made.headers.get('ratelimit-policy')).toBe('"writes";q=1;w=60');
    expect((await write()).status).toBe(429);
  });

  test('a response with status 304 does not count', async () => {
    const { get } = await setUp({ LIMIT_READS_PER_MINUTE: '2' });
    const first = await get();
    const etag = first.headers.get('etag') ?? '';
    for (let request = 0; request < 5; request += 1) {
      const unchanged = await get({ 'if-none-match': etag });
      expect(unchanged.status).toBe(304);
      expect(unchanged.headers.get('ratelimit')).toBe('"reads";r=1;t=60');
    }
    expect((await get()).status).toBe(200);
    expect((await get()).status).toBe(429);
  });

  test('a failed request counts and a request without a valid key does not', async () => {
    const { service, tenant, get } = await setUp({ LIMIT_READS_PER_MINUTE: '1' });
    expect((await service.request('/v1/me', { key: 'docyard_nonsense' })).status).toBe(401);
    expect((await service.request('/v1/projects/pr_none', { key: tenant.key.key })).status).toBe(404);
    expect((await get()).status).toBe(429);
  });
});

describe('export starts per hour', () => {
  test('export starts count for the organization, independent of the key', async () => {
    const { context, service, tenant } = await setUp({ LIMIT_EXPORT_STARTS_PER_HOUR: '2' });
    await createTestProject(context, tenant, { domain: 'docs.example.com' });
    const second = await service.request('/v1/api-keys', {
      ...jsonBody({ name: 'CI' }),
      key: tenant.key.key,
    });
    const { key } = (await second.json()) as { key: string };
    const start = (with_: string) =>
      service.request('/v1/static-export/jobs', { ...jsonBody({ domain: 'docs.example.com' }), key: with_ });
    const first = await start(tenant.key.key);
    expect(first.status).toBe(202);
    expect(first.headers.get('ratelimit-policy')).toContain('"export-starts";q=2;w=3600');
    expect(first.headers.get('ratelimit')).toContain('"export-starts";r=1;');
    context.clock.advance(600);
    expect((await start(key)).status).toBe(202);
    const refused = await start(key);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('3000');
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' });
    context.clock.advance(3000);
    expect((await start(key)).status).toBe(202);
    expect((await start(key)).status).toBe(429);
  });

  test('a start that is refused does not count', async () => {
    const { context, service, tenant } = await setUp({ LIMIT_EXPORT_STARTS_PER_HOUR: '1' });
    await createTestProject(context, tenant, { domain: 'docs.example.com' });
    const start = (body: unknown) =>
      service.request('/v1/static-export/jobs', { ...jsonBody(body), key: tenant.key.key });
    expect((await start({ domain: 'other.example.com' })).status).toBe(404);
    expect((await start({ domain: '' })).status).toBe(400);
    expect((await start({ domain: 'docs.example.com' })).status).toBe(202);
  });

  test('concurrent starts do not exceed the limit', async () => {
    const { context, service, tenant } = await setUp({ LIMIT_EXPORT_STARTS_PER_HOUR: '3' });
    await createTestProject(context, tenant, { domain: 'docs.example.com' });
    const start = () =>
      service.request('/v1/static-export/jobs', {
        ...jsonBody({ domain: 'docs.example.com' }),
        key: tenant.key.key,
      });
    const statuses = (await Promise.all(Array.from({ length: 8 }, start))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
  });
});

test('a start is refused with Retry-After when the queue is full', async () => {
  const { context, service, tenant } = await setUp({ LIMIT_QUEUED_JOBS: '1' });
  await createTestProject(context, tenant, { domain: 'docs.example.com' });
  const start = () =>
    service.request('/v1/static-export/jobs', {
      ...jsonBody({ domain: 'docs.example.com' }),
      key: tenant.key.key,
    });
  expect((await start()).status).toBe(202);
  const full = await start();
  expect(full.status).toBe(503);
  expect(full.headers.get('retry-after')).toBe('60');
  expect(await full.json()).toMatchObject({ code: 'queue_full' });
});

test('one organization cannot fill the queue', async () => {
  const { context, service, tenant } = await setUp({ LIMIT_QUEUED_JOBS: '9' });
  const other = await createTenant(context, { name: 'Other' });
  for (const each of [tenant, other]) {
    await createTestProject(context, each, { domain: 'docs.example.com' });
  }
  const body = jsonBody({ domain: 'docs.example.com' });
  const startUntilFull = async ({ key }: { key: string }) => {
    for (let started = 0; ; started += 1) {
      const answer = await service.request('/v1/static-export/jobs', { ...body, key });
      if (answer.status === 202) continue;
      expect(answer.status).toBe(503);
      return { started, error: ((await answer.json()) as { error: string }).error };
    }
  };
  expect(await startUntilFull(tenant.key)).toEqual({
    started: 5,
    error: 'Your organization has 5 jobs waiting already. Try again in a minute.',
  });
  expect((await startUntilFull(other.key)).started).toBe(2);
});

describe('streams of events', () => {
  test('the number of streams is limited for each key, and a stream that ends frees its place', async () => {
    const { context, service, tenant } = await setUp({});
    const job = await createExport(context, tenant, await createTestProject(context, tenant));
    const path = `/v1/static-export/jobs/${job.id}/events`;
    const open = async (key = tenant.key.key) => {
      const abort = new AbortController();
      const answer = await service.request(path, { key, signal: abort.signal });
      return { status: answer.status, answer, close: () => abort.abort() };
    };
    const streams = await Promise.all(Array.from({ length: 100 }, () => open()));
    expect(streams.every(({ status }) => status === 200)).toBe(true);
    const refused = await open();
    expect(refused.status).toBe(429);
    expect(refused.answer.headers.get('retry-after')).toBe('10');
    expect(await refused.answer.json()).toMatchObject({ code: 'rate_limited' });
    const roll = await service.request('/v1/api-keys', { ...jsonBody({ name: 'CI' }), key: tenant.key.key });
    const second = await open(((await roll.json()) as CreatedKey).key);
    expect(second.status).toBe(200);
    second.close();
    streams[0]?.close();
    await until(async () => {
      const next = await open();
      next.close();
      return next.status === 200;
    });
    for (const stream of streams) stream.close();
  });
});
