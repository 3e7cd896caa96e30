/**
 * Secrets that sign messages. A secret is returned once, when it is created, and stored sealed. During a
 * rotation messages carry one signature per valid secret.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { WebhookSecret } from '@docyard/api';
import { nowText, type Context } from '../context.ts';
import { acquireLocks, inTransaction } from '../ports/database.ts';
import { isSealedWith, resealEach, seal, unseal, type Resealed } from '../seal.ts';

type SecretContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

const prefix = 'whsec_';
const secretBytes = 32;
const defaultOverlapSeconds = 86_400;

/** The owner is a webhook, or an organization for the webhooks of single jobs. */
export async function newSecret(context: SecretContext, owner: string): Promise<string> {
  const secret = prefix + randomBytes(secretBytes).toString('base64');
  const sealed = seal(context.secrets, placeOf(owner), secret);
  await context.database
    .insertInto('webhook_secrets')
    .values({ owner, sealed, created_at: nowText(context), valid_until: null })
    .execute();
  return secret;
}

export async function rotateSecret(
  context: SecretContext,
  owner: string,
  overlapSeconds: number = defaultOverlapSeconds,
): Promise<WebhookSecret> {
  const overlapEnd = new Date(context.clock.now().getTime() + overlapSeconds * 1000).toISOString();
  return inTransaction(context.database, async (database) => {
    await acquireLocks(database, `webhook secret of ${owner}`);
    const { numUpdatedRows } = await database
      .updateTable('webhook_secrets')
      .set({ valid_until: overlapEnd })
      .where('owner', '=', owner)
      .where('valid_until', 'is', null)
      .executeTakeFirst();
    const secret = await newSecret({ ...context, database }, owner);
    return { secret, oldValidUntil: numUpdatedRows > 0n ? overlapEnd : null };
  });
}

/** Messages of single jobs are always signed, even before a caller has requested the secret. */
export async function ensureSecret(context: SecretContext, owner: string): Promise<void> {
  await acquireLocks(context.database, `webhook secret of ${owner}`);
  if ((await validSecrets(context, owner)).length === 0) await newSecret(context, owner);
}

export async function deleteSecrets(context: Pick<Context, 'database'>, owner: string): Promise<void> {
  await context.database.deleteFrom('webhook_secrets').where('owner', '=', owner).execute();
}

/** The value of the `webhook-signature` header, the newest secret first. */
export async function signatures(
  context: SecretContext,
  owner: string,
  message: { id: string; timestamp: number; body: string },
): Promise<string> {
  const secrets = await validSecrets(context, owner);
  const signed = `${message.id}.${message.timestamp}.${message.body}`;
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), 'base64');
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    })
    .join(' ');
}

async function validSecrets(context: SecretContext, owner: string): Promise<string[]> {
  const rows = await context.database
    .selectFrom('webhook_secrets')
    .select('sealed')
    .where('owner', '=', owner)
    .where((eb) => eb.or([eb('valid_until', 'is', null), eb('valid_until', '>', nowText(context))]))
    .orderBy('sequence', 'desc')
    .execute();
  return rows.map(({ sealed }) => unseal(context.secrets, placeOf(owner), sealed));
}

/** How many secrets each key can open. */
export async function countSealedWebhookSecrets(
  context: Pick<Context, 'database'>,
  keys: readonly Buffer[],
): Promise<number[]> {
  const rows = await context.database.selectFrom('webhook_secrets').select(['owner', 'sealed']).execute();
  return keys.map((key) => rows.filter((row) => isSealedWith(key, placeOf(row.owner), row.sealed)).length);
}

/** Seals every secret with the active key. */
export async function resealWebhookSecrets({
  database,
  secrets,
}: Pick<Context, 'database' | 'secrets'>): Promise<Resealed> {
  const rows = await database.selectFrom('webhook_secrets').select(['sequence', 'owner', 'sealed']).execute();
  return resealEach(
    secrets,
    rows,
    ({ owner }) => placeOf(owner),
    ({ sequence }, sealed) =>
      database
        .updateTable('webhook_secrets')
        .set({ sealed })
        .where('sequence', '=', sequence)
        .executeTakeFirst(),
  );
}

function placeOf(owner: string): string[] {
  return [owner, 'webhook.secret'];
}
