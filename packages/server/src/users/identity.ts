/**
 * Signs in users with an OpenID Connect identity. Users are identified by issuer and subject; the first sign-in
 * matches a verified email.
 */
import type { Role } from '@docyard/api';
import type { Selectable } from 'kysely';
import { recordAudit } from '../audit/audit.ts';
import type { Context } from '../context.ts';
import { listOrganizations } from '../organizations/organizations.ts';
import { acquireLocks, inTransaction, type UserRow } from '../ports/database.ts';
import { insertUser } from './users.ts';
import { startSession } from './sessions.ts';
import { actorOf, type Origin } from './sign-in.ts';

export interface Identity {
  issuer: string;
  subject: string;
  email: string | undefined;
  isEmailVerified: boolean;
  name: string | undefined;
}

/** Who may sign in without an invitation. */
export interface Admission {
  defaultRole: Role | null;
  emailDomains: readonly string[];
}

export type Refusal = 'setup_needed' | 'email_unverified' | 'not_invited' | 'disabled';

type IdentityContext = Pick<Context, 'database' | 'clock'>;
type Row = Selectable<UserRow>;

/** The token of a new session, or the reason for a refusal. */
export async function signInWithIdentity(
  context: IdentityContext,
  input: { identity: Identity; admission: Admission; from: Origin },
): Promise<{ token: string } | { refused: Refusal }> {
  const { identity, from } = input;
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    await acquireLocks(database, `identity:${identity.issuer}:${identity.subject}`);
    const found = (await findKnown(inside, identity)) ?? (await admit(inside, input));
    if (typeof found === 'string') return { refused: found };
    const actor = actorOf(found, from);
    if (found.disabled_at !== null) {
      await recordAudit(inside, { actor, action: 'session.refuse', object: found.id });
      return { refused: 'disabled' };
    }
    await recordAudit(inside, {
      actor,
      action: 'session.start',
      object: found.id,
      details: { with: 'oidc' },
    });
    return { token: await startSession(inside, found.id) };
  });
}

function findKnown({ database }: IdentityContext, { issuer, subject }: Identity): Promise<Row | undefined> {
  return database
    .selectFrom('people')
    .selectAll()
    .where('oidc_issuer', '=', issuer)
    .where('oidc_subject', '=', subject)
    .executeTakeFirst();
}

/** Links the identity to an existing or invited user with this email and no other identity. */
async function admit(
  context: IdentityContext,
  { identity, admission, from }: { identity: Identity; admission: Admission; from: Origin },
): Promise<Row | Refusal> {
  const email = identity.email?.trim().toLowerCase();
  if (email === undefined || !identity.isEmailVerified) return 'email_unverified';
  const [organization] = await listOrganizations(context);
  const anyUser = await context.database.selectFrom('people').select('id').limit(1).executeTakeFirst();
  // Single sign-on never creates an owner, so the setup must come first.
  if (organization === undefined || anyUser === undefined) return 'setup_needed';
  await acquireLocks(context.database, `email:${email}`);
  const known = await context.database
    .selectFrom('people')
    .selectAll()
    .where('email', '=', email)
    .orderBy('sequence')
    .executeTakeFirst();
  if (known !== undefined)
    return known.oidc_subject === null ? link(context, known, identity) : 'not_invited';
  if (admission.defaultRole === null || !isOfDomain(email, admission.emailDomains)) return 'not_invited';
  const user = await insertUser(context, {
    oidc_issuer: identity.issuer,
    oidc_subject: identity.subject,
    organization_id: organization.id,
    email,
    name: nameOf(identity, email),
    role: admission.defaultRole,
  });
  await recordAudit(context, { actor: actorOf(user, from), action: 'person.join', object: user.id });
  return user;
}

async function link({ database }: IdentityContext, user: Row, identity: Identity): Promise<Row> {
  return database
    .updateTable('people')
    .set({
      oidc_issuer: identity.issuer,
      oidc_subject: identity.subject,
      name: user.name === '' ? nameOf(identity, user.email) : user.name,
      invitation_hash: null,
      invitation_expires_at: null,
    })
    .where('id', '=', user.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

function isOfDomain(email: string, domains: readonly string[]): boolean {
  return domains.length === 0 || domains.includes(email.slice(email.lastIndexOf('@') + 1));
}

function nameOf({ name }: Identity, email: string): string {
  return (name?.trim() || (email.split('@')[0] ?? '')).slice(0, 100);
}
