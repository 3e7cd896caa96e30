/** Sessions of signed-in users. The token leaves this module only when the session starts; only its hash is stored. */
import { createHash, randomBytes } from 'node:crypto';
import { scopesOfRole, type Plan, type Role } from '@docyard/api';
import type { Selectable } from 'kysely';
import { nowText, type Context } from '../context.ts';
import type { Caller } from '../keys/authenticate.ts';
import type { UserRow, SessionRow } from '../ports/database.ts';

const idleDays = 7;
const maxDays = 30;
export const lastSeenPrecisionSeconds = 60;

/** The name under which changes of users and sessions are announced; PostgreSQL triggers use the same name. */
export const userChanges = 'people';

type SessionContext = Pick<Context, 'database' | 'clock'>;

/** Tokens have 256 random bits, so a plain hash is enough. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

export async function startSession(context: SessionContext, userId: string): Promise<string> {
  const token = newToken();
  const now = nowText(context);
  await context.database
    .insertInto('sessions')
    .values({
      hash: hashToken(token),
      person_id: userId,
      created_at: now,
      last_seen_at: now,
      expires_at: daysAfter(context, maxDays),
    })
    .execute();
  await context.database.updateTable('people').set({ last_seen_at: now }).where('id', '=', userId).execute();
  return token;
}

export type SessionHolder = Pick<Selectable<SessionRow>, 'hash' | 'last_seen_at' | 'expires_at'> &
  Pick<Selectable<UserRow>, 'organization_id' | 'email' | 'name' | 'role' | 'disabled_at'> & {
    person_id: string;
    organization_name: string;
    plan: string;
    local_sources: number;
  };

export async function findSession(
  context: SessionContext,
  token: string,
): Promise<SessionHolder | undefined> {
  return context.database
    .selectFrom('sessions')
    .innerJoin('people', 'people.id', 'sessions.person_id')
    .innerJoin('organizations', 'organizations.id', 'people.organization_id')
    .select([
      'sessions.hash',
      'sessions.person_id',
      'sessions.last_seen_at',
      'sessions.expires_at',
      'people.organization_id',
      'people.email',
      'people.name',
      'people.role',
      'people.disabled_at',
      'organizations.name as organization_name',
      'organizations.plan',
      'organizations.local_sources',
    ])
    .where('sessions.hash', '=', hashToken(token))
    .executeTakeFirst();
}

/** Undefined for every token without a live session. `find` may be cached, because expiry is checked on every call. */
export async function authenticateSession(
  context: SessionContext,
  token: string,
  find = () => findSession(context, token),
): Promise<Caller | undefined> {
  const row = await find();
  if (row === undefined || row.disabled_at !== null || row.expires_at <= nowText(context)) return undefined;
  if (row.last_seen_at <= daysAfter(context, -idleDays)) return undefined;
  const role = row.role as Role;
  return {
    id: row.person_id,
    organizationId: row.organization_id,
    projectId: null,
    organizationName: row.organization_name,
    plan: row.plan as Plan,
    localSources: row.local_sources === 1,
    scopes: [...scopesOfRole[role]],
    allowedAddresses: [],
    key: null,
    user: { id: row.person_id, email: row.email, name: row.name, role },
  };
}

/** Writes at most once per minute and session, so that reads do not become writes. */
export async function touchSession(context: SessionContext, token: string, userId: string): Promise<void> {
  const last_seen_at = nowText(context);
  const stale = new Date(context.clock.now().getTime() - lastSeenPrecisionSeconds * 1000).toISOString();
  const touched = await context.database
    .updateTable('sessions')
    .set({ last_seen_at })
    .where('hash', '=', hashToken(token))
    .where('last_seen_at', '<', stale)
    .executeTakeFirst();
  if (touched.numUpdatedRows === 0n) return;
  await context.database.updateTable('people').set({ last_seen_at }).where('id', '=', userId).execute();
}

export async function endSession(context: SessionContext, token: string): Promise<void> {
  await context.database.deleteFrom('sessions').where('hash', '=', hashToken(token)).execute();
}

export async function endSessionsOf(context: SessionContext, userId: string): Promise<void> {
  await context.database.deleteFrom('sessions').where('person_id', '=', userId).execute();
}

export async function sweepSessions(context: SessionContext): Promise<void> {
  await context.database
    .deleteFrom('sessions')
    .where((where) =>
      where.or([
        where('expires_at', '<=', nowText(context)),
        where('last_seen_at', '<=', daysAfter(context, -idleDays)),
      ]),
    )
    .execute();
}

function daysAfter(context: Pick<Context, 'clock'>, days: number): string {
  return new Date(context.clock.now().getTime() + days * 86_400_000).toISOString();
}
