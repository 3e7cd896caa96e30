/**
 * State changes of a delivery: claimed, then delivered, scheduled again or failed. Each is a guarded UPDATE
 * that names its attempt, so that a late process changes nothing.
 */
import { nowText, type Context } from '../context.ts';
import { inTransaction } from '../ports/database.ts';
import type { OutgoingMessage, Sent } from './send.ts';
import { disableWebhook } from './webhooks.ts';

type AttemptContext = Pick<Context, 'database' | 'clock'>;

export interface ClaimedDelivery {
  id: string;
  webhookId: string;
  organizationId: string;
  attempt: number;
  /** Attempts before the last redelivery. */
  earlierAttempts: number;
  message: OutgoingMessage;
}

/** Longer than an attempt can take. */
export const claimSeconds = 30;
/** Delays after the first attempt, the second, and so on. */
export const retrySeconds = [5, 300, 1800, 7200, 18_000, 36_000, 36_000];
export const maxRetryAfterSeconds = 86_400;
const failingDays = 5;
const httpGone = 410;
/** Delay of deliveries while outbound connections are disabled. */
export const offlineRetrySeconds = 60;

interface ClaimRequest {
  /** Deliveries that this process is sending. */
  inFlight: readonly Pick<ClaimedDelivery, 'organizationId' | 'webhookId'>[];
  maxClaims: number;
  maxPerOrganization: number;
  maxPerWebhook: number;
}

/** The longest waiting first, within the limits per organization and webhook. */
export async function claimDue(context: AttemptContext, request: ClaimRequest): Promise<ClaimedDelivery[]> {
  const organizations = countNames(request.inFlight.map(({ organizationId }) => organizationId));
  const webhooks = countNames(request.inFlight.map(({ webhookId }) => webhookId));
  const busy = {
    organizations: organizations.atLeast(request.maxPerOrganization),
    webhooks: webhooks.atLeast(request.maxPerWebhook),
  };
  const claimed: ClaimedDelivery[] = [];
  for (const webhook of await readDueWebhooks(context, busy, request.maxClaims * 2)) {
    const room = Math.min(
      request.maxClaims - claimed.length,
      request.maxPerOrganization - organizations.of(webhook.organization_id),
      request.maxPerWebhook - webhooks.of(webhook.webhook_id),
    );
    if (room <= 0) continue;
    for (const due of await readDue(context, webhook.webhook_id, room)) {
      const delivery = await claim(context, due);
      if (delivery === undefined) continue;
      organizations.add(webhook.organization_id);
      webhooks.add(webhook.webhook_id);
      claimed.push(delivery);
    }
  }
  return claimed;
}

/**
 * Webhooks with due deliveries. Only this query covers all due deliveries, so it must be answered from an
 * index.
 */
async function readDueWebhooks(
  context: AttemptContext,
  busy: { organizations: string[]; webhooks: string[] },
  limit: number,
): Promise<{ webhook_id: string; organization_id: string }[]> {
  const now = nowText(context);
  let query = context.database
    .selectFrom('webhook_deliveries')
    .select(['webhook_id', 'organization_id'])
    .where('status', '=', 'pending')
    .where('next_at', '<=', now)
    .where((eb) => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', now)]));
  if (busy.organizations.length > 0) query = query.where('organization_id', 'not in', busy.organizations);
  if (busy.webhooks.length > 0) query = query.where('webhook_id', 'not in', busy.webhooks);
  return query
    .groupBy(['webhook_id', 'organization_id'])
    .orderBy((eb) => eb.fn.min('next_at'))
    .limit(limit)
    .execute();
}

/** The first attempt of an event waits for the first attempts of earlier events of the same job. */
async function readDue(
  context: AttemptContext,
  webhookId: string,
  limit: number,
): Promise<{ id: string; attempt: number }[]> {
  const now = nowText(context);
  return context.database
    .selectFrom('webhook_deliveries as due')
    .innerJoin('webhooks', 'webhooks.id', 'due.webhook_id')
    .select(['due.id', 'due.attempt'])
    .where('due.webhook_id', '=', webhookId)
    .where('due.status', '=', 'pending')
    .where('due.next_at', '<=', now)
    .where((eb) => eb.or([eb('due.claimed_until', 'is', null), eb('due.claimed_until', '<=', now)]))
    .where('webhooks.enabled', '=', 1)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhook_deliveries as earlier')
            .select('earlier.id')
            .whereRef('earlier.job_id', '=', 'due.job_id')
            .whereRef('earlier.webhook_id', '=', 'due.webhook_id')
            .whereRef('earlier.sequence', '<', 'due.sequence')
            .where('earlier.status', '=', 'pending')
            .where((eb) =>
              eb.or([
                eb('earlier.attempt', '=', eb.ref('earlier.earlier_attempts')),
                eb('earlier.claimed_until', 'is not', null),
              ]),
            ),
        ),
      ),
    )
    .orderBy('due.next_at')
    .orderBy('due.sequence')
    .limit(limit)
    .execute();
}

/** Undefined when another process claimed it. */
async function claim(
  context: AttemptContext,
  due: { id: string; attempt: number },
): Promise<ClaimedDelivery | undefined> {
  const now = nowText(context);
  const row = await context.database
    .updateTable('webhook_deliveries')
    .set({ attempt: due.attempt + 1, claimed_until: later(context, claimSeconds) })
    .where('id', '=', due.id)
    .where('status', '=', 'pending')
    .where('attempt', '=', due.attempt)
    .where((eb) => eb.or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', now)]))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const sent = await context.database
    .selectFrom('webhooks')
    .innerJoin('webhook_messages', (join) => join.on('webhook_messages.id', '=', row.message_id))
    .select(['webhooks.url', 'webhooks.job_id', 'webhook_messages.payload'])
    .where('webhooks.id', '=', row.webhook_id)
    .executeTakeFirst();
  if (sent === undefined) return undefined;
  return {
    id: row.id,
    webhookId: row.webhook_id,
    organizationId: row.organization_id,
    attempt: row.attempt,
    earlierAttempts: row.earlier_attempts,
    message: {
      id: row.message_id,
      url: sent.url,
      body: sent.payload,
      organizationId: row.organization_id,
      secretOwner: sent.job_id === null ? row.webhook_id : row.organization_id,
    },
  };
}

/** An interrupted attempt does not count. */
export async function releaseClaim(context: AttemptContext, delivery: ClaimedDelivery): Promise<void> {
  await context.database
    .updateTable('webhook_deliveries')
    .set({ attempt: delivery.attempt - 1, claimed_until: null })
    .where('id', '=', delivery.id)
    .where('attempt', '=', delivery.attempt)
    .where('status', '=', 'pending')
    .execute();
}

/**
 * Outbound connections are disabled, which is not a failure of the receiver: the attempt does not count, and
 * all deliveries of the webhook are postponed in order.
 */
export async function postpone(context: AttemptContext, delivery: ClaimedDelivery): Promise<void> {
  await releaseClaim(context, delivery);
  await context.database
    .updateTable('webhook_deliveries')
    .set({ next_at: later(context, offlineRetrySeconds) })
    .where('webhook_id', '=', delivery.webhookId)
    .where('status', '=', 'pending')
    .where('claimed_until', 'is', null)
    .where('next_at', '<=', nowText(context))
    .execute();
}

export async function settleAttempt(
  context: AttemptContext,
  delivery: ClaimedDelivery,
  sent: Sent,
): Promise<void> {
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const next = nextState(context, delivery, sent);
    const settled = await database
      .updateTable('webhook_deliveries')
      .set({ ...next, claimed_until: null })
      .where('id', '=', delivery.id)
      .where('attempt', '=', delivery.attempt)
      .where('status', '=', 'pending')
      .returning('id')
      .executeTakeFirst();
    if (settled === undefined) return;
    await database
      .insertInto('webhook_attempts')
      .values({
        delivery_id: delivery.id,
        number: delivery.attempt,
        at: nowText(context),
        duration_ms: sent.durationMs,
        status: sent.status,
        error: sent.error,
        response: sent.response,
      })
      .execute();
    if (sent.error === null) await noteSuccess(inside, delivery.webhookId);
    else await noteFailure(inside, delivery, { ...sent, isLast: next.status === 'failed' });
  });
}

function nextState(context: AttemptContext, delivery: ClaimedDelivery, sent: Sent) {
  const now = nowText(context);
  if (sent.error === null) return { status: 'delivered', finished_at: now };
  const waitSeconds = retrySeconds[delivery.attempt - delivery.earlierAttempts - 1];
  if (waitSeconds === undefined || sent.status === httpGone) return { status: 'failed', finished_at: now };
  const requested = Math.min(sent.retryAfterSeconds ?? 0, maxRetryAfterSeconds);
  return { next_at: later(context, Math.max(requested, jittered(waitSeconds))) };
}

async function noteSuccess({ database }: Pick<Context, 'database'>, webhookId: string): Promise<void> {
  await database
    .updateTable('webhooks')
    .set({ failing_since: null })
    .where('id', '=', webhookId)
    .where('failing_since', 'is not', null)
    .execute();
}

/** Disables a webhook that answers 410, or one whose message failed finally after days without success. */
async function noteFailure(
  context: AttemptContext,
  { webhookId: id, organizationId }: ClaimedDelivery,
  { status, isLast }: { status: number | null; isLast: boolean },
): Promise<void> {
  const webhook = await context.database
    .updateTable('webhooks')
    .set((eb) => ({ failing_since: eb.fn.coalesce('failing_since', eb.val(nowText(context))) }))
    .where('id', '=', id)
    .returning('failing_since')
    .executeTakeFirst();
  const isFailingLong = (webhook?.failing_since ?? '') <= later(context, -failingDays * 86_400);
  if (status === httpGone) await disableWebhook(context, { id, organizationId }, 'gone');
  else if (isLast && isFailingLong) await disableWebhook(context, { id, organizationId }, 'failing');
}

/** Spreads retries of deliveries that failed together. */
function jittered(seconds: number): number {
  return seconds * (0.9 + Math.random() * 0.2);
}

function later(context: Pick<Context, 'clock'>, seconds: number): string {
  return new Date(context.clock.now().getTime() + seconds * 1000).toISOString();
}

interface Counter {
  of(name: string): number;
  add(name: string): void;
  atLeast(count: number): string[];
}

function countNames(names: readonly string[]): Counter {
  const counts = new Map<string, number>();
  const add = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const name of names) add(name);
  return {
    of: (name) => counts.get(name) ?? 0,
    add,
    atLeast: (count) => [...counts].flatMap(([name, value]) => (value >= count ? [name] : [])),
  };
}
