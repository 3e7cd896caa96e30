/** `If-Match` of a write: one of several writers with the same tag succeeds, and the caller needs the right to read. */
import { operation, type Scope } from '@docyard/api';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../keys/authenticate.ts';
import {
  composeForTest,
  createExport,
  createTenant,
  createTestProject,
  serveForTest,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';
import { conditionOf } from './conditional-write.ts';
import type { Web } from './request.ts';

const repository = 'https://git.example.com/docs.git';
let context: TestContext;
let service: TestService;
let tenant: Tenant;

beforeAll(async () => {
  context = await composeForTest();
  service = await serveForTest(context);
  tenant = await createTenant(context);
});

interface Sent {
  path: string;
  method: 'PATCH' | 'DELETE' | 'POST';
  body?: unknown;
  headers: Record<string, string>;
  key?: string;
}

async function send({ path, method, body, headers, key = tenant.key.key }: Sent): Promise<Response> {
  const type = { 'content-type': 'application/json' };
  const content = body === undefined ? null : JSON.stringify(body);
  return service.request(path, { method, key, body: content, headers: { ...type, ...headers } });
}

async function tagOf(path: string): Promise<string> {
  const answer = await service.request(path, { key: tenant.key.key });
  await answer.arrayBuffer();
  return answer.headers.get('etag') ?? '';
}

async function projectPath(): Promise<string> {
  return `/v1/projects/${(await createTestProject(context, tenant)).id}`;
}

describe('writers that send the same tag at the same time', () => {
  const count = 12;

  async function statusesOf(path: string, requests: readonly Omit<Sent, 'headers' | 'path'>[]) {
    const headers = { 'if-match': await tagOf(path) };
    const answers = await Promise.all(requests.map((each) => send({ ...each, path, headers })));
    return answers.map(({ status }) => status).toSorted();
  }

  test('one writer changes the project and the others are answered 412', async () => {
    const path = await projectPath();
    const changes = Array.from({ length: count }, (_, index) => ({
      method: 'PATCH' as const,
      body: { name: `Writer ${index}` },
    }));
    expect(await statusesOf(path, changes)).toEqual([200, ...Array(count - 1).fill(412)]);
  });

  test('one writer changes the settings of the agent and the others are answered 412', async () => {
    const path = await projectPath();
    const changes = Array.from({ length: count }, (_, index) => ({
      method: 'PATCH' as const,
      body: { agent: { instructions: `Write as writer ${index}.` } },
    }));
    expect(await statusesOf(path, changes)).toEqual([200, ...Array(count - 1).fill(412)]);
  });

  test('one writer changes the webhook and the others are answered 412', async () => {
    const body = { url: 'https://hooks.example.com/a', events: ['export.completed'] };
    const made = await send({ path: '/v1/webhooks', method: 'POST', body, headers: {} });
    const { id } = (await made.json()) as { id: string };
    const changes = Array.from({ length: count }, (_, index) => ({
      method: 'PATCH' as const,
      body: { url: `https://hooks.example.com/${index}` },
    }));
    expect(await statusesOf(`/v1/webhooks/${id}`, changes)).toEqual([200, ...Array(count - 1).fill(412)]);
  });

  test('one writer creates a project when the tag is that of the list', async () => {
    const creations = Array.from({ length: 4 }, (_, index) => ({
      method: 'POST' as const,
      body: {
        name: 'Docs',
        domain: `writer-${index}.example.com`,
        source: { repository },
      },
    }));
    expect(await statusesOf('/v1/projects', creations)).toEqual([201, 412, 412, 412]);
  });
});

test('a write without a condition does not run between the comparison and the write of another', async () => {
  const path = await projectPath();
  for (let round = 0; round < 5; round += 1) {
    const headers = { 'if-match': await tagOf(path) };
    const guarded = { path, method: 'PATCH' as const, headers, body: { name: `Guarded ${round}` } };
    const plain = { ...guarded, headers: {}, body: { source: { repository, directory: `docs-${round}` } } };
    const [conditional, unconditional] = await Promise.all([send(guarded), send(plain)]);
    expect(unconditional.status).toBe(200);
    expect([200, 412]).toContain(conditional.status);
    const answered = (await conditional.json()) as { source?: { directory: string | null } };
    // An accepted conditional change ran before the unconditional one.
    if (conditional.status === 200) expect(answered.source?.directory).not.toBe(`docs-${round}`);
  }
});

test('an export is deleted only with its current tag', async () => {
  const project = await createTestProject(context, tenant);
  const job = await createExport(context, tenant, project);
  const path = `/v1/static-export/jobs/${job.id}`;
  const remove = (tag: string) => send({ path, method: 'DELETE', headers: { 'if-match': tag } });
  expect((await remove('"other"')).status).toBe(412);
  expect((await remove(await tagOf(path))).status).not.toBe(412);
});

test('a caller without the right to read a resource is refused a condition on it', () => {
  const write = (scopes: Scope[]) =>
    conditionOf({
      web: { req: { header: (name: string) => (name === 'if-match' ? '*' : undefined) } } as Web,
      described: operation('updateProject'),
      caller: { scopes, projectId: null, user: null } as unknown as Caller,
      params: {},
      read: () => Promise.reject(new Error('The resource was read.')),
    });
  expect(() => write(['webhooks:write'])).toThrow('lacks the scope projects:read');
  expect(write(['projects:read'])).toBeDefined();
});

test('a repeated creation is replayed by its Idempotency-Key although its condition no longer holds', async () => {
  const body = { url: 'https://hooks.example.com/again', events: ['export.completed'] };
  const headers = { 'if-match': await tagOf('/v1/webhooks'), 'idempotency-key': 'again' };
  const sent = { path: '/v1/webhooks', method: 'POST' as const, body, headers };
  const first = await send(sent);
  expect(first.status).toBe(201);
  const second = await send(sent);
  expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
});
