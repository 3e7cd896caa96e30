/** Accounts that the operator creates with the CLI, with a password and without an invitation. */
import type { User, Role } from '@docyard/api';
import type { Selectable } from 'kysely';
import { recordAudit } from '../audit/audit.ts';
import type { Actor, Context } from '../context.ts';
import { acquireLocks, inTransaction, type UserRow } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { hashPassword, requireGoodPassword } from './password.ts';
import { insertUser, viewUser } from './users.ts';
import { endSessionsOf } from './sessions.ts';

type AccountContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

export async function createUser(
  context: AccountContext,
  input: { email: string; name: string; role: Role; password: string; actor: Actor },
): Promise<User> {
  const { email, name, role, actor } = input;
  requireGoodPassword(input.password, 'password', email);
  const password = await hashPassword(context.secrets, input.password);
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    await acquireLocks(database, `people:${actor.organizationId}`);
    if ((await findByEmail(inside, email, actor)) !== undefined) {
      throw new Problem(
        'person_exists',
        `${email} already exists. Set a password with docyard users password.`,
      );
    }
    const values = { organization_id: actor.organizationId, email, name, role, password };
    const user = await insertUser(inside, values);
    await recordAudit(inside, {
      actor,
      action: 'person.create',
      object: user.id,
      details: { email, role },
    });
    return viewUser(user);
  });
}

/** Also activates invited and disabled users. */
export async function setPassword(
  context: AccountContext,
  input: { userId: string; password: string; actor: Actor },
): Promise<void> {
  const { userId, actor } = input;
  requireGoodPassword(input.password, 'password');
  const password = await hashPassword(context.secrets, input.password);
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const change = { password, invitation_hash: null, invitation_expires_at: null, disabled_at: null };
    await database
      .updateTable('people')
      .set((eb) => ({ ...change, version: eb('version', '+', 1) }))
      .where('id', '=', userId)
      .execute();
    await endSessionsOf(inside, userId);
    await recordAudit(inside, { actor, action: 'person.password', object: userId });
  });
}

export async function findUser(
  context: Pick<Context, 'database'>,
  { email, actor }: { email: string; actor: Actor },
): Promise<Selectable<UserRow>> {
  const user = await findByEmail(context, email.trim().toLowerCase(), actor);
  if (user !== undefined) return user;
  throw new Problem('not_found', `There is no user ${email}. List users with docyard users list.`);
}

async function findByEmail(
  { database }: Pick<Context, 'database'>,
  email: string,
  actor: Actor,
): Promise<Selectable<UserRow> | undefined> {
  return database
    .selectFrom('people')
    .selectAll()
    .where('email', '=', email)
    .where('organization_id', '=', actor.organizationId)
    .executeTakeFirst();
}
