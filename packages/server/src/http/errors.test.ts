/** Error responses: one format, a closed set of codes, and no internal details. */
import { ErrorBody, errorTable, ProblemBody } from '@docyard/api';
import { beforeAll, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import { buildApp } from './app.ts';
import { listen } from './server.ts';
import { createKey, revokeKey } from '../keys/keys.ts';
import {
  cleanUp,
  composeForTest,
  createTenant,
  jsonBody,
  serveForTest,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';

let context: TestContext;
let service: TestService;
let tenant: Tenant;

beforeAll(async () => {
  context = await composeForTest();
  service = await serveForTest(context);
  tenant = await createTenant(context);
});

describe('an error response', () => {
  test('the body has the message, the code and the id of the request', async () => {
    const answer = await service.request('/v1/projects/pr_none', {
      key: tenant.key.key,
      headers: { 'x-request-id': 'abc-1' },
    });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-request-id')).toBe('abc-1');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(ErrorBody.strict().parse(await answer.json())).toEqual({
      error: 'There is no such project. List them with GET /v1/projects.',
      code: 'not_found',
      requestId: 'abc-1',
    });
  });

  test('a client that accepts application/problem+json gets the error in the format of RFC 9457', async () => {
    const answer = await service.request('/v1/api-keys', {
      ...jsonBody({ name: 'CI', extra: 1 }),
      headers: { accept: 'application/problem+json', 'content-type': 'application/json' },
      key: tenant.key.key,
    });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(ProblemBody.strict().parse(await answer.json())).toMatchObject({
      type: '/docs/reference/errors.html#invalid_request',
      title: errorTable.invalid_request.title,
      status: 400,
      code: 'invalid_request',
      errors: [{ path: 'extra' }],
    });
  });

  test.each(['a b', '<script>', 'x'.repeat(129), ''])(
    'the invalid request id %j is not echoed',
    async (given) => {
      const answer = await service.request('/healthz', { headers: { 'x-request-id': given } });
      expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f-]{36}$/);
    },
  );
});

describe('a caller without permission', () => {
  test('every kind of invalid key gets the same 401', async () => {
    const revoked = await createKey(context, { name: 'Revoked', actor: tenant.actor });
    await revokeKey(context, { keyId: revoked.id, actor: tenant.actor });
    const expired = await createKey(context, { name: 'Week', expiresInDays: 7, actor: tenant.actor });
    context.clock.advance(8 * 86_400);
    const headers = [
      undefined,
      'Bearer',
      'Bearer ',
      `Basic ${tenant.key.key}`,
      tenant.key.key,
      `Bearer ${tenant.key.key} x`,
      'Bearer docyard_nonsense',
      `Bearer ${tenant.key.key.slice(0, -1)}!`,
      `Bearer ${revoked.key}`,
      `Bearer ${expired.key}`,
    ];
    const texts = new Set<string>();
    for (const authorization of headers) {
      const answer = await service.request('/v1/me', {
        headers: { 'x-request-id': 'same', ...(authorization === undefined ? {} : { authorization }) },
      });
      expect([authorization, answer.status]).toEqual([authorization, 401]);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      texts.add(await answer.text());
    }
    expect(texts.size).toBe(1);
  });

  test('a key in the query is refused with and without a key in the header', async () => {
    for (const key of [tenant.key.key, undefined]) {
      const answer = await service.request(`/v1/me?key=${tenant.key.key}`, key === undefined ? {} : { key });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ code: 'key_in_query' });
    }
  });

  test('a key is refused from an address that is not on its list', async () => {
    const { key } = await createKey(context, {
      name: 'Far',
      allowedAddresses: ['203.0.113.0/24'],
      actor: tenant.actor,
    });
    const near = await createKey(context, {
      name: 'Near',
      allowedAddresses: ['127.0.0.0/8'],
      actor: tenant.actor,
    });
    const answer = await service.request('/v1/me', { key, headers: { 'x-forwarded-for': '203.0.113.7' } });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: 'address_refused' });
    expect((await service.request('/v1/me', { key: near.key })).status).toBe(200);
  });

  test('the last forwarded address counts behind a trusted proxy', async () => {
    const config = { ...context.config, trustProxy: true };
    const behind = await serveForTest({ ...context, config });
    const { key } = await createKey(context, {
      name: 'Far',
      allowedAddresses: ['203.0.113.0/24'],
      actor: tenant.actor,
    });
    const ask = async (forwarded: string) =>
      (await behind.request('/v1/me', { key, headers: { 'x-forwarded-for': forwarded } })).status;
    expect(await ask('203.0.113.7')).toBe(200);
    expect(await ask('198.51.100.1, 203.0.113.7')).toBe(200);
    expect(await ask('203.0.113.7, 198.51.100.1')).toBe(403);
  });

  test.each([
    { trustProxy: ['127.0.0.1'], forwarded: '203.0.113.7', status: 200 },
    { trustProxy: ['127.0.0.0/8', '10.0.0.0/8'], forwarded: '203.0.113.7, 10.1.2.3', status: 200 },
    {
      trustProxy: ['127.0.0.0/8', '10.0.0.0/8'],
      forwarded: '203.0.113.7, 198.51.100.1, 10.1.2.3',
      status: 403,
    },
    { trustProxy: ['127.0.0.0/8', '10.0.0.0/8'], forwarded: '203.0.113.7, unknown, 10.1.2.3', status: 403 },
    { trustProxy: ['10.0.0.0/8'], forwarded: '203.0.113.7', status: 403 },
    { trustProxy: false, forwarded: '203.0.113.7', status: 403 },
  ])(
    'with the proxies $trustProxy, the header $forwarded leads to $status for a key of 203.0.113.7',
    async ({ trustProxy, forwarded, status }) => {
      const config = { ...context.config, trustProxy };
      const behind = await serveForTest({ ...context, config });
      const far = { name: 'Far', allowedAddresses: ['203.0.113.7'], actor: tenant.actor };
      const { key } = await createKey(context, far);
      const answer = await behind.request('/v1/me', { key, headers: { 'x-forwarded-for': forwarded } });
      expect(answer.status).toBe(status);
    },
  );

  test('an export is refused on a plan without the feature', async () => {
    const free = await createTenant(context, { name: 'Small', plan: 'free' });
    const init = { ...jsonBody({ domain: 'docs.example.com' }), key: free.key.key };
    const answer = await service.request('/v1/static-export/jobs', init);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({
      code: 'plan_required',
      error: expect.stringContaining('Small has free') as string,
    });
  });
});

describe('a request without a matching route', () => {
  test('an unknown path is answered 404 and a wrong method 405 with the allowed methods', async () => {
    expect((await service.request('/v3/nothing')).status).toBe(404);
    const answer = await service.request('/v1/static-export/jobs', { method: 'PUT', key: tenant.key.key });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
    expect(await answer.json()).toMatchObject({
      code: 'method_not_allowed',
      error: 'PUT is not allowed here. Use GET, HEAD, POST.',
    });
  });
});

describe('an unexpected failure', () => {
  test('the response has the code internal and the request id, and the cause is only logged', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
    const broken = await composeForTest();
    const other = await createTenant(broken);
    await broken.database.schema
      .dropTable('projects')
      .execute()
      .catch(() => {});
    await broken.database.schema.dropTable('audit_log').execute();
    const app = await listen(buildApp({ ...broken, log }, new AbortController().signal), {
      host: '127.0.0.1',
      port: 0,
    });
    cleanUp(() => app.close(1));
    const answer = await fetch(`http://127.0.0.1:${app.port}/v1/audit-log`, {
      headers: { authorization: `Bearer ${other.key.key}`, 'x-request-id': 'quote-me' },
    });
    const text = await answer.text();
    expect(answer.status).toBe(500);
    expect(JSON.parse(text)).toEqual({
      error: 'Internal error. Report request quote-me to the operator.',
      code: 'internal',
      requestId: 'quote-me',
    });
    expect(text).not.toContain('audit_log');
    expect(lines.join('')).toMatch(/no such table: audit_log|relation .{1,2}audit_log.{1,2} does not exist/);
    expect(lines.join('')).toContain('quote-me');
    expect(lines.join('')).not.toContain(other.key.key);
  });
});

test('a draining server answers reads and refuses writes with Retry-After', async () => {
  const draining = await serveForTest(context);
  draining.stopping.abort();
  const write = await draining.request('/v1/api-keys', { ...jsonBody({ name: 'CI' }), key: tenant.key.key });
  expect(write.status).toBe(503);
  expect(write.headers.get('retry-after')).toBe('5');
  expect(await write.json()).toMatchObject({ code: 'draining' });
  expect((await draining.request('/v1/me', { key: tenant.key.key })).status).toBe(200);
  const ready = await draining.request('/readyz');
  expect(ready.status).toBe(503);
  const { status, checks } = (await ready.json()) as {
    status: string;
    checks: { name: string; ok: boolean }[];
  };
  expect(status).toBe('not_ready');
  expect(checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['serving']);
});
