/** The log of webhook deliveries. */
import { testEvent, type WebhookDelivery, type WebhookDeliveryWithBody } from '@docyard/api';
import type { Selectable } from 'kysely';
import { recordAudit } from '../audit/audit.ts';
import { nowText, type Actor, type Context } from '../context.ts';
import { readPage, type PageRequest } from '../paging.ts';
import { inTransaction, type WebhookAttemptRow, type WebhookDeliveryRow } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { writeMessage } from './outbox.ts';
import { findWebhook, viewWebhook, type WebhookRecord } from './webhooks.ts';

type DeliveryContext = Pick<Context, 'database' | 'clock'>;
type DeliveryRecord = Selectable<WebhookDeliveryRow> & { type: string };

const retentionDays = 30;
const maxAttemptsShown = 20;

export async function listDeliveries(
  context: Pick<Context, 'database'>,
  input: PageRequest & {
    webhookId: string;
    organizationId: string;
    status?: WebhookDelivery['status'] | undefined;
  },
): Promise<{ data: WebhookDelivery[]; nextCursor: string | null }> {
  const webhook = await findWebhook(context, { id: input.webhookId, organizationId: input.organizationId });
  let query = deliveriesOf(context, webhook);
  if (input.status !== undefined) query = query.where('webhook_deliveries.status', '=', input.status);
  const { data, nextCursor } = await readPage(input, query, (row) => row);
  return { data: await viewDeliveries(context, data), nextCursor };
}

export async function readDeliveryWithBody(
  context: Pick<Context, 'database'>,
  input: { webhookId: string; deliveryId: string; organizationId: string },
): Promise<WebhookDeliveryWithBody> {
  const webhook = await findWebhook(context, { id: input.webhookId, organizationId: input.organizationId });
  const delivery = await readDelivery(context, webhook, input.deliveryId);
  const { payload } = await context.database
    .selectFrom('webhook_messages')
    .select('payload')
    .where('id', '=', delivery.messageId)
    .executeTakeFirstOrThrow();
  return { ...delivery, body: payload };
}

/** Of all organizations. */
export async function countWaitingDeliveries({ database }: Pick<Context, 'database'>): Promise<number> {
  const { count } = await database
    .selectFrom('webhook_deliveries')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Sends the same message immediately, with a new series of retries. */
export async function redeliver(
  context: DeliveryContext,
  input: { webhookId: string; deliveryId: string; actor: Actor },
): Promise<WebhookDelivery> {
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const webhook = await findEnabled(inside, input);
    await database
      .updateTable('webhook_deliveries')
      .set((eb) => ({
        status: 'pending',
        earlier_attempts: eb.ref('attempt'),
        next_at: nowText(context),
        finished_at: null,
      }))
      .where('webhook_id', '=', webhook.id)
      .where('id', '=', input.deliveryId)
      .execute();
    const delivery = await readDelivery(inside, webhook, input.deliveryId);
    const details = { delivery: delivery.id };
    const audited = { actor: input.actor, action: 'webhook.redeliver', object: webhook.id, details };
    await recordAudit(inside, audited);
    return delivery;
  });
}

/** Skips only the current delay. */
export async function sendNow(
  context: DeliveryContext,
  input: { webhookId: string; deliveryId: string; actor: Actor },
): Promise<WebhookDelivery> {
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const webhook = await findEnabled(inside, input);
    const { status } = await readDelivery(inside, webhook, input.deliveryId);
    if (status !== 'pending') throw notWaiting(status);
    await database
      .updateTable('webhook_deliveries')
      .set({ next_at: nowText(context) })
      .where('webhook_id', '=', webhook.id)
      .where('id', '=', input.deliveryId)
      .where('status', '=', 'pending')
      .where('next_at', '>', nowText(context))
      .execute();
    const details = { delivery: input.deliveryId };
    const audited = { actor: input.actor, action: 'webhook.send_now', object: webhook.id, details };
    await recordAudit(inside, audited);
    return readDelivery(inside, webhook, input.deliveryId);
  });
}

function notWaiting(status: string): Problem {
  return new Problem(
    'delivery_finished',
    `The delivery is not pending: it has ended as ${status}. Send it again with POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver.`,
  );
}

export async function sendTest(
  context: DeliveryContext,
  input: { webhookId: string; actor: Actor },
): Promise<WebhookDelivery> {
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const webhook = await findEnabled(inside, input);
    const message = {
      type: testEvent,
      at: nowText(context),
      jobId: null,
      data: viewWebhook(webhook),
    } as const;
    const [id] = await writeMessage(inside, [webhook], message);
    await recordAudit(inside, { actor: input.actor, action: 'webhook.test', object: webhook.id });
    return readDelivery(inside, webhook, id ?? '');
  });
}

/** Old messages are deleted with their deliveries, and webhooks of single jobs with their last delivery. */
export async function sweepWebhooks(context: DeliveryContext): Promise<void> {
  const now = nowText(context);
  const oldest = new Date(context.clock.now().getTime() - retentionDays * 86_400_000).toISOString();
  const { database } = context;
  await database.deleteFrom('webhook_messages').where('created_at', '<', oldest).execute();
  await database
    .deleteFrom('webhooks')
    .where('job_id', 'is not', null)
    .where('created_at', '<', oldest)
    .where('id', 'not in', (eb) => eb.selectFrom('webhook_deliveries').select('webhook_id'))
    .where('job_id', 'not in', (eb) =>
      eb.selectFrom('jobs').select('id').where('status', 'in', ['queued', 'running']),
    )
    .execute();
  await database.deleteFrom('webhook_secrets').where('valid_until', '<', now).execute();
}

async function findEnabled(
  context: Pick<Context, 'database'>,
  { webhookId: id, actor }: { webhookId: string; actor: Actor },
): Promise<WebhookRecord> {
  const webhook = await findWebhook(context, { id, organizationId: actor.organizationId });
  if (webhook.enabled === 1) return webhook;
  throw new Problem(
    'webhook_disabled',
    'The webhook is disabled. Enable it first: PATCH /v1/webhooks/{webhookId} with {"enabled": true}.',
  );
}

async function readDelivery(
  context: Pick<Context, 'database'>,
  webhook: WebhookRecord,
  id: string,
): Promise<WebhookDelivery> {
  const row = await deliveriesOf(context, webhook).where('webhook_deliveries.id', '=', id).executeTakeFirst();
  const [view] = row === undefined ? [] : await viewDeliveries(context, [row]);
  if (view !== undefined) return view;
  throw new Problem(
    'not_found',
    'There is no such delivery. List them with GET /v1/webhooks/{webhookId}/deliveries.',
  );
}

function deliveriesOf({ database }: Pick<Context, 'database'>, { id }: Pick<WebhookRecord, 'id'>) {
  return database
    .selectFrom('webhook_deliveries')
    .innerJoin('webhook_messages', 'webhook_messages.id', 'webhook_deliveries.message_id')
    .selectAll('webhook_deliveries')
    .select('webhook_messages.type')
    .where('webhook_deliveries.webhook_id', '=', id);
}

async function viewDeliveries(
  context: Pick<Context, 'database'>,
  rows: readonly DeliveryRecord[],
): Promise<WebhookDelivery[]> {
  if (rows.length === 0) return [];
  const attempts = await context.database
    .selectFrom('webhook_attempts')
    .selectAll()
    .where(
      'delivery_id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('number')
    .execute();
  const byDelivery = Map.groupBy(attempts, ({ delivery_id }) => delivery_id);
  return rows.map((row) => viewDelivery(row, byDelivery.get(row.id) ?? []));
}

function viewDelivery(
  row: DeliveryRecord,
  attempts: readonly Selectable<WebhookAttemptRow>[],
): WebhookDelivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    messageId: row.message_id,
    type: row.type as WebhookDelivery['type'],
    jobId: row.job_id,
    status: row.status as WebhookDelivery['status'],
    createdAt: row.created_at,
    nextAttemptAt: row.status === 'pending' ? row.next_at : null,
    finishedAt: row.finished_at,
    attempts: attempts.slice(-maxAttemptsShown).map((attempt) => ({
      at: attempt.at,
      durationMs: attempt.duration_ms,
      status: attempt.status,
      error: attempt.error,
      response: attempt.response,
    })),
  };
}
