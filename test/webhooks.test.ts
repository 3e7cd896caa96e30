/**
 * Webhooks of a real service, verified with an independent library. A service that is killed during a delivery sends it again.
 */
import { spawnSync } from 'node:child_process';
import { waitForExport, type CreatedWebhook, type Webhook, type WebhookDelivery } from '@docyard/api';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  startReceiver,
  type Received,
  type Receiver,
} from '../packages/server/test/support/webhook-receiver.ts';
import * as stage from './contract/harness.ts';
import { databaseOf, program, startService, type Service } from './service.ts';

const domain = 'docs.example.com';
let receiver: Receiver;
let service: Service;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await start();
  const source = { repository: stage.siteFolder() };
  await service.client.call('createProject', { body: { name: 'Docs', domain, source } });
});

afterAll(() => service.stop());

const start = (dataDir?: string) =>
  startService({
    environment: { EGRESS_ALLOW: `webhook:${receiver.host}` },
    sample: false,
    ...(dataDir === undefined ? {} : { dataDir }),
  });

const receivedAt = (path: string) => receiver.received.filter((message) => message.path === path);
const untilReceived = (path: string, count: number) =>
  expect.poll(() => receivedAt(path).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(count);
const verify = (secret: string, { body, headers }: Received) =>
  new Verifier(secret).verify(body, headers as Record<string, string>);

test('a webhook and the webhookUrl of a job get messages, each signed with its own secret', async () => {
  const { client } = service;
  const { secret: ofOrganization } = await client.call('rotateOrganizationSecret');
  const { id: webhookId, secret } = await client.call('createWebhook', {
    body: { url: `${receiver.origin}/all` },
  });
  const webhookUrl = `${receiver.origin}/once`;
  const { jobId } = await client.call('startExport', { body: { domain, webhookUrl } });
  const job = await waitForExport(client, jobId);
  expect(job.status).toBe('completed');
  await untilReceived('/all', 3);
  await untilReceived('/once', 1);
  const all = receivedAt('/all').map((message) => verify(secret, message) as Received['payload']);
  expect(all.map(({ type }) => type)).toEqual(['export.queued', 'export.running', 'export.completed']);
  expect(all.at(-1)?.data).toEqual(job);
  const once = receivedAt('/once').map((message) => verify(ofOrganization, message));
  expect(once).toEqual([all.at(-1)]);
  const { data } = await client.call('listWebhooks', { query: { jobId } });
  expect(data).toMatchObject([{ url: webhookUrl, jobId, enabled: true }]);
  expect((await client.call('listWebhooks')).data.map(({ id }) => id)).toEqual([webhookId]);
});

test.each([
  'http://ci.example.com/',
  'https://10.0.0.7/',
  'https://user:pw@ci.example.com/',
  'ci.example.com',
])('%s is no webhookUrl', async (webhookUrl) => {
  const answer = await service.request('/v1/static-export/jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ domain, webhookUrl }),
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ details: [{ path: 'webhookUrl' }] });
});

test('a message that was being sent when the process was killed is sent again, with the same id', async () => {
  const { dataDir } = service;
  const { id: webhookId } = await service.client.call('createWebhook', {
    body: { url: `${receiver.origin}/killed`, events: ['agent.failed'] },
  });
  receiver.answer = (response, { path }) => {
    if (path !== '/killed') response.writeHead(204).end();
  };
  await service.client.call('testWebhook', { params: { webhookId } });
  await untilReceived('/killed', 1);
  await service.kill();
  receiver.answer = 204;
  stage.passTimeOfClaims(dataDir);
  service = await start(dataDir);
  await untilReceived('/killed', 2);
  const [first, second] = receivedAt('/killed');
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(second?.body).toBe(first?.body);
  await expect
    .poll(async () => (await service.client.call('listWebhookDeliveries', { params: { webhookId } })).data)
    .toMatchObject([{ status: 'delivered', attempts: [{ status: 204 }] }]);
});

describe('docyard webhooks', () => {
  function docyard(...args: string[]): unknown {
    const command = ['webhooks', ...args, '--data', service.dataDir, '--json'];
    const ended = spawnSync(process.execPath, [program, ...command], {
      encoding: 'utf8',
      env: { ...process.env, ...databaseOf(service.dataDir), EGRESS_ALLOW: `webhook:${receiver.host}` },
    });
    expect(ended.stderr).toBe('');
    return ended.stdout === '' ? undefined : JSON.parse(ended.stdout);
  }

  test('creates, tries, lists, sends again and deletes', async () => {
    const url = `${receiver.origin}/cli`;
    const made = docyard('create', '--url', url, '--event', 'export.failed') as CreatedWebhook;
    const { id, secret } = made;
    expect(made.events).toEqual(['export.failed']);
    const { id: deliveryId } = docyard('test', id) as WebhookDelivery;
    await untilReceived('/cli', 1);
    expect(verify(secret, receivedAt('/cli')[0] as Received)).toMatchObject({ type: 'webhook.test' });
    await expect.poll(() => docyard('deliveries', id)).toMatchObject([{ status: 'delivered' }]);
    docyard('redeliver', id, deliveryId);
    await untilReceived('/cli', 2);
    docyard('delete', id);
    expect((docyard('list') as Webhook[]).map((webhook) => webhook.id)).not.toContain(id);
  });
});
