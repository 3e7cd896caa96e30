/** Creates, lists, rolls and revokes API keys. The text of a key leaves this module only when the key is created. */
import {
  currentScope,
  scopesGrant,
  type ApiKey,
  type CreateKey,
  type CreatedKey,
  type RollKey,
  type Scope,
} from '@docyard/api';
import { sql, type ExpressionBuilder, type Selectable } from 'kysely';
import { recordAudit } from '../audit/audit.ts';
import { nowText, type Actor, type Context } from '../context.ts';
import { newId } from '../ids.ts';
import { readSortedPage, type ListPage, type PageRequest, type SortColumns } from '../paging.ts';
import { acquireLocks, inTransaction, type KeyRow, type Tables } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { holdProject } from '../projects/projects.ts';
import { keysWithin, type AccessScope } from '../access-scope.ts';
import { columnsContain } from '../search.ts';
import { complainAboutRange } from '@docyard/site/network';
import type { Caller } from './authenticate.ts';
import { hashKey, newKeyText } from './format.ts';

const defaultLifetimeDays = 90;
const defaultOverlapSeconds = 3600;
/** The name under which changes of keys are announced; PostgreSQL triggers use the same name. */
export const keyChanges = 'keys';

export type KeyContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

/** The caller that requests a key. The operator's CLI has no granter and no limits. */
export type Granter = Pick<Caller, 'scopes' | 'allowedAddresses'>;

export async function createKey(
  context: KeyContext,
  input: CreateKey & { actor: Actor; granter?: Granter },
): Promise<CreatedKey> {
  const scopes = input.scopes ?? ['read', 'write'];
  // A key inherits the address limits of its creator.
  const addresses = input.allowedAddresses ?? [...(input.granter?.allowedAddresses ?? [])];
  refuseEscalation(addresses, scopes, input.granter);
  const days = input.expiresInDays === undefined ? defaultLifetimeDays : input.expiresInDays;
  const expiresAt = days === null ? null : later(context, days * 86_400);
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    // A key inherits the project of its creator.
    const projectId = input.projectId ?? input.actor.projectId;
    if (projectId !== null) await holdProject(inside, { id: projectId, reach: input.actor });
    return insertKey(inside, input.actor, {
      name: input.name,
      scopes: JSON.stringify([...new Set(scopes)]),
      allowed_addresses: JSON.stringify(addresses),
      expires_at: expiresAt,
      rolled_from: null,
      project_id: projectId,
    });
  });
}

/** The new key has the rights and the lifetime of the old one, which expires after the overlap. */
export async function rollKey(
  context: KeyContext,
  input: RollKey & { keyId: string; actor: Actor; granter?: Granter },
): Promise<CreatedKey> {
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const old = await lockKey(inside, input);
    if (old.revoked_at !== null || hasExpired(context, old)) {
      throw new Problem(
        'invalid_request',
        'This key has expired or was revoked and cannot be rolled. Create a new key instead.',
      );
    }
    refuseEscalation(JSON.parse(old.allowed_addresses) as string[], storedScopes(old), input.granter);
    const lifetime = old.expires_at === null ? null : Date.parse(old.expires_at) - Date.parse(old.created_at);
    const overlapEnd = later(context, input.overlapSeconds ?? defaultOverlapSeconds);
    const oldEnd = old.expires_at !== null && old.expires_at < overlapEnd ? old.expires_at : overlapEnd;
    await database.updateTable('api_keys').set({ expires_at: oldEnd }).where('id', '=', old.id).execute();
    return insertKey(inside, input.actor, {
      name: old.name,
      scopes: JSON.stringify(storedScopes(old)),
      allowed_addresses: old.allowed_addresses,
      expires_at: lifetime === null ? null : later(context, lifetime / 1000),
      rolled_from: old.id,
      project_id: old.project_id,
    });
  });
}

export async function revokeKey(context: KeyContext, input: { keyId: string; actor: Actor }): Promise<void> {
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const key = await lockKey(inside, input);
    if (key.revoked_at !== null) return;
    const revoked_at = nowText(context);
    await database.updateTable('api_keys').set({ revoked_at }).where('id', '=', key.id).execute();
    const details = { name: key.name };
    await recordAudit(inside, { actor: input.actor, action: 'key.revoke', object: key.id, details });
  });
}

/** Locked, because a key revoked while it is rolled would leave a valid successor. */
async function lockKey(
  context: KeyContext,
  { keyId, actor }: { keyId: string; actor: Actor },
): Promise<Selectable<KeyRow>> {
  await acquireLocks(context.database, `key:${keyId}`);
  return findKey(context, actor, keyId);
}

export interface KeyFilters {
  q?: string | undefined;
  status?: 'active' | 'ended' | undefined;
  projectId?: string | undefined;
  sort?: string | undefined;
}

/** Keys that were never used sort first, keys that never expire sort last. */
const sortColumns: SortColumns = {
  name: sql`lower(name)`,
  lastUsedAt: sql`coalesce(last_used_at, '')`,
  expiresAt: sql`coalesce(expires_at, '9999')`,
};

function hasStatus(now: string, status: 'active' | 'ended') {
  return (rows: ExpressionBuilder<Tables, 'api_keys'>) => {
    const hasEnded = rows.or([rows('revoked_at', 'is not', null), rows('expires_at', '<=', now)]);
    const isActive = rows.and([
      rows('revoked_at', 'is', null),
      rows.or([rows('expires_at', 'is', null), rows('expires_at', '>', now)]),
    ]);
    return status === 'ended' ? hasEnded : isActive;
  };
}

export async function listKeys(
  context: Pick<Context, 'database' | 'clock'>,
  input: PageRequest & KeyFilters & { reach: AccessScope },
): Promise<ListPage<ApiKey>> {
  let query = context.database.selectFrom('api_keys').selectAll().where(keysWithin(input.reach));
  if (input.projectId !== undefined) query = query.where('project_id', '=', input.projectId);
  if (input.status !== undefined) query = query.where(hasStatus(nowText(context), input.status));
  if (input.q !== undefined) query = query.where(columnsContain(['name', 'id', 'prefix', 'last4'], input.q));
  return readSortedPage(input, query, viewKey, sortColumns);
}

async function insertKey(
  context: KeyContext,
  actor: Actor,
  values: Pick<KeyRow, 'name' | 'scopes' | 'allowed_addresses' | 'expires_at' | 'rolled_from' | 'project_id'>,
): Promise<CreatedKey> {
  const text = newKeyText();
  return inTransaction(context.database, async (database) => {
    const row = await database
      .insertInto('api_keys')
      .values({
        ...values,
        id: newId('key'),
        organization_id: actor.organizationId,
        hash: hashKey(context.secrets.keyPepper, text),
        pepper: context.secrets.pepperId,
        prefix: text.slice(0, 12),
        last4: text.slice(-4),
        created_at: nowText(context),
        last_used_at: null,
        revoked_at: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordAudit(
      { ...context, database },
      {
        actor,
        action: values.rolled_from === null ? 'key.create' : 'key.roll',
        object: row.id,
        details: { name: row.name, rolledFrom: values.rolled_from, ...limitOf(row) },
      },
    );
    return { ...viewKey(row), key: text };
  });
}

/** A caller cannot grant scopes or addresses that it lacks. */
function refuseEscalation(
  addresses: readonly string[],
  scopes: readonly Scope[],
  granter: Granter | undefined,
): void {
  const limit = granter?.allowedAddresses ?? [];
  const details = [
    ...addresses.flatMap((range, index) => {
      const message =
        complainAboutRange(range) ??
        (limit.length > 0 && !limit.includes(range)
          ? `The calling key is not allowed from ${range}.`
          : undefined);
      return message === undefined ? [] : [{ path: `allowedAddresses.${index}`, message }];
    }),
    ...(limit.length > 0 && addresses.length === 0
      ? [
          {
            path: 'allowedAddresses',
            message: 'The calling key is limited to some addresses. Limit the new key to them too.',
          },
        ]
      : []),
    ...scopes.flatMap((scope, index) =>
      granter === undefined || scopesGrant(granter.scopes, scope)
        ? []
        : [{ path: `scopes.${index}`, message: `The calling key does not have the scope ${scope}.` }],
    ),
  ];
  if (details.length > 0) throw new Problem('invalid_request', details[0]?.message ?? '', { details });
}

async function findKey(context: KeyContext, reach: AccessScope, keyId: string): Promise<Selectable<KeyRow>> {
  const row = await context.database
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', keyId)
    .where(keysWithin(reach))
    .executeTakeFirst();
  if (row === undefined)
    throw new Problem('not_found', 'There is no such API key. List them with GET /v1/api-keys.');
  return row;
}

function limitOf({ project_id: projectId }: Pick<KeyRow, 'project_id'>): { projectId?: string } {
  return projectId === null ? {} : { projectId };
}

export function storedScopes({ scopes }: { scopes: string }): Scope[] {
  return (JSON.parse(scopes) as string[]).map(currentScope);
}

function viewKey(row: Selectable<KeyRow>): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    last4: row.last4,
    scopes: storedScopes(row),
    allowedAddresses: JSON.parse(row.allowed_addresses) as string[],
    projectId: row.project_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
    rolledFrom: row.rolled_from,
  };
}

export function hasExpired(context: KeyContext, row: { expires_at: string | null }): boolean {
  return row.expires_at !== null && row.expires_at <= nowText(context);
}

function later(context: KeyContext, seconds: number): string {
  return new Date(context.clock.now().getTime() + seconds * 1000).toISOString();
}
