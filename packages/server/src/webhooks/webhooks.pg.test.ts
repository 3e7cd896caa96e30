import { webhookEvents } from '@docyard/api';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listAuditLog } from '../audit/audit.ts';
import {
  composeForTest,
  createTenant,
  everythingKept,
  type Tenant,
  type TestContext,
} from '../../test/support/test-context.ts';
import { signatures } from './secrets.ts';
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  rotateOrganizationSecret,
  rotateWebhookSecret,
  updateWebhook,
} from './webhooks.ts';

let context: TestContext;
let tenant: Tenant;

beforeAll(async () => {
  context = await composeForTest({ EGRESS_ALLOW: 'hooks.internal:8080' });
});

beforeEach(async () => {
  tenant = await createTenant(context);
});

const create = (given: Partial<Parameters<typeof createWebhook>[1]> = {}) =>
  createWebhook(context, { url: 'https://ci.example.com/hook', actor: tenant.actor, ...given });

test('a webhook subscribes to all events by default', async () => {
  const all = await create();
  const some = await create({ events: ['export.completed'], description: 'Publishes' });
  expect(all).toMatchObject({ events: Object.keys(webhookEvents), enabled: true, jobId: null });
  expect(all.id).toMatch(/^wh_[0-9a-f]{16}$/);
  expect(some).toMatchObject({ events: ['export.completed'], description: 'Publishes' });
  const { data } = await listWebhooks(context, { organizationId: tenant.organizationId });
  const { secret: _secret, ...view } = some;
  expect(data[0]).toEqual(view);
});

test('the secret is returned once and stored encrypted', async () => {
  const { secret } = await create();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(everythingKept(context)).not.toContain(secret.slice('whsec_'.length));
});

describe('rotation', () => {
  const message = { id: 'msg_1', timestamp: 1, body: '{}' };
  const inSeconds = (seconds: number) =>
    new Date(context.clock.now().getTime() + seconds * 1000).toISOString();

  test('signs with both secrets until the overlap ends', async () => {
    const { id } = await create();
    const before = await signatures(context, id, message);
    const given = { webhookId: id, overlapSeconds: 60, actor: tenant.actor };
    const { oldValidUntil } = await rotateWebhookSecret(context, given);
    expect(oldValidUntil).toBe(inSeconds(60));
    const during = (await signatures(context, id, message)).split(' ');
    expect(during).toHaveLength(2);
    expect(during[1]).toBe(before);
    context.clock.advance(60);
    expect(await signatures(context, id, message)).toBe(during[0]);
  });

  test('an organization has a separate secret for the webhooks of jobs', async () => {
    const { actor, organizationId } = tenant;
    const first = await rotateOrganizationSecret(context, { actor });
    expect(first).toMatchObject({ secret: expect.stringMatching(/^whsec_/), oldValidUntil: null });
    const second = await rotateOrganizationSecret(context, { actor });
    expect(second.oldValidUntil).toBe(inSeconds(86_400));
    expect((await signatures(context, organizationId, message)).split(' ')).toHaveLength(2);
  });
});

describe('an address', () => {
  test.each([
    ['http://ci.example.com/', 'Plain http is not allowed.'],
    ['https://127.0.0.1/', 'private address'],
    ['https://[::1]:8443/', 'private address'],
    ['https://169.254.169.254/latest', 'private address'],
  ])('%s is refused', async (url, message) => {
    const refused = { code: 'invalid_request', message: expect.stringContaining(message) };
    await expect(create({ url })).rejects.toMatchObject(refused);
    const { id: webhookId } = await create();
    const change = { webhookId, change: { url }, actor: tenant.actor };
    await expect(updateWebhook(context, change)).rejects.toMatchObject(refused);
  });

  test('listed by the operator may be private and use http', async () => {
    expect((await create({ url: 'http://hooks.internal:8080/x' })).url).toBe('http://hooks.internal:8080/x');
  });
});

test('each organization has at most 20 webhooks', async () => {
  const made = await Promise.allSettled(Array.from({ length: 25 }, () => create()));
  const refused = made.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
  expect(refused).toHaveLength(5);
  expect(refused[0]).toMatchObject({ code: 'webhook_limit', status: 409 });
  const other = await createTenant(context, { name: 'Other' });
  const theirs = await create({ actor: other.actor });
  const found = { code: 'not_found' };
  const { actor } = tenant;
  await expect(findWebhook(context, { id: theirs.id, ...tenant })).rejects.toMatchObject(found);
  await expect(deleteWebhook(context, { webhookId: theirs.id, actor })).rejects.toMatchObject(found);
  await expect(rotateWebhookSecret(context, { webhookId: theirs.id, actor })).rejects.toMatchObject(found);
});

test('every change is in the audit log without the path of the URL', async () => {
  const { actor, organizationId } = tenant;
  const { id: webhookId } = await create({ url: 'https://ci.example.com/token-in-the-path' });
  await updateWebhook(context, { webhookId, change: { description: 'New' }, actor });
  await rotateWebhookSecret(context, { webhookId, actor });
  await deleteWebhook(context, { webhookId, actor });
  const { data } = await listAuditLog(context, { organizationId });
  const ours = data
    .filter(({ object }) => object === webhookId)
    .map(({ action, details }) => [action, details]);
  expect(ours).toEqual([
    ['webhook.delete', {}],
    ['webhook.rotate_secret', {}],
    ['webhook.update', { fields: ['description'] }],
    ['webhook.create', { host: 'ci.example.com' }],
  ]);
});

test('a deleted webhook leaves no secret behind', async () => {
  const { id: webhookId } = await create();
  await deleteWebhook(context, { webhookId, actor: tenant.actor });
  const left = context.database.selectFrom('webhook_secrets').selectAll().where('owner', '=', webhookId);
  expect(await left.execute()).toEqual([]);
});
