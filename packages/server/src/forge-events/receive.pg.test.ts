import { createHmac } from 'node:crypto';
import type { CreatedHookSecret, ForgeEvent, Project } from '@docyard/api';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  noCommit,
  pushWebhook,
  testWebhook,
  webhookForges,
  type Push,
  type WebhookRequest,
} from '../../../../test/fakes/forges/push-webhooks.ts';
import {
  composeForTest,
  createTenant,
  createTestProject,
  everythingKept,
  jsonBody,
  serveForTest,
  type Tenant,
  type TestContext,
  type TestService,
} from '../../test/support/test-context.ts';
import { sweepForgeEvents } from './events.ts';

const repository = 'https://git.example.com/acme/docs.git';
const after = 'a'.repeat(40);

let context: TestContext;
let service: TestService;
let tenant: Tenant;
let project: Project;
let hook: CreatedHookSecret;

beforeAll(async () => {
  context = await composeForTest();
  service = await serveForTest(context);
});

beforeEach(async () => {
  tenant = await createTenant(context);
  project = await createTestProject(context, tenant, { repository });
  hook = await createSecret();
});

async function call<T>(path: string, init: RequestInit = {}, key = tenant.key.key): Promise<T> {
  const response = await service.request(path, { ...init, key });
  expect(response.status, path).toBeLessThan(300);
  return (await response.json()) as T;
}

const createSecret = (body: object = {}) =>
  call<CreatedHookSecret>(`/v1/projects/${project.id}/hook/secret`, jsonBody(body));

const deliver = (request: WebhookRequest, projectId = project.id) =>
  service.request(`/hooks/${projectId}`, { method: 'POST', ...request });

const push = (given: Partial<Push> = {}) => ({ secret: hook.secret, repository, after, ...given });

const list = async (query = '') =>
  (await call<{ data: ForgeEvent[] }>(`/v1/forge-events?projectId=${project.id}${query}`)).data;

describe('a push', () => {
  test.each(webhookForges)('of %s is stored before it is acknowledged', async (forge) => {
    const response = await deliver(
      pushWebhook(forge, push({ deliveryId: 'delivery-1', before: 'b'.repeat(40) })),
    );
    expect(response.status).toBe(202);
    const [event] = await list();
    expect(await response.json()).toEqual({ events: [{ id: event?.id, state: 'pending', reason: null }] });
    expect(event).toMatchObject({
      projectId: project.id,
      forge,
      deliveryId: 'delivery-1',
      kind: 'push',
      ref: 'refs/heads/main',
      before: 'b'.repeat(40),
      after,
      actor: 'ada',
      state: 'pending',
      jobId: null,
    });
    expect(await call(`/v1/forge-events/${event?.id}`)).toEqual(event);
  });

  test('that a forge delivers twice is stored once', async () => {
    const request = pushWebhook('github', push());
    const [first, second] = [await deliver(request), await deliver(request)];
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(await second.json()).toEqual(await first.json());
    expect(await list()).toHaveLength(1);
  });

  test('to several refs at once is one event for each', async () => {
    const { headers, body } = pushWebhook('bitbucket-data-center', push());
    const payload = JSON.parse(body) as { changes: object[] };
    const tag = { ref: { id: 'refs/tags/v1' }, fromHash: noCommit, toHash: after };
    const both = JSON.stringify({ ...payload, changes: [...payload.changes, tag] });
    const signature = `sha256=${createHmac('sha256', hook.secret).update(both).digest('hex')}`;
    await deliver({ headers: { ...headers, 'x-hub-signature': signature }, body: both });
    expect((await list()).map(({ ref }) => ref)).toEqual(['refs/tags/v1', 'refs/heads/main']);
  });

  test('is found by its state and kind', async () => {
    await deliver(pushWebhook('github', push()));
    await deliver(testWebhook('github', hook));
    expect((await list('&state=pending')).map(({ kind }) => kind)).toEqual(['push']);
    expect((await list('&kind=test')).map(({ state }) => state)).toEqual(['ignored']);
  });
});

describe('an event without an effect is acknowledged and ignored', () => {
  test.each(['github', 'bitbucket-data-center'] as const)('the test of %s', async (forge) => {
    expect((await deliver(testWebhook(forge, hook))).status).toBe(202);
    expect(await list()).toMatchObject([{ kind: 'test', state: 'ignored' }]);
  });

  test('one of another type', async () => {
    const { headers, body } = pushWebhook('github', push());
    await deliver({ headers: { ...headers, 'x-github-event': 'star' }, body });
    const reason = expect.stringContaining('star');
    expect(await list()).toMatchObject([{ kind: 'other', name: 'star', state: 'ignored', reason }]);
  });

  test.each([
    ['a list', '[]'],
    ['null', 'null'],
    ['a push without its commit', '{"ref":"refs/heads/main"}'],
    ['a ref with a null character', JSON.stringify({ ref: 'refs/heads/\0', before: noCommit, after })],
  ])('a payload that is %s', async (_what, body) => {
    const { headers } = pushWebhook('gitlab', push());
    expect((await deliver({ headers, body })).status).toBe(202);
    expect(await list()).toMatchObject([{ kind: 'other', state: 'ignored' }]);
  });

  test('one of a forge that the project does not have', async () => {
    const change = { agent: { forge: { kind: 'gitea' } } };
    await call(`/v1/projects/${project.id}`, { ...jsonBody(change), method: 'PATCH' });
    await deliver(pushWebhook('github', push()));
    const reason = 'The project has the forge gitea, but github sent the event.';
    expect(await list()).toMatchObject([{ state: 'ignored', reason }]);
  });
});

describe('a request is refused', () => {
  const refusal = async (response: Response) => ({
    status: response.status,
    headers: [...response.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date'),
    body: { ...((await response.json()) as object), requestId: '' },
  });

  test('equally for a wrong secret, an unknown project and a project without a hook', async () => {
    const other = await createTestProject(context, tenant, { repository });
    const answers = await Promise.all([
      deliver(pushWebhook('github', push({ secret: 'wrong' }))).then(refusal),
      deliver(pushWebhook('github', push()), 'pr_0000000000000000').then(refusal),
      deliver(pushWebhook('github', push()), other.id).then(refusal),
      deliver({ headers: { 'content-type': 'application/json' }, body: '{}' }).then(refusal),
    ]);
    expect(answers[0]?.status).toBe(404);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await list()).toEqual([]);
  });

  test('with the secret of another tenant', async () => {
    const theirs = await createTestProject(context, await createTenant(context), { repository });
    expect((await deliver(pushWebhook('github', push()), theirs.id)).status).toBe(404);
  });

  test('when its body was changed after signing', async () => {
    const { headers, body } = pushWebhook('github', push());
    expect((await deliver({ headers, body: `${body} ` })).status).toBe(404);
  });

  test('as a form', async () => {
    const { headers, body } = pushWebhook('github', push());
    const form = { headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' }, body };
    expect((await deliver(form)).status).toBe(415);
  });

  test('above the maximum size', async () => {
    const { headers } = pushWebhook('gitlab', push());
    expect((await deliver({ headers, body: ' '.repeat(5_000_001) })).status).toBe(413);
  });

  test('when it is not JSON', async () => {
    const { headers } = pushWebhook('gitlab', push());
    expect((await deliver({ headers, body: '{' })).status).toBe(400);
  });
});

test('events above the rate limit of a project are refused, and forged ones do not count', async () => {
  const limited = await composeForTest({ LIMIT_WRITES_PER_MINUTE: '2' });
  const { request } = await serveForTest(limited);
  const own = await createTenant(limited);
  const { id } = await createTestProject(limited, own, { repository });
  const created = await request(`/v1/projects/${id}/hook/secret`, { ...jsonBody({}), key: own.key.key });
  const { secret } = (await created.json()) as CreatedHookSecret;
  const post = (given: Partial<Push>) =>
    request(`/hooks/${id}`, { method: 'POST', ...pushWebhook('github', push({ secret, ...given })) });
  for (let count = 0; count < 3; count += 1) expect((await post({ secret: 'wrong' })).status).toBe(404);
  expect([(await post({})).status, (await post({})).status]).toEqual([202, 202]);
  const refused = await post({});
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await limited.database.selectFrom('forge_events').selectAll().execute()).toHaveLength(2);
});

describe('the secret', () => {
  test('is returned once and stored encrypted', async () => {
    expect(hook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const read = await call(`/v1/projects/${project.id}/hook`);
    const { secret, ...view } = hook;
    expect(read).toEqual(view);
    expect(view).toMatchObject({ url: `${service.origin}/hooks/${project.id}`, enabled: true });
    expect(everythingKept(context)).not.toContain(secret.slice('whsec_'.length));
  });

  test('stays valid beside a new one until the overlap ends', async () => {
    const replaced = await createSecret({ overlapSeconds: 60 });
    const statusWith = async ({ secret }: { secret: string }) =>
      (await deliver(pushWebhook('github', push({ secret })))).status;
    expect([await statusWith(hook), await statusWith(replaced)]).toEqual([202, 202]);
    context.clock.advance(61);
    expect([await statusWith(hook), await statusWith(replaced)]).toEqual([404, 202]);
  });

  test('is deleted when the hook is disabled', async () => {
    const path = `/v1/projects/${project.id}/hook`;
    const disabled = await service.request(`${path}/secret`, { method: 'DELETE', key: tenant.key.key });
    expect(disabled.status).toBe(204);
    expect(await call(path)).toMatchObject({ enabled: false, secretCreatedAt: null });
    expect((await deliver(pushWebhook('github', push()))).status).toBe(404);
  });
});

test('a replayed event is pending again, and a pending one is not changed', async () => {
  await deliver(pushWebhook('github', push()));
  const [event] = await list();
  const path = `/v1/forge-events/${event?.id}/replay`;
  expect(await call(path, jsonBody({}))).toEqual(event);
  await context.database.updateTable('forge_events').set({ state: 'failed' }).execute();
  expect(await call(path, jsonBody({}))).toMatchObject({ id: event?.id, state: 'pending', attempts: 0 });
});

test('events are deleted after 30 days, and with their project', async () => {
  await deliver(testWebhook('github', hook));
  await deliver(pushWebhook('github', push()));
  context.clock.advance(30 * 86_400 + 1);
  await sweepForgeEvents(context);
  expect((await list()).map(({ state }) => state)).toEqual(['pending']);
  const deleted = await service.request(`/v1/projects/${project.id}`, {
    method: 'DELETE',
    key: tenant.key.key,
  });
  expect(deleted.status).toBe(204);
  expect((await call<{ data: ForgeEvent[] }>('/v1/forge-events')).data).toEqual([]);
  expect((await deliver(pushWebhook('github', push()))).status).toBe(404);
});
