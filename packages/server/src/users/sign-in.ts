/**
 * Sign-in with a password, invitations and password changes. Each returns the token of a new session. Passwords and
 * tokens appear in no log and no error.
 */
import type { AcceptInvitation, ChangePassword, SignIn } from '@docyard/api';
import type { Selectable } from 'kysely';
import { recordAudit } from '../audit/audit.ts';
import { nowText, type Actor, type Context } from '../context.ts';
import { inTransaction, type UserRow } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { resetAttempts, countAttempt } from './sign-in-attempts.ts';
import { hashPassword, usesOtherPepper, isPassword, requireGoodPassword } from './password.ts';
import { endSessionsOf, hashToken, startSession } from './sessions.ts';

/** Each candidate costs one hash. */
const maxWithOneEmail = 4;

type SignInContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

export type Origin = Pick<Actor, 'address' | 'requestId'>;

type Row = Selectable<UserRow>;

export async function signIn(context: SignInContext, input: SignIn & { from: Origin }): Promise<string> {
  const { email, password, from } = input;
  const user = await requirePassword(context, { email, password, from });
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    await recordAudit(inside, { actor: actorOf(user, from), action: 'session.start', object: user.id });
    return startSession(inside, user.id);
  });
}

/** Ends every other session and replaces the current one. */
export async function changePassword(
  context: SignInContext,
  input: ChangePassword & { userId: string; email: string; from: Origin },
): Promise<string> {
  const { userId, email, from } = input;
  requireGoodPassword(input.next, 'next', email);
  const user = await requirePassword(context, { userId, email, password: input.current, from });
  const password = await hashPassword(context.secrets, input.next);
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    await database.updateTable('people').set({ password }).where('id', '=', user.id).execute();
    await endSessionsOf(inside, user.id);
    await recordAudit(inside, { actor: actorOf(user, from), action: 'person.password', object: user.id });
    return startSession(inside, user.id);
  });
}

export async function acceptInvitation(
  context: SignInContext,
  input: AcceptInvitation & { from: Origin },
): Promise<string> {
  const attempt = { subject: 'invitation', address: input.from.address };
  await countAttempt(context, attempt);
  const invited = await findInvited(context, input.token);
  requireGoodPassword(input.password, 'password', invited.email);
  const password = await hashPassword(context.secrets, input.password);
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const user = await database
      .updateTable('people')
      .set({ name: input.name, password, invitation_hash: null, invitation_expires_at: null })
      .where('id', '=', invited.id)
      .where('invitation_hash', '=', hashToken(input.token))
      .returningAll()
      .executeTakeFirst();
    if (user === undefined) throw invalidInvitation();
    await resetAttempts(inside, attempt);
    const actor = actorOf(user, input.from);
    await recordAudit(inside, { actor, action: 'person.join', object: user.id });
    return startSession(inside, user.id);
  });
}

export function actorOf(user: Pick<Row, 'organization_id' | 'email'>, { address, requestId }: Origin): Actor {
  const reach = { organizationId: user.organization_id, projectId: null };
  return { ...reach, name: user.email, address, requestId };
}

/** Unknown, disabled, without or with a wrong password: the response is the same, in text and in time. */
async function requirePassword(
  context: SignInContext,
  input: SignIn & { from: Origin; userId?: string },
): Promise<Row> {
  const { email, password, from } = input;
  const attempt = { subject: email, address: from.address };
  await countAttempt(context, attempt);
  const users = await findCandidates(context, input);
  for (const user of users) {
    if (!(await isPassword(context.secrets, password, user.password)) || user.disabled_at !== null) continue;
    await resetAttempts(context, attempt);
    await renewHash(context, user, password);
    return user;
  }
  const hashes = await hashesOfAttempt(context);
  for (let done = users.length; done < hashes; done += 1) await isPassword(context.secrets, password, null);
  for (const user of users) {
    await recordAudit(context, { actor: actorOf(user, from), action: 'session.refuse', object: user.id });
  }
  throw new Problem('sign_in_failed', 'Email or password is wrong.');
}

/** Moves a password to the active pepper. */
async function renewHash({ database, secrets }: SignInContext, user: Row, password: string): Promise<void> {
  if (user.password === null || !usesOtherPepper(secrets, user.password)) return;
  await database
    .updateTable('people')
    .set({ password: await hashPassword(secrets, password) })
    .where('id', '=', user.id)
    .where('password', '=', user.password)
    .execute();
}

/** The number of hashes is the same for every email, so that timing does not reveal whether it is known. */
async function hashesOfAttempt({ database }: SignInContext): Promise<number> {
  const row = await database
    .selectFrom('people')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .groupBy('email')
    .orderBy('count', 'desc')
    .limit(1)
    .executeTakeFirst();
  return Math.min(Math.max(1, Number(row?.count ?? 0)), maxWithOneEmail);
}

/** Several organizations may have a user with this email; the password decides. */
async function findCandidates(
  { database }: SignInContext,
  { email, userId }: { email: string; userId?: string },
): Promise<Row[]> {
  const query = database.selectFrom('people').selectAll().where('email', '=', email);
  const chosen = userId === undefined ? query : query.where('id', '=', userId);
  return chosen.orderBy('sequence').limit(maxWithOneEmail).execute();
}

async function findInvited(context: SignInContext, token: string): Promise<Row> {
  const user = await context.database
    .selectFrom('people')
    .selectAll()
    .where('invitation_hash', '=', hashToken(token))
    .executeTakeFirst();
  if (
    user === undefined ||
    user.disabled_at !== null ||
    (user.invitation_expires_at ?? '') <= nowText(context)
  ) {
    throw invalidInvitation();
  }
  return user;
}

function invalidInvitation(): Problem {
  return new Problem(
    'token_invalid',
    'This invitation was used, has expired or was replaced. Ask an owner for a new one.',
  );
}
