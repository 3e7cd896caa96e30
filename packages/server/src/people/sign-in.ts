/**
 * The ways in with a password: signing in, accepting an invitation, changing the password. Each gives the token of a new
 * session. Passwords and tokens are neither logged nor part of an error.
 */
import type { AcceptInvitation, ChangePassword, SignIn } from '@docyard/api';
import type { Selectable } from 'kysely';
import { recordAudit } from '../audit/audit.ts';
import { nowText, type Actor, type Context } from '../context.ts';
import { inTransaction, type PersonRow } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { forgiveAttempts, takeAttempt } from './attempts.ts';
import { hashPassword, isOfOtherPepper, isPassword, requireGoodPassword } from './password.ts';
import { endSessionsOf, hashToken, startSession } from './sessions.ts';

/** Each costs a hash; more than a few are nobody's. */
const mostWithOneEmail = 4;

type SignInContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

/** Where a request came from, for the audit log. */
export type Origin = Pick<Actor, 'address' | 'requestId'>;

type Row = Selectable<PersonRow>;

export async function signIn(context: SignInContext, input: SignIn & { from: Origin }): Promise<string> {
  const { email, password, from } = input;
  const person = await requirePassword(context, { email, password, from });
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    await recordAudit(inside, { actor: actorOf(person, from), action: 'session.start', object: person.id });
    return startSession(inside, person.id);
  });
}

/** Every other session ends; the one that asked is replaced. */
export async function changePassword(
  context: SignInContext,
  input: ChangePassword & { personId: string; email: string; from: Origin },
): Promise<string> {
  const { personId, email, from } = input;
  requireGoodPassword(input.next, 'next', email);
  const person = await requirePassword(context, { personId, email, password: input.current, from });
  const password = await hashPassword(context.secrets, input.next);
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    await database.updateTable('people').set({ password }).where('id', '=', person.id).execute();
    await endSessionsOf(inside, person.id);
    await recordAudit(inside, { actor: actorOf(person, from), action: 'person.password', object: person.id });
    return startSession(inside, person.id);
  });
}

export async function acceptInvitation(
  context: SignInContext,
  input: AcceptInvitation & { from: Origin },
): Promise<string> {
  const attempt = { subject: 'invitation', address: input.from.address };
  await takeAttempt(context, attempt);
  const invited = await findInvited(context, input.token);
  requireGoodPassword(input.password, 'password', invited.email);
  const password = await hashPassword(context.secrets, input.password);
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const person = await database
      .updateTable('people')
      .set({ name: input.name, password, invitation_hash: null, invitation_expires_at: null })
      .where('id', '=', invited.id)
      .where('invitation_hash', '=', hashToken(input.token))
      .returningAll()
      .executeTakeFirst();
    if (person === undefined) throw invalidInvitation();
    await forgiveAttempts(inside, attempt);
    const actor = actorOf(person, input.from);
    await recordAudit(inside, { actor, action: 'person.join', object: person.id });
    return startSession(inside, person.id);
  });
}

/** As the audit log names a person. */
export function actorOf(
  person: Pick<Row, 'organization_id' | 'email'>,
  { address, requestId }: Origin,
): Actor {
  const reach = { organizationId: person.organization_id, projectId: null };
  return { ...reach, name: person.email, address, requestId };
}

/** Unknown, without a password, disabled or wrong: which of them is not told, neither by words nor by time. */
async function requirePassword(
  context: SignInContext,
  input: SignIn & { from: Origin; personId?: string },
): Promise<Row> {
  const { email, password, from } = input;
  const attempt = { subject: email, address: from.address };
  await takeAttempt(context, attempt);
  const people = await findCandidates(context, input);
  for (const person of people) {
    if (!(await isPassword(context.secrets, password, person.password)) || person.disabled_at !== null)
      continue;
    await forgiveAttempts(context, attempt);
    await renewHash(context, person, password);
    return person;
  }
  const hashes = await hashesOfAttempt(context);
  for (let done = people.length; done < hashes; done += 1) await isPassword(context.secrets, password, null);
  for (const person of people) {
    await recordAudit(context, { actor: actorOf(person, from), action: 'session.refuse', object: person.id });
  }
  throw new Problem('sign_in_failed', 'Email or password is wrong.');
}

/** Moves a password to the active pepper. */
async function renewHash({ database, secrets }: SignInContext, person: Row, password: string): Promise<void> {
  if (person.password === null || !isOfOtherPepper(secrets, person.password)) return;
  await database
    .updateTable('people')
    .set({ password: await hashPassword(secrets, password) })
    .where('id', '=', person.id)
    .where('password', '=', person.password)
    .execute();
}

/** As many for every email: else the time would show whether, and how often, one is known. */
async function hashesOfAttempt({ database }: SignInContext): Promise<number> {
  const row = await database
    .selectFrom('people')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .groupBy('email')
    .orderBy('count', 'desc')
    .limit(1)
    .executeTakeFirst();
  return Math.min(Math.max(1, Number(row?.count ?? 0)), mostWithOneEmail);
}

/** Organizations do not know of each other's people, so several may have one with this email: the password decides. */
async function findCandidates(
  { database }: SignInContext,
  { email, personId }: { email: string; personId?: string },
): Promise<Row[]> {
  const query = database.selectFrom('people').selectAll().where('email', '=', email);
  const chosen = personId === undefined ? query : query.where('id', '=', personId);
  return chosen.orderBy('sequence').limit(mostWithOneEmail).execute();
}

async function findInvited(context: SignInContext, token: string): Promise<Row> {
  const person = await context.database
    .selectFrom('people')
    .selectAll()
    .where('invitation_hash', '=', hashToken(token))
    .executeTakeFirst();
  if (
    person === undefined ||
    person.disabled_at !== null ||
    (person.invitation_expires_at ?? '') <= nowText(context)
  ) {
    throw invalidInvitation();
  }
  return person;
}

function invalidInvitation(): Problem {
  return new Problem(
    'token_invalid',
    'This invitation was used, has expired or was replaced. Ask for a new one.',
  );
}
