/** What the operator does on the machine: people with a password of the operator's choice, without an invitation. */
import type { Person, Role } from '@docyard/api';
import type { Selectable } from 'kysely';
import { recordAudit } from '../audit/audit.ts';
import type { Actor, Context } from '../context.ts';
import { exclusively, inTransaction, type PersonRow } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { hashPassword, requireGoodPassword } from './password.ts';
import { insertPerson, viewPerson } from './people.ts';
import { endSessionsOf } from './sessions.ts';

type HandContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

export async function createPerson(
  context: HandContext,
  input: { email: string; name: string; role: Role; password: string; actor: Actor },
): Promise<Person> {
  const { email, name, role, actor } = input;
  requireGoodPassword(input.password, 'password', email);
  const password = await hashPassword(context.secrets, input.password);
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    await exclusively(database, `people:${actor.organizationId}`);
    if ((await lookFor(inside, email, actor)) !== undefined) {
      throw new Problem(
        'person_exists',
        `${email} is here already. Set a password with docyard users password.`,
      );
    }
    const values = { organization_id: actor.organizationId, email, name, role, password };
    const person = await insertPerson(inside, values);
    await recordAudit(inside, {
      actor,
      action: 'person.create',
      object: person.id,
      details: { email, role },
    });
    return viewPerson(person);
  });
}

/** Whoever was invited or disabled can sign in afterwards. */
export async function setPassword(
  context: HandContext,
  input: { personId: string; password: string; actor: Actor },
): Promise<void> {
  const { personId, actor } = input;
  requireGoodPassword(input.password, 'password');
  const password = await hashPassword(context.secrets, input.password);
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const change = { password, invitation_hash: null, invitation_expires_at: null, disabled_at: null };
    await database
      .updateTable('people')
      .set((eb) => ({ ...change, version: eb('version', '+', 1) }))
      .where('id', '=', personId)
      .execute();
    await endSessionsOf(inside, personId);
    await recordAudit(inside, { actor, action: 'person.password', object: personId });
  });
}

export async function findPerson(
  context: Pick<Context, 'database'>,
  { email, actor }: { email: string; actor: Actor },
): Promise<Selectable<PersonRow>> {
  const person = await lookFor(context, email.trim().toLowerCase(), actor);
  if (person !== undefined) return person;
  throw new Problem('not_found', `There is no person ${email}. List them with docyard users list.`);
}

async function lookFor(
  { database }: Pick<Context, 'database'>,
  email: string,
  actor: Actor,
): Promise<Selectable<PersonRow> | undefined> {
  return database
    .selectFrom('people')
    .selectAll()
    .where('email', '=', email)
    .where('organization_id', '=', actor.organizationId)
    .executeTakeFirst();
}
