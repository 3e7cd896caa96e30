/** Transactional outbox: writes the messages about a change in the transaction of the change. */
import { webhookEvents, type testEvent, type WebhookEvent } from '@docyard/api';
import type { Selectable } from 'kysely';
import { nowText, type Context } from '../context.ts';
import { newId } from '../ids.ts';
import { isPostgres, type JobRow, type WebhookRow } from '../ports/database.ts';
import type { JobKind } from '../ports/queue.ts';

type OutboxContext = Pick<Context, 'database' | 'clock'>;

export type JobChange = 'queued' | 'running' | 'completed' | 'failed' | 'archived' | 'unarchived';

/** The message contains the record of this moment. */
export async function announceJobs(
  context: OutboxContext & Pick<Context, 'views'>,
  jobs: readonly Selectable<JobRow>[],
  change: JobChange,
): Promise<void> {
  // Receivers that publish completed exports must not publish previews.
  const announced = jobs.filter(({ preview_of }) => preview_of === null);
  const webhooks = announced.length === 0 ? [] : await webhooksFor(context, announced);
  if (webhooks.length === 0) return;
  for (const job of announced) {
    const own = webhooks.filter(
      ({ organization_id, job_id }) =>
        organization_id === job.organization_id && (job_id === null || job_id === job.id),
    );
    if (own.length > 0) await announceJob(context, { job, webhooks: own, change });
  }
}

async function announceJob(
  context: OutboxContext & Pick<Context, 'views'>,
  given: { job: Selectable<JobRow>; webhooks: readonly Subscriber[]; change: JobChange },
): Promise<void> {
  const { job, webhooks, change } = given;
  const view = context.views[job.kind as JobKind];
  const named = `${job.kind}.${change}`;
  const events = [
    ...(isEvent(named) ? [named] : []),
    ...((await view.extraEvents?.(context.database, job, change)) ?? []),
  ];
  const wanted = events.filter((type) => webhooks.some((webhook) => wants(webhook, type)));
  if (wanted.length === 0) return;
  const data = await view.record(context.database, job);
  for (const type of wanted) {
    const subscribers = webhooks.filter((webhook) => wants(webhook, type));
    await writeMessage(context, subscribers, { type, at: job.updated_at, jobId: job.id, data });
  }
}

/** Writes one delivery per webhook and returns their ids in the same order. */
export async function writeMessage(
  context: OutboxContext,
  webhooks: readonly Pick<WebhookRow, 'id' | 'organization_id'>[],
  message: { type: WebhookEvent | typeof testEvent; at: string; jobId: string | null; data: unknown },
): Promise<string[]> {
  const now = nowText(context);
  const id = newId('msg');
  const { type, jobId: job_id } = message;
  const payload = JSON.stringify({ type, timestamp: message.at, data: message.data });
  await context.database
    .insertInto('webhook_messages')
    .values({ id, type, job_id, payload, created_at: now })
    .execute();
  const deliveries = webhooks.map((webhook) => ({
    id: newId('whd'),
    webhook_id: webhook.id,
    organization_id: webhook.organization_id,
    message_id: id,
    job_id,
    status: 'pending',
    attempt: 0,
    earlier_attempts: 0,
    next_at: now,
    claimed_until: null,
    created_at: now,
    finished_at: null,
  }));
  await context.database.insertInto('webhook_deliveries').values(deliveries).execute();
  return deliveries.map((delivery) => delivery.id);
}

type Subscriber = Pick<WebhookRow, 'id' | 'organization_id' | 'job_id' | 'events'>;

/**
 * Locked until the deliveries are written, so that a concurrent deletion cannot fail the change of the job.
 */
function webhooksFor(
  { database }: Pick<Context, 'database'>,
  jobs: readonly Pick<JobRow, 'id' | 'organization_id'>[],
): Promise<Subscriber[]> {
  const organizations = [...new Set(jobs.map((job) => job.organization_id))];
  const ids = jobs.map(({ id }) => id);
  return database
    .selectFrom('webhooks')
    .select(['id', 'organization_id', 'job_id', 'events'])
    .where('organization_id', 'in', organizations)
    .where('enabled', '=', 1)
    .where((eb) => eb.or([eb('job_id', 'is', null), eb('job_id', 'in', ids)]))
    .orderBy('sequence')
    .$if(isPostgres(database), (query) => query.forKeyShare())
    .execute();
}

function wants({ events }: Pick<WebhookRow, 'events'>, type: WebhookEvent): boolean {
  return (JSON.parse(events) as string[]).includes(type);
}

function isEvent(name: string): name is WebhookEvent {
  return Object.hasOwn(webhookEvents, name);
}
