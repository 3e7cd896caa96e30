/**
 * The append-only audit log of an organization. Each entry's hash covers the entry before it, so that a change
 * or a gap shows.
 */
import { createHash } from 'node:crypto';
import type { AuditEntry } from '@docyard/api';
import type { Selectable } from 'kysely';
import { nowText, type Actor, type Context } from '../context.ts';
import { newId } from '../ids.ts';
import { readPage, type PageRequest } from '../paging.ts';
import { exclusively, inTransaction, type AuditRow } from '../ports/database.ts';

export interface AuditInput {
  actor: Actor;
  action: string;
  object: string | null;
  details?: Record<string, unknown>;
}

export interface AuditFilters {
  /** One action, or the part before the dot of many. */
  action?: string | undefined;
  actor?: string | undefined;
  object?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

const firstHash = '0'.repeat(64);

export async function recordAudit(
  context: Pick<Context, 'database' | 'clock'>,
  input: AuditInput,
): Promise<void> {
  await inTransaction(context.database, async (database) => {
    await exclusively(database, `audit:${input.actor.organizationId}`);
    const previous = await database
      .selectFrom('audit_log')
      .select('hash')
      .where('organization_id', '=', input.actor.organizationId)
      .orderBy('sequence', 'desc')
      .limit(1)
      .executeTakeFirst();
    const entry = {
      id: newId('au'),
      organization_id: input.actor.organizationId,
      at: nowText(context),
      actor: input.actor.name,
      action: input.action,
      object: input.object,
      address: input.actor.address,
      request_id: input.actor.requestId,
      details: JSON.stringify(input.details ?? {}),
    };
    await database
      .insertInto('audit_log')
      .values({ ...entry, hash: chain(previous?.hash ?? firstHash, entry) })
      .execute();
  });
}

export async function listAuditLog(
  context: Pick<Context, 'database'>,
  input: PageRequest & AuditFilters & { organizationId: string },
): Promise<{ data: AuditEntry[]; nextCursor: string | null }> {
  const { action, actor, object, since, until } = input;
  let query = context.database
    .selectFrom('audit_log')
    .selectAll()
    .where('organization_id', '=', input.organizationId);
  if (action !== undefined)
    query = action.includes('.')
      ? query.where('action', '=', action)
      : query.where('action', 'like', `${action}.%`);
  if (actor !== undefined) query = query.where('actor', '=', actor);
  if (object !== undefined) query = query.where('object', '=', object);
  // Moments are kept as texts of one form, which sort as the moments do.
  if (since !== undefined) query = query.where('at', '>=', new Date(since).toISOString());
  if (until !== undefined) query = query.where('at', '<', new Date(until).toISOString());
  return readPage(input, query, viewEntry);
}

/** The id of the first entry that does not follow from the one before it, or undefined when the log is whole. */
export async function findBrokenEntry(
  context: Pick<Context, 'database'>,
  organizationId: string,
): Promise<string | undefined> {
  const rows = await context.database
    .selectFrom('audit_log')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('sequence')
    .execute();
  let previous = firstHash;
  for (const { hash, sequence: _sequence, ...entry } of rows) {
    if (chain(previous, entry) !== hash) return entry.id;
    previous = hash;
  }
  return undefined;
}

function chain(previousHash: string, entry: Omit<Selectable<AuditRow>, 'sequence' | 'hash'>): string {
  const fields = Object.entries(entry).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(previousHash).update(JSON.stringify(fields)).digest('hex');
}

function viewEntry(row: Selectable<AuditRow>): AuditEntry {
  return {
    id: row.id,
    at: row.at,
    actor: row.actor,
    action: row.action,
    object: row.object,
    address: row.address,
    requestId: row.request_id,
    details: JSON.parse(row.details) as Record<string, unknown>,
    hash: row.hash,
  };
}
