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
  input: PageRequest & { organizationId: string },
): Promise<{ data: AuditEntry[]; nextCursor: string | null }> {
  const query = context.database
    .selectFrom('audit_log')
    .selectAll()
    .where('organization_id', '=', input.organizationId);
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
