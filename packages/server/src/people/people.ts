/**
 * The people of an organization: listed, invited, given a role, disabled, removed. Owners are changed by owners alone,
 * and one of them always stays.
 */
import type { Invitation, InvitePerson, Person, Role, UpdatePerson } from '@docyard/api';
import { sql, type Selectable } from 'kysely';
import { recordAudit } from '../audit/audit.ts';
import { nowText, type Actor, type Context } from '../context.ts';
import { newId } from '../ids.ts';
import { readSortedPage, type ListPage, type PageRequest, type SortColumns } from '../paging.ts';
import { exclusively, inTransaction, type PersonRow } from '../ports/database.ts';
import { Problem, requireVersion } from '../problem.ts';
import { columnsContain } from '../search.ts';
import { endSessionsOf, hashToken, newToken } from './sessions.ts';

const invitationDays = 7;

type PeopleContext = Pick<Context, 'database' | 'clock'>;
type Row = Selectable<PersonRow>;

/** Who changes people. A key is no owner, or whoever may make keys would be one. */
export interface Changer {
  actor: Actor;
  isOwner: boolean;
}

export interface PeopleFilters {
  q?: string | undefined;
  sort?: string | undefined;
}

const sortColumns: SortColumns = {
  name: sql`lower(name)`,
  email: sql`email`,
  lastSeenAt: sql`coalesce(last_seen_at, '')`,
};

export async function listPeople(
  context: Pick<Context, 'database'>,
  input: PageRequest & PeopleFilters & { organizationId: string },
): Promise<ListPage<Person>> {
  let query = context.database
    .selectFrom('people')
    .selectAll()
    .where('organization_id', '=', input.organizationId);
  if (input.q !== undefined) query = query.where(columnsContain(['name', 'email', 'id'], input.q));
  return readSortedPage(input, query, viewPerson, sortColumns);
}

/** `origin` is where the invited will reach the dashboard. */
export async function invitePerson(
  context: PeopleContext,
  input: InvitePerson & Changer & { origin: string },
): Promise<Invitation> {
  const { email, role, actor } = input;
  if (role === 'owner') requireOwner(input);
  const token = newToken();
  const expiresAt = new Date(context.clock.now().getTime() + invitationDays * 86_400_000).toISOString();
  const invitation = { role, invitation_hash: hashToken(token), invitation_expires_at: expiresAt };
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    await exclusively(database, `people:${actor.organizationId}`);
    const known = await database
      .selectFrom('people')
      .selectAll()
      .where('email', '=', email)
      .where('organization_id', '=', actor.organizationId)
      .executeTakeFirst();
    if (known !== undefined && viewPerson(known).status !== 'invited') {
      const message = 'There is a person with this email already.';
      throw new Problem('person_exists', message, { details: [{ path: 'email', message }] });
    }
    if (known?.role === 'owner') requireOwner(input);
    const person =
      known === undefined
        ? await insertPerson(inside, {
            ...invitation,
            organization_id: actor.organizationId,
            email,
            name: '',
          })
        : await change(inside, known.id, { ...invitation, version: known.version + 1 });
    await recordAudit(inside, {
      actor,
      action: 'person.invite',
      object: person.id,
      details: { email, role },
    });
    const invitationUrl = `${input.origin}/dashboard/invitation#${token}`;
    return { person: viewPerson(person), invitationUrl, expiresAt };
  });
}

export async function updatePerson(
  context: PeopleContext,
  input: Changer & { personId: string; change: UpdatePerson },
): Promise<Person> {
  const { actor } = input;
  const { version, ...wanted } = input.change;
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const person = await holdPerson(inside, input);
    requireVersion(person, version);
    if (wanted.role === 'owner') requireOwner(input);
    const role = wanted.role ?? (person.role as Role);
    const disabled = wanted.disabled ?? person.disabled_at !== null;
    if (isActiveOwner(person) && (role !== 'owner' || disabled)) await requireOtherOwner(inside, person);
    const disabled_at = disabled ? (person.disabled_at ?? nowText(context)) : null;
    const changed = await change(inside, person.id, { role, disabled_at, version: person.version + 1 });
    if (disabled) await endSessionsOf(inside, person.id);
    await recordAudit(inside, { actor, action: 'person.update', object: person.id, details: { ...wanted } });
    return viewPerson(changed);
  });
}

export async function removePerson(
  context: PeopleContext,
  input: Changer & { personId: string },
): Promise<void> {
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const person = await holdPerson(inside, input);
    if (isActiveOwner(person)) await requireOtherOwner(inside, person);
    await database.deleteFrom('people').where('id', '=', person.id).execute();
    const details = { email: person.email };
    await recordAudit(inside, { actor: input.actor, action: 'person.remove', object: person.id, details });
  });
}

export async function insertPerson(
  context: PeopleContext,
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

export function viewPerson(row: Row): Person {
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

/** Two changes of the same organization wait for each other: each may be about the last owner. */
async function holdPerson({ database }: PeopleContext, input: Changer & { personId: string }): Promise<Row> {
  const { organizationId } = input.actor;
  await exclusively(database, `people:${organizationId}`);
  const person = await database
    .selectFrom('people')
    .selectAll()
    .where('id', '=', input.personId)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  if (person === undefined) {
    throw new Problem('not_found', 'There is no such person. List them with GET /v1/people.');
  }
  if (person.role === 'owner') requireOwner(input);
  return person;
}

async function change({ database }: PeopleContext, id: string, values: Partial<Row>): Promise<Row> {
  return database
    .updateTable('people')
    .set(values)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

function requireOwner({ isOwner }: Pick<Changer, 'isOwner'>): void {
  if (!isOwner) throw new Problem('owner_required', 'Only an owner makes, changes and removes owners.');
}

/** One who was invited and has never come cannot look after the others. */
async function requireOtherOwner({ database }: PeopleContext, person: Row): Promise<void> {
  const owners = await database
    .selectFrom('people')
    .selectAll()
    .where('organization_id', '=', person.organization_id)
    .where('role', '=', 'owner')
    .where('id', '!=', person.id)
    .execute();
  if (owners.some(isActiveOwner)) return;
  throw new Problem('last_owner', 'This is the last owner. Make somebody else an owner first.');
}

function isActiveOwner(person: Row): boolean {
  return person.role === 'owner' && viewPerson(person).status === 'active';
}
