/**
 * The append-only audit log of an organization. Each hash covers the previous entry, so that changes and gaps are
 * detectable.
 */
import { createHash } from 'node:crypto';
import type { AuditEntry } from '@docyard/api';
import { sql, type RawBuilder, type Selectable, type SqlBool } from 'kysely';
import { nowText, type Actor, type Context } from '../context.ts';
import { newId } from '../ids.ts';
import { readPage, type ListPage, type PageRequest } from '../paging.ts';
import { acquireLocks, inTransaction, type AuditRow, type Database } from '../ports/database.ts';
import { contains, matchesSearch } from '../search.ts';
import { namesOfActors, namesOfObjects } from './names.ts';

export interface AuditInput {
  actor: Actor;
  action: string;
  object: string | null;
  details?: Record<string, unknown>;
}

export interface AuditFilters {
  /** An action, or the prefix before the dot for all its actions. */
  action?: string | undefined;
  actor?: string | undefined;
  object?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  q?: string | undefined;
  sort?: 'at' | '-at' | undefined;
}

const firstHash = '0'.repeat(64);
const batchSize = 500;

export async function recordAudit(
  context: Pick<Context, 'database' | 'clock'>,
  ...inputs: AuditInput[]
): Promise<void> {
  if (inputs.length === 0) return;
  await inTransaction(context.database, async (database) => {
    const lastHashes = await lockLastHashes(
      database,
      inputs.map(({ actor }) => actor.organizationId),
    );
    const entries = inputs.map(({ actor, action, object, details = {} }) => {
      const entry = {
        id: newId('au'),
        organization_id: actor.organizationId,
        at: nowText(context),
        actor: actor.name,
        action,
        object,
        address: actor.address,
        request_id: actor.requestId,
        details: JSON.stringify(details),
      };
      const hash = chain(lastHashes.get(entry.organization_id) ?? firstHash, entry);
      lastHashes.set(entry.organization_id, hash);
      return { ...entry, hash };
    });
    await database.insertInto('audit_log').values(entries).execute();
  });
}

/** Locks the hash chain of each organization until the transaction ends. */
async function lockLastHashes(database: Database, given: readonly string[]): Promise<Map<string, string>> {
  const ids = [...new Set(given)].toSorted();
  await acquireLocks(database, ...ids.map((id) => `audit:${id}`));
  const rows = await database
    .selectFrom('organizations')
    .select((eb) => [
      'id',
      eb
        .selectFrom('audit_log')
        .select('hash')
        .whereRef('organization_id', '=', 'organizations.id')
        .orderBy('sequence', 'desc')
        .limit(1)
        .as('hash'),
    ])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.flatMap(({ id, hash }) => (hash === null ? [] : [[id, hash]])));
}

export async function listAuditLog(
  context: Pick<Context, 'database'>,
  input: PageRequest & AuditFilters & { organizationId: string },
): Promise<ListPage<AuditEntry>> {
  const order = input.sort === 'at' ? 'oldest first' : 'newest first';
  const { data, nextCursor } = await readPage(input, filteredEntries(context, input), (row) => row, order);
  return { data: await viewEntries(context.database, input.organizationId, data), nextCursor };
}

export async function* eachAuditEntry(
  context: Pick<Context, 'database'>,
  input: AuditFilters & { organizationId: string },
): AsyncGenerator<AuditEntry, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await listAuditLog(context, { ...input, limit: batchSize, cursor });
    yield* page.data;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

function filteredEntries(
  { database }: Pick<Context, 'database'>,
  { organizationId, action, actor, object, since, until, q }: AuditFilters & { organizationId: string },
) {
  let query = database.selectFrom('audit_log').selectAll().where('organization_id', '=', organizationId);
  if (action !== undefined)
    query = action.includes('.')
      ? query.where('action', '=', action)
      : query.where('action', 'like', `${action}.%`);
  if (actor !== undefined) query = query.where('actor', '=', actor);
  if (object !== undefined) query = query.where('object', '=', object);
  // Times are stored as ISO 8601 UTC text, which sorts chronologically.
  if (since !== undefined) query = query.where('at', '>=', new Date(since).toISOString());
  if (until !== undefined) query = query.where('at', '<', new Date(until).toISOString());
  if (q !== undefined)
    query = query.where(matchesSearch(q, (word) => searchConditions(organizationId, word)));
  return query;
}

/** Matches the entry, and the names of its actor and object. */
function searchConditions(organizationId: string, word: string): RawBuilder<SqlBool>[] {
  const inOrganization = sql`organization_id = ${organizationId}`;
  const isNamed = (column: 'actor' | 'object', names: RawBuilder<unknown>) =>
    sql<SqlBool>`${sql.ref(column)} in (${names})`;
  const named = (table: string, column: string, id = 'id') =>
    sql`select ${sql.ref(id)} from ${sql.table(table)} where ${inOrganization} and ${contains(sql.ref(column), word)}`;
  return [
    ...['action', 'actor', 'object', 'address', 'details'].map((column) => contains(sql.ref(column), word)),
    isNamed('actor', named('api_keys', 'name')),
    isNamed('actor', named('people', 'name', 'email')),
    isNamed('object', named('api_keys', 'name')),
    isNamed('object', named('projects', 'name')),
    isNamed('object', named('people', 'name')),
  ];
}

/** The id of the first entry whose hash does not match, or undefined. */
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

async function viewEntries(
  database: Database,
  organizationId: string,
  rows: readonly Selectable<AuditRow>[],
): Promise<AuditEntry[]> {
  const objects = rows.flatMap(({ object }) => object ?? []);
  const actorNames = await namesOfActors(
    database,
    organizationId,
    rows.map(({ actor }) => actor),
  );
  const objectNames = await namesOfObjects(database, organizationId, objects);
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    actor: row.actor,
    actorName: actorNames.get(row.actor) ?? null,
    action: row.action,
    object: row.object,
    objectName: row.object === null ? null : (objectNames.get(row.object) ?? null),
    address: row.address,
    requestId: row.request_id,
    details: JSON.parse(row.details) as Record<string, unknown>,
    hash: row.hash,
  }));
}
