/** Identifies the caller of a request by its API key. */
import type { Plan, Role, Scope } from '@docyard/api';
import type { Selectable } from 'kysely';
import { nowText } from '../context.ts';
import type { KeyRow } from '../ports/database.ts';
import type { AccessScope } from '../access-scope.ts';
import { hashKey, isWellFormedKey } from './format.ts';
import { hasExpired, storedScopes, type KeyContext } from './keys.ts';

export const lastUsedPrecisionSeconds = 60;

/** The key or the signed-in user of a request. */
export interface Caller extends AccessScope {
  /** The id of the key or user, for which rates are counted. */
  id: string;
  organizationName: string;
  plan: Plan;
  localSources: boolean;
  scopes: Scope[];
  allowedAddresses: string[];
  key: { id: string; name: string; expiresAt: string | null } | null;
  user: { id: string; email: string; name: string; role: Role } | null;
}

export type KeyHolder = Selectable<KeyRow> & {
  organization_name: string;
  plan: string;
  local_sources: number;
};

export async function findKeyHolder(context: KeyContext, text: string): Promise<KeyHolder | undefined> {
  const { keyPepper, otherPeppers } = context.secrets;
  const hashes = [keyPepper, ...otherPeppers.map(({ key }) => key)].map((pepper) => hashKey(pepper, text));
  const holder = await context.database
    .selectFrom('api_keys')
    .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
    .selectAll('api_keys')
    .select(['organizations.name as organization_name', 'organizations.plan', 'organizations.local_sources'])
    .where('api_keys.hash', 'in', hashes)
    .executeTakeFirst();
  if (holder !== undefined && holder.hash !== hashes[0]) await replaceHash(context, holder, text);
  return holder;
}

/** Moves a key to the active pepper. After a failure, the next use tries again. */
async function replaceHash(
  { database, secrets }: KeyContext,
  { id, hash }: KeyHolder,
  text: string,
): Promise<void> {
  await database
    .updateTable('api_keys')
    .set({ hash: hashKey(secrets.keyPepper, text), pepper: secrets.pepperId })
    .where('id', '=', id)
    .where('hash', '=', hash)
    .execute()
    .catch(() => undefined);
}

/**
 * Undefined for every text that is not a live key; only the log has the reason. `find` may be cached, because expiry
 * is checked on every call.
 */
export async function authenticate(
  context: KeyContext,
  text: string,
  find = () => findKeyHolder(context, text),
): Promise<Caller | undefined> {
  if (!isWellFormedKey(text)) return undefined;
  const row = await find();
  return row && callerWith(context, row);
}

const callers = new WeakMap<KeyHolder, Caller>();

function callerWith(context: KeyContext, row: KeyHolder): Caller | undefined {
  if (row.revoked_at !== null || hasExpired(context, row)) return undefined;
  const known = callers.get(row);
  if (known !== undefined) return known;
  const caller: Caller = {
    id: row.id,
    organizationId: row.organization_id,
    projectId: row.project_id,
    organizationName: row.organization_name,
    plan: row.plan as Plan,
    localSources: row.local_sources === 1,
    scopes: storedScopes(row),
    allowedAddresses: JSON.parse(row.allowed_addresses) as string[],
    key: { id: row.id, name: row.name, expiresAt: row.expires_at },
    user: null,
  };
  callers.set(row, caller);
  return caller;
}

/** Writes at most once per minute and key, so that reads do not become writes. */
export async function touchKey(context: KeyContext, keyId: string): Promise<void> {
  const stale = new Date(context.clock.now().getTime() - lastUsedPrecisionSeconds * 1000).toISOString();
  const fresh = await context.database
    .selectFrom('api_keys')
    .select('id')
    .where('id', '=', keyId)
    .where('last_used_at', '>=', stale)
    .executeTakeFirst();
  // An UPDATE waits for the write lock even when it changes nothing.
  if (fresh !== undefined) return;
  await context.database
    .updateTable('api_keys')
    .set({ last_used_at: nowText(context) })
    .where('id', '=', keyId)
    .execute();
}
