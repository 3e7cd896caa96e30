/** Messages are signed, delivered at least once and retried; receivers do not affect each other. */
import type { WebhookDelivery, WebhookEvent } from '@docyard/api';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseEgressRules } from '../egress/rules.ts';
import { viewExport } from '../exports/view.ts';
import { listAuditLog } from '../audit/audit.ts';
import {
  composeForTest,
  createCompletedExport,
  createTenant,
  createTestProject,
  FakeClock,
  present,
  until,
  type Tenant,
  type TestContext,
} from '../../test/support/test-context.ts';
import { retrySeconds } from './attempts.ts';
import { WebhookDeliverer } from './deliverer.ts';
import {
  listDeliveries,
  readDeliveryWithBody,
  redeliver,
  sendNow,
  sendTest,
  sweepWebhooks,
} from './deliveries.ts';
import { startReceiver, type Receiver } from '../../test/support/webhook-receiver.ts';
import { createWebhook, findWebhook, rotateWebhookSecret, updateWebhook } from './webhooks.ts';

let receiver: Receiver;
let context: TestContext;
let tenant: Tenant;

beforeEach(async () => {
  receiver = await startReceiver();
  // Verifiers compare timestamps with the current time.
  const clock = new FakeClock(new Date().toISOString());
  context = { ...(await composeForTest({ EGRESS_ALLOW: `webhook:${receiver.host}` })), clock };
  tenant = await createTenant(context);
});

const started: WebhookDeliverer[] = [];

function startDeliverer(): WebhookDeliverer {
  const deliverer = new WebhookDeliverer(context, { pollSeconds: 0.03 });
  deliverer.start();
  started.push(deliverer);
  return deliverer;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map((deliverer) => deliverer.stop()));
});

const create = (given: { events?: WebhookEvent[]; path?: string; of?: Tenant } = {}) =>
  createWebhook(context, {
    url: `${receiver.origin}${given.path ?? '/hook'}`,
    actor: (given.of ?? tenant).actor,
    ...(given.events === undefined ? {} : { events: given.events }),
  });

const deliveriesOf = async (webhookId: string): Promise<WebhookDelivery[]> =>
  (await listDeliveries(context, { webhookId, organizationId: tenant.organizationId })).data;
const onlyDelivery = async (webhookId: string) => present((await deliveriesOf(webhookId))[0]);
const sendOne = (webhookId: string, of = tenant) => sendTest(context, { webhookId, actor: of.actor });

async function untilSent(count: number): Promise<void> {
  await until(() => receiver.received.length >= count);
}

async function untilStatus(webhookId: string, status: WebhookDelivery['status']): Promise<WebhookDelivery> {
  await until(async () => (await onlyDelivery(webhookId)).status === status);
  return onlyDelivery(webhookId);
}

/** Lets an attempt fail, then advances the clock to the next one. */
async function failOnce(webhookId: string, attempt: number): Promise<void> {
  await until(async () => (await onlyDelivery(webhookId)).attempts.length === attempt);
  const { nextAttemptAt } = await onlyDelivery(webhookId);
  if (nextAttemptAt === null) return;
  context.clock.advance((Date.parse(nextAttemptAt) - context.clock.now().getTime()) / 1000);
}

describe('without outbound connections', () => {
  const goOffline = (offline: boolean): void => {
    // A host name that must not be resolved.
    const egress = { rules: parseEgressRules(offline ? '' : `webhook:${receiver.host}`), offline };
    context = { ...context, config: { ...context.config, egress } };
  };

  test('messages wait without counting attempts and arrive once connections are allowed', async () => {
    const { id } = await create();
    for (let count = 0; count < 3; count++) await sendOne(id);
    const written = (await deliveriesOf(id)).map(({ messageId }) => messageId);
    goOffline(true);
    const offline = startDeliverer();
    const isHeld = ({ nextAttemptAt }: WebhookDelivery): boolean =>
      Date.parse(nextAttemptAt ?? '') > context.clock.now().getTime();
    await until(async () => (await deliveriesOf(id)).every(isHeld));
    await offline.stop();
    expect(receiver.received).toEqual([]);
    for (const delivery of await deliveriesOf(id))
      expect(delivery).toMatchObject({ status: 'pending', attempts: [] });
    expect(await findWebhook(context, { id, ...tenant })).toMatchObject({
      enabled: 1,
      failing_since: null,
    });
    goOffline(false);
    context.clock.advance(61);
    startDeliverer();
    await untilSent(3);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids.toSorted()).toEqual(written.toSorted());
  });

  test('a listed receiver on this machine still receives messages', async () => {
    context = {
      ...context,
      config: {
        ...context.config,
        egress: { rules: parseEgressRules(`webhook:${receiver.host}`), offline: true },
      },
    };
    const { id } = await create();
    await sendOne(id);
    startDeliverer();
    await untilStatus(id, 'delivered');
  });
});

describe('a message', () => {
  test('carries the record of the job and a verifiable signature', async () => {
    const { secret } = await create({ events: ['export.completed'] });
    const job = await createCompletedExport(context, tenant, await createTestProject(context, tenant));
    startDeliverer();
    await untilSent(1);
    const [{ headers, body, path }] = receiver.received as [Receiver['received'][0]];
    const verified = new Verifier(secret).verify(body, headers as Record<string, string>);
    const data = JSON.parse(JSON.stringify(viewExport(job))) as unknown;
    expect(verified).toEqual({ type: 'export.completed', timestamp: job.updated_at, data });
    expect(path).toBe('/hook');
    expect(headers['content-type']).toBe('application/json');
    expect(() => new Verifier('whsec_c29tZWJvZHkgZWxzZQ==').verify(body, headers as never)).toThrow();
  });

  test('verifies with both secrets during a rotation', async () => {
    const { id: webhookId, secret: old } = await create();
    const rotated = await rotateWebhookSecret(context, {
      webhookId,
      overlapSeconds: 60,
      actor: tenant.actor,
    });
    await sendOne(webhookId);
    startDeliverer();
    await untilSent(1);
    const [{ headers, body }] = receiver.received as [Receiver['received'][0]];
    for (const secret of [old, rotated.secret]) {
      expect(new Verifier(secret).verify(body, headers as Record<string, string>)).toMatchObject({
        type: 'webhook.test',
        data: { id: webhookId },
      });
    }
  });

  test('is logged with its response', async () => {
    const { id } = await create();
    await sendOne(id);
    receiver.answer = (response) => response.writeHead(200).end(`\0${'ä'.repeat(600)}`);
    startDeliverer();
    const { attempts, messageId, finishedAt, nextAttemptAt } = await untilStatus(id, 'delivered');
    expect(attempts).toMatchObject([{ status: 200, error: null, durationMs: expect.any(Number) }]);
    expect(attempts[0]?.response).toBe(`\ufffd${'ä'.repeat(511)}\ufffd`);
    expect(receiver.received[0]?.headers['webhook-id']).toBe(messageId);
    expect([finishedAt, nextAttemptAt]).toEqual([context.clock.now().toISOString(), null]);
  });

  test('counts as delivered by its status even if the response never ends', async () => {
    const { id } = await create();
    await sendOne(id);
    receiver.answer = (response) => {
      response.writeHead(202);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    };
    startDeliverer();
    expect((await untilStatus(id, 'delivered')).attempts[0]?.response).toBe('x'.repeat(1024));
  });
});

describe('a failure', () => {
  test('is retried with the same id and growing delays, and finally fails', async () => {
    const { id } = await create();
    await sendOne(id);
    receiver.answer = 500;
    startDeliverer();
    const waits: number[] = [];
    for (let attempt = 1; attempt <= retrySeconds.length; attempt += 1) {
      const before = context.clock.now().getTime();
      await failOnce(id, attempt);
      waits.push((context.clock.now().getTime() - before) / 1000);
    }
    const { attempts } = await untilStatus(id, 'failed');
    expect(attempts).toHaveLength(8);
    expect(attempts.map(({ error }) => error)).toEqual(Array(8).fill('Responded with status 500.'));
    for (const [index, seconds] of retrySeconds.entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(seconds * 0.9 - 0.001);
      expect(waits[index]).toBeLessThanOrEqual(seconds * 1.1 + 0.001);
    }
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(8);
    expect(await findWebhook(context, { id, ...tenant })).toMatchObject({ enabled: 1 });
  });

  test('is retried no earlier than Retry-After', async () => {
    const { id } = await create();
    await sendOne(id);
    receiver.answer = (response) => response.writeHead(503, { 'retry-after': '1234' }).end();
    startDeliverer();
    await until(async () => (await onlyDelivery(id)).attempts.length === 1);
    const due = Date.parse(present((await onlyDelivery(id)).nextAttemptAt));
    expect(due - context.clock.now().getTime()).toBe(1_234_000);
  });

  test('is cleared by the next success', async () => {
    const { id } = await create();
    await sendOne(id);
    receiver.answer = 500;
    startDeliverer();
    await until(async () => (await onlyDelivery(id)).attempts.length === 1);
    expect((await findWebhook(context, { id, ...tenant })).failing_since).not.toBeNull();
    receiver.answer = 200;
    await failOnce(id, 1);
    await untilStatus(id, 'delivered');
    expect((await findWebhook(context, { id, ...tenant })).failing_since).toBeNull();
  });

  test('is recorded for a redirect, which is not followed', async () => {
    const { id } = await create();
    await sendOne(id);
    receiver.answer = (response) => response.writeHead(302, { location: `${receiver.origin}/other` }).end();
    startDeliverer();
    await until(async () => (await onlyDelivery(id)).attempts.length === 1);
    expect((await onlyDelivery(id)).attempts[0]?.error).toMatch(/Redirects are not followed/);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
  });

  test('is recorded for a name with a private address, which is not dialed', async () => {
    const url = `https://localhost:${receiver.host.split(':')[1]}/`;
    const { id } = await createWebhook(context, { url, actor: tenant.actor });
    await sendOne(id);
    startDeliverer();
    await until(async () => (await onlyDelivery(id)).attempts.length === 1);
    const [attempt] = (await onlyDelivery(id)).attempts;
    expect(attempt).toMatchObject({ status: null, error: 'The host localhost is at a private address.' });
    expect(receiver.received).toEqual([]);
  });
});

describe('a webhook is disabled', () => {
  const lastAudit = async () => {
    const { data } = await listAuditLog(context, { organizationId: tenant.organizationId });
    return present(data[0]);
  };

  test('when it answers 410, and its pending deliveries fail', async () => {
    const { id } = await create();
    await sendOne(id);
    receiver.answer = 410;
    startDeliverer();
    await untilStatus(id, 'failed');
    const webhook = await findWebhook(context, { id, ...tenant });
    expect(webhook).toMatchObject({ enabled: 0, disabled_reason: 'gone' });
    expect(await lastAudit()).toMatchObject({ actor: 'system', action: 'webhook.disable', object: id });
    await expect(sendOne(id)).rejects.toMatchObject({ code: 'webhook_disabled' });
  });

  test('when a message fails finally after five days without success', async () => {
    const { id } = await create();
    await sendOne(id);
    receiver.answer = 500;
    startDeliverer();
    await until(async () => (await onlyDelivery(id)).attempts.length === 1);
    context.clock.advance(5 * 86_400);
    for (let attempt = 2; attempt <= 8; attempt += 1) await failOnce(id, attempt);
    await untilStatus(id, 'failed');
    const webhook = await findWebhook(context, { id, ...tenant });
    expect(webhook).toMatchObject({ enabled: 0, disabled_reason: 'failing' });
  });

  test('by its owner, and nothing is sent until it is enabled again', async () => {
    const { id } = await create();
    await sendOne(id);
    const change = (enabled: boolean) =>
      updateWebhook(context, { webhookId: id, change: { enabled }, actor: tenant.actor });
    await change(false);
    expect((await onlyDelivery(id)).status).toBe('failed');
    await change(true);
    startDeliverer();
    await sendOne(id);
    await untilSent(1);
    expect((await deliveriesOf(id)).map(({ status }) => status)).toContain('failed');
  });
});

describe('redelivery', () => {
  test('sends the same message again with a new series of retries', async () => {
    const { id } = await create();
    await sendOne(id);
    startDeliverer();
    const { id: deliveryId } = await untilStatus(id, 'delivered');
    receiver.answer = 500;
    const again = await redeliver(context, { webhookId: id, deliveryId, actor: tenant.actor });
    expect(again).toMatchObject({ status: 'pending', finishedAt: null });
    await untilSent(2);
    const [first, second] = receiver.received;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    const { organizationId } = tenant.actor;
    const kept = await readDeliveryWithBody(context, { webhookId: id, deliveryId, organizationId });
    expect(kept.body).toBe(first?.body);
    for (let attempt = 2; attempt <= 9; attempt += 1) await failOnce(id, attempt);
    expect((await untilStatus(id, 'failed')).attempts).toHaveLength(9);
  });
});

describe('a pending delivery that is sent now', () => {
  test('is attempted immediately and keeps its remaining attempts', async () => {
    const { id } = await create();
    await sendOne(id);
    receiver.answer = 500;
    startDeliverer();
    await until(async () => (await onlyDelivery(id)).attempts.length === 1);
    const { id: deliveryId, nextAttemptAt } = await onlyDelivery(id);
    expect(nextAttemptAt).not.toBe(null);
    const now = await sendNow(context, { webhookId: id, deliveryId, actor: tenant.actor });
    expect(now.nextAttemptAt).toBe(context.clock.now().toISOString());
    for (let attempt = 2; attempt <= 8; attempt += 1) await failOnce(id, attempt);
    expect((await untilStatus(id, 'failed')).attempts).toHaveLength(8);
  });

  test('is refused once it has ended', async () => {
    const { id } = await create();
    await sendOne(id);
    startDeliverer();
    const { id: deliveryId } = await untilStatus(id, 'delivered');
    await expect(sendNow(context, { webhookId: id, deliveryId, actor: tenant.actor })).rejects.toMatchObject({
      code: 'delivery_finished',
    });
  });
});

describe('several processes', () => {
  test('deliver each message once between them', async () => {
    const { id } = await create();
    for (let count = 0; count < 30; count += 1) await sendOne(id);
    for (let count = 0; count < 3; count += 1) startDeliverer();
    const left = () =>
      context.database
        .selectFrom('webhook_deliveries')
        .where('status', '=', 'pending')
        .select('id')
        .execute();
    await until(async () => (await left()).length === 0);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect([ids.length, new Set(ids).size]).toEqual([30, 30]);
  });

  test('send the deliveries of a killed process again once its claims have expired', async () => {
    const { id } = await create();
    await sendOne(id);
    const rest = {
      attempt: 1,
      claimed_until: new Date(context.clock.now().getTime() + 60_000).toISOString(),
    };
    await context.database.updateTable('webhook_deliveries').set(rest).execute();
    startDeliverer();
    const other = await create({ path: '/other' });
    await sendOne(other.id);
    await untilSent(1);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/other']);
    context.clock.advance(60);
    await untilSent(2);
    expect(receiver.received[1]?.path).toBe('/hook');
  });

  test('release unfinished deliveries at a stop without counting an attempt', async () => {
    const { id } = await create();
    await sendOne(id);
    receiver.answer = () => {};
    const stopping = startDeliverer();
    await untilSent(1);
    await stopping.stop();
    expect(await onlyDelivery(id)).toMatchObject({ status: 'pending', attempts: [] });
    receiver.answer = 200;
    startDeliverer();
    expect((await untilStatus(id, 'delivered')).attempts).toHaveLength(1);
    expect(receiver.received).toHaveLength(2);
  });
});

test('a receiver that never responds blocks neither other organizations nor other webhooks', async () => {
  const other = await createTenant(context, { name: 'Other' });
  const slow = await create({ path: '/slow' });
  const quick = await create({ path: '/quick' });
  const theirs = await create({ path: '/theirs', of: other });
  receiver.answer = (response, { path }) => {
    if (path !== '/slow') response.writeHead(200).end();
  };
  for (let count = 0; count < 50; count += 1) await sendOne(slow.id);
  for (let count = 0; count < 5; count += 1) {
    await sendOne(quick.id);
    await sendOne(theirs.id, other);
  }
  startDeliverer();
  const paths = () => Map.groupBy(receiver.received, ({ path }) => path);
  await until(() => paths().get('/quick')?.length === 5 && paths().get('/theirs')?.length === 5);
  expect(paths().get('/slow')).toHaveLength(2);
});

test('the events of a job are sent in order', async () => {
  await create();
  const project = await createTestProject(context, tenant);
  for (let count = 0; count < 5; count += 1) await createCompletedExport(context, tenant, project);
  receiver.answer = (response) => setTimeout(() => response.writeHead(200).end(), Math.random() * 20);
  startDeliverer();
  await untilSent(15);
  const byJob = Map.groupBy(receiver.received, ({ payload }) => payload.data['jobId']);
  expect([...byJob.values()].map((messages) => messages.map(({ payload }) => payload.type))).toEqual(
    Array.from({ length: 5 }, () => ['export.queued', 'export.running', 'export.completed']),
  );
});

test('the log is kept for 30 days', async () => {
  const { id } = await create();
  await sendOne(id);
  startDeliverer();
  await untilStatus(id, 'delivered');
  context.clock.advance(30 * 86_400);
  await sweepWebhooks(context);
  expect(await deliveriesOf(id)).toHaveLength(1);
  context.clock.advance(1);
  await sweepWebhooks(context);
  expect(await deliveriesOf(id)).toEqual([]);
  expect(await context.database.selectFrom('webhook_attempts').selectAll().execute()).toEqual([]);
  expect(await findWebhook(context, { id, ...tenant })).toMatchObject({ enabled: 1 });
});
