/** A repeated POST with the same Idempotency-Key is answered with the stored first response. */
import { beforeEach, describe, expect, test } from 'vitest';
import { listKeys } from '../keys/keys.ts';
import {
  composeForTest,
  createTenant,
  createTestProject,
  everythingKept,
  jsonBody,
  serveForTest,
  temporaryFolder,
  writeFiles,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';

let context: TestContext;
let service: TestService;
let tenant: Tenant;

beforeEach(async () => {
  context = await composeForTest();
  service = await serveForTest(context);
  tenant = await createTenant(context);
});

async function post(path: string, body: unknown, idempotencyKey: string, key = tenant.key.key) {
  const init = jsonBody(body);
  const headers = { ...(init.headers as Record<string, string>), 'idempotency-key': idempotencyKey };
  const answer = await service.request(path, { ...init, headers, key });
  const json = (await answer.json()) as Record<string, unknown> & { code?: string };
  return { status: answer.status, headers: answer.headers, body: json };
}

const keyCount = async () => (await listKeys(context, { reach: tenant.actor, limit: 100 })).data.length;

describe('a repeated request', () => {
  test('a repeated request gets the same response, marked as replayed, and has no second effect', async () => {
    const first = await post('/v1/api-keys', { name: 'CI' }, 'one');
    const second = await post('/v1/api-keys', { name: 'CI' }, 'one');
    expect(first.status).toBe(201);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(await keyCount()).toBe(2);
  });

  test('a repeated request starts no second export', async () => {
    await createTestProject(context, tenant, { domain: 'docs.example.com' });
    const start = () => post('/v1/static-export/jobs', { domain: 'docs.example.com' }, 'export-1');
    const [first, second] = [await start(), await start()];
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.body['jobId']).toBe(first.body['jobId']);
    expect(await context.database.selectFrom('jobs').selectAll().execute()).toHaveLength(1);
  });

  test('a repeated request is replayed after a restart of the server', async () => {
    const first = await post('/v1/api-keys', { name: 'CI' }, 'one');
    service = await serveForTest(context);
    expect((await post('/v1/api-keys', { name: 'CI' }, 'one')).body).toEqual(first.body);
  });

  test('a repeated request counts as new after 24 hours', async () => {
    await post('/v1/api-keys', { name: 'CI' }, 'one');
    context.clock.advance(24 * 3600);
    expect((await post('/v1/api-keys', { name: 'CI' }, 'one')).headers.get('idempotency-replayed')).toBe(
      'true',
    );
    context.clock.advance(1);
    expect(
      (await post('/v1/api-keys', { name: 'CI' }, 'one')).headers.get('idempotency-replayed'),
    ).toBeNull();
    expect(await keyCount()).toBe(3);
  });

  test('a repeated request runs again when the first attempt failed', async () => {
    const start = () => post('/v1/static-export/jobs', { domain: 'docs.example.com' }, 'export-1');
    expect((await start()).status).toBe(404);
    await createTestProject(context, tenant, { domain: 'docs.example.com' });
    expect((await start()).status).toBe(202);
  });
});

describe('a reused key', () => {
  test('a key that is reused for another body or another path is refused', async () => {
    await post('/v1/api-keys', { name: 'CI' }, 'one');
    const other = await post('/v1/api-keys', { name: 'Other' }, 'one');
    const otherPath = await post(`/v1/api-keys/${tenant.key.id}/roll`, { name: 'CI' }, 'one');
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    expect(otherPath.status).toBeGreaterThanOrEqual(400);
    expect(await keyCount()).toBe(2);
  });

  test('the same key of another organization is independent', async () => {
    const other = await createTenant(context, { name: 'Other' });
    const mine = await post('/v1/api-keys', { name: 'CI' }, 'one');
    const theirs = await post('/v1/api-keys', { name: 'CI' }, 'one', other.key.key);
    expect(theirs.status).toBe(201);
    expect(theirs.body['id']).not.toBe(mine.body['id']);
  });

  test('a repeated request is answered 409 with Retry-After while the first is running', async () => {
    const folder = temporaryFolder('site');
    const docs = {
      theme: 'mint',
      name: 'S',
      colors: { primary: '#0f766e' },
      navigation: { pages: ['index'] },
    };
    writeFiles(folder, {
      'docs.json': JSON.stringify(docs),
      'index.mdx': '---\ntitle: Home\n---\n\nHello.\n',
    });
    await createTestProject(context, tenant, { domain: 'docs.example.com', repository: folder });
    // Named pages are looked up in the source before the response, so the requests overlap.
    const body = { domain: 'docs.example.com', paths: ['index'] };
    const start = () => post('/v1/static-export/jobs', body, 'export-1');
    const answers = await Promise.all([start(), start(), start()]);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    const busy = answers.filter(({ status }) => status === 409);
    expect(busy).toHaveLength(2);
    for (const answer of busy) {
      expect(answer.body.code).toBe('idempotency_in_progress');
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect((await start()).headers.get('idempotency-replayed')).toBe('true');
    expect(await context.database.selectFrom('jobs').selectAll().execute()).toHaveLength(1);
  });

  test('exactly one of many concurrent requests with the same key takes effect', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post('/v1/api-keys', { name: 'CI' }, 'one')),
    );
    const made = answers.filter(({ status }) => status === 201);
    const busy = answers.filter(({ status }) => status === 409);
    expect(made.length + busy.length).toBe(8);
    expect(new Set(made.map(({ body }) => body['id'])).size).toBe(1);
    expect(await keyCount()).toBe(2);
  });
});

test('the secret in a stored response is not readable in the data folder', async () => {
  const { body } = await post('/v1/api-keys', { name: 'CI' }, 'my-own-idempotency-key');
  const kept = everythingKept(context);
  const secret = String(body['key']);
  expect(secret).toMatch(/^docyard_/);
  expect(kept).toContain(String(body['id']));
  expect(kept).not.toContain(secret);
  expect(kept).not.toContain(Buffer.from(secret).toString('base64').slice(0, 40));
  expect(kept).not.toContain('my-own-idempotency-key');
});

test.each([' ', 'a b', 'ü', 'x'.repeat(256)])('the invalid key %j is refused', async (key) => {
  const headers = new Headers({ 'content-type': 'application/json' });
  headers.set('idempotency-key', key);
  const init = { method: 'POST', body: '{"name":"CI"}', headers, key: tenant.key.key };
  const answer = await service.request('/v1/api-keys', init);
  // A header of spaces only arrives empty.
  expect(answer.status).toBe(400);
  expect(await keyCount()).toBe(1);
});
