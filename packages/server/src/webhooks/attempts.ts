/**
 * The moves of a delivery: claimed for an attempt, then delivered, due again later, or given up. Every one is a guarded
 * UPDATE that names the attempt it belongs to, so that a process that wakes late changes nothing.
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
  /** Attempts of rounds before this one. */
  earlierAttempts: number;
  message: OutgoingMessage;
}

/** Longer than an attempt can take. */
export const claimSeconds = 30;
/** Waits after the first attempt, the second, and so on: about 28 hours in all. */
export const retrySeconds = [5, 300, 1800, 7200, 18_000, 36_000, 36_000];
export const longestRetryAfterSeconds = 86_400;
const failingDays = 5;
const gone = 410;
/** How soon it is tried again whether messages may leave. */
export const heldSeconds = 60;

interface ClaimRequest {
  /** What this process has in hand. */
  underWay: readonly Pick<ClaimedDelivery, 'organizationId' | 'webhookId'>[];
  most: number;
  mostPerOrganization: number;
  mostPerWebhook: number;
}

/** Whoever has waited longest is next, but nobody has more than its share: a long line holds up no other. */
export async function claimDue(context: AttemptContext, request: ClaimRequest): Promise<ClaimedDelivery[]> {
  const organizations = counted(request.underWay.map(({ organizationId }) => organizationId));
  const webhooks = counted(request.underWay.map(({ webhookId }) => webhookId));
  const busy = {
    organizations: organizations.atLeast(request.mostPerOrganization),
    webhooks: webhooks.atLeast(request.mostPerWebhook),
  };
  const claimed: ClaimedDelivery[] = [];
  for (const line of await readLines(context, busy, request.most * 2)) {
    const room = Math.min(
      request.most - claimed.length,
      request.mostPerOrganization - organizations.of(line.organization_id),
      request.mostPerWebhook - webhooks.of(line.webhook_id),
    );
    if (room <= 0) continue;
    for (const due of await readDue(context, line.webhook_id, room)) {
      const delivery = await claim(context, due);
      if (delivery === undefined) continue;
      organizations.add(line.organization_id);
      webhooks.add(line.webhook_id);
      claimed.push(delivery);
    }
  }
  return claimed;
}

/**
 * The webhooks that wait. Only this looks at everything that is due, and only at an index: with 20,000 due it took 20 to 40
 * milliseconds, where a window function over whole rows took 200 to 700.
 */
async function readLines(
  context: AttemptContext,
  busy: { organizations: string[]; webhooks: string[] },
  most: number,
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
    .limit(most)
    .execute();
}

/** What happened to a job has its first try before what happened to it later. */
async function readDue(
  context: AttemptContext,
  webhookId: string,
  most: number,
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
    .limit(most)
    .execute();
}

/** Undefined when another process was faster. */
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

/** An attempt that was broken off counts as none. */
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
 * Nothing may leave this machine now. That is no fault of the receiver, so it counts as no attempt; everything for the
 * webhook waits, in its order, and is sent when a process may send again.
 */
export async function holdBack(context: AttemptContext, delivery: ClaimedDelivery): Promise<void> {
  await releaseClaim(context, delivery);
  await context.database
    .updateTable('webhook_deliveries')
    .set({ next_at: later(context, heldSeconds) })
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
    const next = nextMove(context, delivery, sent);
    const ours = await database
      .updateTable('webhook_deliveries')
      .set({ ...next, claimed_until: null })
      .where('id', '=', delivery.id)
      .where('attempt', '=', delivery.attempt)
      .where('status', '=', 'pending')
      .returning('id')
      .executeTakeFirst();
    if (ours === undefined) return;
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

function nextMove(context: AttemptContext, delivery: ClaimedDelivery, sent: Sent) {
  const now = nowText(context);
  if (sent.error === null) return { status: 'delivered', finished_at: now };
  const waitSeconds = retrySeconds[delivery.attempt - delivery.earlierAttempts - 1];
  if (waitSeconds === undefined || sent.status === gone) return { status: 'failed', finished_at: now };
  const asked = Math.min(sent.retryAfterSeconds ?? 0, longestRetryAfterSeconds);
  return { next_at: later(context, Math.max(asked, jittered(waitSeconds))) };
}

async function noteSuccess({ database }: Pick<Context, 'database'>, webhookId: string): Promise<void> {
  await database
    .updateTable('webhooks')
    .set({ failing_since: null })
    .where('id', '=', webhookId)
    .where('failing_since', 'is not', null)
    .execute();
}

/** Switched off when it says so itself, or when a message was given up and none has arrived for days. */
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
  const long = (webhook?.failing_since ?? '') <= later(context, -failingDays * 86_400);
  if (status === gone) await disableWebhook(context, { id, organizationId }, 'gone');
  else if (isLast && long) await disableWebhook(context, { id, organizationId }, 'failing');
}

/** So that what failed together does not come back together. */
function jittered(seconds: number): number {
  return seconds * (0.9 + Math.random() * 0.2);
}

function later(context: Pick<Context, 'clock'>, seconds: number): string {
  return new Date(context.clock.now().getTime() + seconds * 1000).toISOString();
}

interface Counted {
  of(name: string): number;
  add(name: string): void;
  atLeast(count: number): string[];
}

function counted(names: readonly string[]): Counted {
  const counts = new Map<string, number>();
  const add = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const name of names) add(name);
  return {
    of: (name) => counts.get(name) ?? 0,
    add,
    atLeast: (count) => [...counts].flatMap(([name, had]) => (had >= count ? [name] : [])),
  };
}
