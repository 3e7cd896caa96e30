/**
 * Lists, invites, changes and removes the users of an organization. Only owners change owners, and the last owner
 * cannot be removed.
 */
import type { Invitation, InviteUser, User, Role, UpdateUser } from '@docyard/api';
import { sql, type Selectable } from 'kysely';
import { recordAudit } from '../audit/audit.ts';
import { nowText, type Actor, type Context } from '../context.ts';
import { newId } from '../ids.ts';
import { readSortedPage, type ListPage, type PageRequest, type SortColumns } from '../paging.ts';
import { acquireLocks, inTransaction, type UserRow } from '../ports/database.ts';
import { Problem, requireVersion } from '../problem.ts';
import { columnsContain } from '../search.ts';
import { endSessionsOf, hashToken, newToken } from './sessions.ts';

const invitationDays = 7;

type UserContext = Pick<Context, 'database' | 'clock'>;
type Row = Selectable<UserRow>;

/** The caller that changes users. A key is never an owner, or every caller that may create keys would be one. */
export interface Changer {
  actor: Actor;
  isOwner: boolean;
}

export interface UserFilters {
  q?: string | undefined;
  sort?: string | undefined;
}

const sortColumns: SortColumns = {
  name: sql`lower(name)`,
  email: sql`email`,
  lastSeenAt: sql`coalesce(last_seen_at, '')`,
};

export async function listUsers(
  context: Pick<Context, 'database'>,
  input: PageRequest & UserFilters & { organizationId: string },
): Promise<ListPage<User>> {
  let query = context.database
    .selectFrom('people')
    .selectAll()
    .where('organization_id', '=', input.organizationId);
  if (input.q !== undefined) query = query.where(columnsContain(['name', 'email', 'id'], input.q));
  return readSortedPage(input, query, viewUser, sortColumns);
}

/** `origin` is the URL of the dashboard. */
export async function inviteUser(
  context: UserContext,
  input: InviteUser & Changer & { origin: string },
): Promise<Invitation> {
  const { email, role, actor } = input;
  if (role === 'owner') requireOwner(input);
  const token = newToken();
  const expiresAt = new Date(context.clock.now().getTime() + invitationDays * 86_400_000).toISOString();
  const invitation = { role, invitation_hash: hashToken(token), invitation_expires_at: expiresAt };
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    await acquireLocks(database, `people:${actor.organizationId}`);
    const known = await database
      .selectFrom('people')
      .selectAll()
      .where('email', '=', email)
      .where('organization_id', '=', actor.organizationId)
      .executeTakeFirst();
    if (known !== undefined && viewUser(known).status !== 'invited') {
      const message = 'A user with this email already exists.';
      throw new Problem('person_exists', message, { details: [{ path: 'email', message }] });
    }
    if (known?.role === 'owner') requireOwner(input);
    const user =
      known === undefined
        ? await insertUser(inside, {
            ...invitation,
            organization_id: actor.organizationId,
            email,
            name: '',
          })
        : await change(inside, known.id, { ...invitation, version: known.version + 1 });
    await recordAudit(inside, {
      actor,
      action: 'person.invite',
      object: user.id,
      details: { email, role },
    });
    const invitationUrl = `${input.origin}/dashboard/invitation#${token}`;
    return { person: viewUser(user), invitationUrl, expiresAt };
  });
}

export async function updateUser(
  context: UserContext,
  input: Changer & { userId: string; change: UpdateUser },
): Promise<User> {
  const { actor } = input;
  const { version, ...wanted } = input.change;
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const user = await lockUser(inside, input);
    requireVersion(user, version);
    if (wanted.role === 'owner') requireOwner(input);
    const role = wanted.role ?? (user.role as Role);
    const disabled = wanted.disabled ?? user.disabled_at !== null;
    if (isActiveOwner(user) && (role !== 'owner' || disabled)) await requireOtherOwner(inside, user);
    const disabled_at = disabled ? (user.disabled_at ?? nowText(context)) : null;
    const changed = await change(inside, user.id, { role, disabled_at, version: user.version + 1 });
    if (disabled) await endSessionsOf(inside, user.id);
    await recordAudit(inside, { actor, action: 'person.update', object: user.id, details: { ...wanted } });
    return viewUser(changed);
  });
}

export async function removeUser(context: UserContext, input: Changer & { userId: string }): Promise<void> {
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const user = await lockUser(inside, input);
    if (isActiveOwner(user)) await requireOtherOwner(inside, user);
    await database.deleteFrom('people').where('id', '=', user.id).execute();
    const details = { email: user.email };
    await recordAudit(inside, { actor: input.actor, action: 'person.remove', object: user.id, details });
  });
}

export async function insertUser(
  context: UserContext,
  values: Pick<Row, 'organization_id' | 'email' | 'name' | 'role'> & Partial<Row>,
): Promise<Row> {
  return context.database
    .insertInto('people')
    .values({
      password: null,
      oidc_issuer: null,
      oidc_subject: null,
      invitation_hash: null,
      invitation_expires_at: null,
      last_seen_at: null,
      disabled_at: null,
      ...values,
      id: newId('pe'),
      created_at: nowText(context),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function viewUser(row: Row): User {
  const signsInWith = row.oidc_subject !== null ? 'oidc' : row.password !== null ? 'password' : null;
  const status = row.disabled_at !== null ? 'disabled' : signsInWith === null ? 'invited' : 'active';
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role as Role,
    status,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    signsInWith,
    version: row.version,
  };
}

/** Locks the users of the organization, because each change may affect the last owner. */
async function lockUser({ database }: UserContext, input: Changer & { userId: string }): Promise<Row> {
  const { organizationId } = input.actor;
  await acquireLocks(database, `people:${organizationId}`);
  const user = await database
    .selectFrom('people')
    .selectAll()
    .where('id', '=', input.userId)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (user === undefined) {
    throw new Problem('not_found', 'There is no such user. List users with GET /v1/users.');
  }
  if (user.role === 'owner') requireOwner(input);
  return user;
}

async function change({ database }: UserContext, id: string, values: Partial<Row>): Promise<Row> {
  return database
    .updateTable('people')
    .set(values)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

function requireOwner({ isOwner }: Pick<Changer, 'isOwner'>): void {
  if (!isOwner) throw new Problem('owner_required', 'Only an owner can create, change or remove owners.');
}

/** Invited owners do not count, because they have never signed in. */
async function requireOtherOwner({ database }: UserContext, user: Row): Promise<void> {
  const owners = await database
    .selectFrom('people')
    .selectAll()
    .where('organization_id', '=', user.organization_id)
    .where('role', '=', 'owner')
    .where('id', '!=', user.id)
    .execute();
  if (owners.some(isActiveOwner)) return;
  throw new Problem('last_owner', 'This is the last owner. Make another user an owner first.');
}

function isActiveOwner(user: Row): boolean {
  return user.role === 'owner' && viewUser(user).status === 'active';
}
