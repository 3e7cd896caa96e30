/** Creates, changes and disables webhooks. */
import {
  webhookEvents,
  type CreatedWebhook,
  type CreateWebhook,
  type UpdateWebhook,
  type Webhook,
  type WebhookEvent,
  type WebhookSecret,
} from '@docyard/api';
import type { Selectable } from 'kysely';
import { policyFor } from '../egress/rules.ts';
import { recordAudit } from '../audit/audit.ts';
import { nowText, type Actor, type Context } from '../context.ts';
import { addressesFor, EgressError } from '../egress/addresses.ts';
import { newId } from '../ids.ts';
import { readPage, type PageRequest } from '../paging.ts';
import { acquireLocks, inTransaction, type Database, type WebhookRow } from '../ports/database.ts';
import { Problem, requireVersion } from '../problem.ts';
import { deleteSecrets, ensureSecret, newSecret, rotateSecret } from './secrets.ts';

type WebhookContext = Pick<Context, 'database' | 'clock' | 'secrets' | 'config'>;
export type WebhookRecord = Selectable<WebhookRow>;

const maxWebhooks = 20;

export async function createWebhook(
  context: WebhookContext,
  input: CreateWebhook & { actor: Actor },
): Promise<CreatedWebhook> {
  const { actor } = input;
  const { organizationId } = actor;
  await refuseUnreachable(context, { url: input.url, path: 'url', organizationId });
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    await refuseTooMany(database, actor.organizationId);
    const row = await insertWebhook(inside, {
      organization_id: actor.organizationId,
      job_id: null,
      url: input.url,
      description: input.description ?? '',
      events: JSON.stringify(input.events ?? Object.keys(webhookEvents)),
      enabled: input.enabled === false ? 0 : 1,
    });
    const secret = await newSecret(inside, row.id);
    await recordAudit(inside, {
      actor,
      action: 'webhook.create',
      object: row.id,
      details: { host: hostOf(row.url) },
    });
    return { ...viewWebhook(row), secret };
  });
}

/**
 * A webhook for the end of one job, signed with the secret of its organization. Call it in the transaction
 * that starts the job.
 */
export async function subscribeToJob(
  context: Pick<Context, 'database' | 'clock' | 'secrets'>,
  job: { id: string; kind: string; organizationId: string; webhookUrl: string },
): Promise<void> {
  const events = Object.keys(webhookEvents).filter((name) =>
    [`${job.kind}.completed`, `${job.kind}.failed`].includes(name),
  );
  await ensureSecret(context, job.organizationId);
  await insertWebhook(context, {
    organization_id: job.organizationId,
    job_id: job.id,
    url: job.webhookUrl,
    description: '',
    events: JSON.stringify(events),
    enabled: 1,
  });
}

export async function updateWebhook(
  context: WebhookContext,
  input: { webhookId: string; change: UpdateWebhook; actor: Actor },
): Promise<Webhook> {
  const { change, actor } = input;
  const { organizationId } = actor;
  if (change.url !== undefined)
    await refuseUnreachable(context, { url: change.url, path: 'url', organizationId });
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    await acquireLocks(database, `webhook:${input.webhookId}`);
    const old = await findWebhook(inside, { id: input.webhookId, organizationId: actor.organizationId });
    requireVersion(old, change.version);
    const row = await database
      .updateTable('webhooks')
      .set({
        ...(change.url === undefined ? {} : { url: change.url }),
        ...(change.description === undefined ? {} : { description: change.description }),
        ...(change.events === undefined ? {} : { events: JSON.stringify(change.events) }),
        ...(change.enabled === undefined ? {} : { enabled: change.enabled ? 1 : 0, ...noFailure }),
        updated_at: nowText(context),
        version: old.version + 1,
      })
      .where('id', '=', old.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (row.enabled === 0) await failPending(inside, row.id);
    const details = { fields: Object.keys(change).filter((name) => name !== 'version') };
    await recordAudit(inside, { actor, action: 'webhook.update', object: row.id, details });
    return viewWebhook(row);
  });
}

const noFailure = { disabled_reason: null, failing_since: null };

export async function deleteWebhook(
  context: WebhookContext,
  input: { webhookId: string; actor: Actor },
): Promise<void> {
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const where = { id: input.webhookId, organizationId: input.actor.organizationId };
    const { id } = await findWebhook(inside, where);
    await database.deleteFrom('webhooks').where('id', '=', id).execute();
    await deleteSecrets(inside, id);
    await recordAudit(inside, { actor: input.actor, action: 'webhook.delete', object: id });
  });
}

export async function rotateWebhookSecret(
  context: WebhookContext,
  input: { webhookId: string; overlapSeconds?: number | undefined; actor: Actor },
): Promise<WebhookSecret> {
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const where = { id: input.webhookId, organizationId: input.actor.organizationId };
    const webhook = await findWebhook(inside, where);
    if (webhook.job_id !== null) {
      throw new Problem(
        'not_found',
        'The webhook of a job uses the secret of the organization. Use POST /v1/webhook-secret.',
      );
    }
    const rotated = await rotateSecret(inside, webhook.id, input.overlapSeconds);
    await recordAudit(inside, {
      actor: input.actor,
      action: 'webhook.rotate_secret',
      object: webhook.id,
    });
    return rotated;
  });
}

export async function rotateOrganizationSecret(
  context: WebhookContext,
  input: { overlapSeconds?: number | undefined; actor: Actor },
): Promise<WebhookSecret> {
  const { organizationId } = input.actor;
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const rotated = await rotateSecret(inside, organizationId, input.overlapSeconds);
    await recordAudit(inside, {
      actor: input.actor,
      action: 'webhook.rotate_secret',
      object: organizationId,
    });
    return rotated;
  });
}

/** Webhooks of the organization, or of one job. */
export async function listWebhooks(
  context: Pick<Context, 'database'>,
  input: PageRequest & { organizationId: string; jobId?: string | undefined },
): Promise<{ data: Webhook[]; nextCursor: string | null }> {
  const query = context.database
    .selectFrom('webhooks')
    .selectAll()
    .where('organization_id', '=', input.organizationId);
  const wanted =
    input.jobId === undefined ? query.where('job_id', 'is', null) : query.where('job_id', '=', input.jobId);
  return readPage(input, wanted, viewWebhook);
}

export async function findWebhook(
  context: Pick<Context, 'database'>,
  where: { id: string; organizationId: string },
): Promise<WebhookRecord> {
  const row = await context.database
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', where.id)
    .where('organization_id', '=', where.organizationId)
    .executeTakeFirst();
  if (row === undefined) {
    throw new Problem('not_found', 'There is no such webhook. List them with GET /v1/webhooks.');
  }
  return row;
}

/** Runs in the transaction of the caller. */
export async function disableWebhook(
  context: Pick<Context, 'database' | 'clock'>,
  webhook: { id: string; organizationId: string },
  reason: 'gone' | 'failing',
): Promise<void> {
  const { numUpdatedRows } = await context.database
    .updateTable('webhooks')
    .set((eb) => ({
      enabled: 0,
      disabled_reason: reason,
      updated_at: nowText(context),
      version: eb('version', '+', 1),
    }))
    .where('id', '=', webhook.id)
    .where('enabled', '=', 1)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await failPending(context, webhook.id);
  const actor = {
    organizationId: webhook.organizationId,
    projectId: null,
    name: 'system',
    address: null,
    requestId: null,
  };
  await recordAudit(context, { actor, action: 'webhook.disable', object: webhook.id, details: { reason } });
}

export function viewWebhook(row: WebhookRecord): Webhook {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    events: JSON.parse(row.events) as WebhookEvent[],
    enabled: row.enabled === 1,
    disabledReason: row.disabled_reason as Webhook['disabledReason'],
    failingSince: row.failing_since,
    jobId: row.job_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  };
}

/** Checks the scheme and a literal IP address. A name is resolved each time a message is sent. */
export async function refuseUnreachable(
  { config }: Pick<Context, 'config'>,
  { url, path, organizationId }: { url: string; path: string; organizationId: string },
): Promise<void> {
  const somePublicAddress = ['1.1.1.1'];
  const allowed = policyFor(config.egress, 'webhook', { organizationId, projectId: null });
  const policy = { ...allowed, offline: false, lookup: () => Promise.resolve(somePublicAddress) };
  try {
    await addressesFor(new URL(url), policy);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const message = `${error.message} ${error.hint ?? ''}`.trim();
    throw new Problem('invalid_request', message, { details: [{ path, message }] });
  }
}

async function insertWebhook(
  context: Pick<Context, 'database' | 'clock'>,
  values: Pick<WebhookRow, 'organization_id' | 'job_id' | 'url' | 'description' | 'events' | 'enabled'>,
): Promise<WebhookRecord> {
  const now = nowText(context);
  return context.database
    .insertInto('webhooks')
    .values({ ...values, ...noFailure, id: newId('wh'), created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function refuseTooMany(database: Database, organizationId: string): Promise<void> {
  await acquireLocks(database, `webhooks of ${organizationId}`);
  const { count } = await database
    .selectFrom('webhooks')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('job_id', 'is', null)
    .executeTakeFirstOrThrow();
  if (Number(count) < maxWebhooks) return;
  throw new Problem(
    'webhook_limit',
    `An organization has at most ${maxWebhooks} webhooks. Delete one that is not needed, or add events to one.`,
  );
}

/** They can be redelivered later. */
async function failPending(context: Pick<Context, 'database' | 'clock'>, webhookId: string): Promise<void> {
  await context.database
    .updateTable('webhook_deliveries')
    .set({ status: 'failed', finished_at: nowText(context), claimed_until: null })
    .where('webhook_id', '=', webhookId)
    .where('status', '=', 'pending')
    .execute();
}

/** The audit log contains only the host, because the URL may contain a token. */
function hostOf(url: string): string {
  return new URL(url).host;
}
