/**
 * Sessions: begun by signing in, found by their token, ended by time, by hand or with their person. The token leaves this
 * module once; only its hash is stored.
 */
import { createHash, randomBytes } from 'node:crypto';
import { scopesOfRole, type Plan, type Role } from '@docyard/api';
import type { Selectable } from 'kysely';
import { nowText, type Context } from '../context.ts';
import type { Caller } from '../keys/authenticate.ts';
import type { PersonRow, SessionRow } from '../ports/database.ts';

const idleDays = 7;
const longestDays = 30;
/** How exactly it is known when a person was last here. */
export const lastSeenGrainSeconds = 60;

/** What is announced when a session ends early or a person means something else. The triggers of PostgreSQL say the same. */
export const peopleChanges = 'people';

type SessionContext = Pick<Context, 'database' | 'clock'>;

/** Random enough that nothing more than a plain hash is needed. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

export async function startSession(context: SessionContext, personId: string): Promise<string> {
  const token = newToken();
  const now = nowText(context);
  await context.database
    .insertInto('sessions')
    .values({
      hash: hashToken(token),
      person_id: personId,
      created_at: now,
      last_seen_at: now,
      expires_at: daysAfter(context, longestDays),
    })
    .execute();
  await context.database
    .updateTable('people')
    .set({ last_seen_at: now })
    .where('id', '=', personId)
    .execute();
  return token;
}

/** A session as it is stored, together with its person and their organization. */
export type SessionHolder = Pick<Selectable<SessionRow>, 'hash' | 'last_seen_at' | 'expires_at'> &
  Pick<Selectable<PersonRow>, 'organization_id' | 'email' | 'name' | 'role' | 'disabled_at'> & {
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

/** Undefined for every token without a live session. `find` may remember what it found; the time is looked at here. */
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
    person: { id: row.person_id, email: row.email, name: row.name, role },
  };
}

/** At most one write a minute and session, so that reading does not turn into writing. */
export async function touchSession(context: SessionContext, token: string, personId: string): Promise<void> {
  const last_seen_at = nowText(context);
  const stale = new Date(context.clock.now().getTime() - lastSeenGrainSeconds * 1000).toISOString();
  const touched = await context.database
    .updateTable('sessions')
    .set({ last_seen_at })
    .where('hash', '=', hashToken(token))
    .where('last_seen_at', '<', stale)
    .executeTakeFirst();
  if (touched.numUpdatedRows === 0n) return;
  await context.database.updateTable('people').set({ last_seen_at }).where('id', '=', personId).execute();
}

export async function endSession(context: SessionContext, token: string): Promise<void> {
  await context.database.deleteFrom('sessions').where('hash', '=', hashToken(token)).execute();
}

export async function endSessionsOf(context: SessionContext, personId: string): Promise<void> {
  await context.database.deleteFrom('sessions').where('person_id', '=', personId).execute();
}

/** Removes what has ended by time. */
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
