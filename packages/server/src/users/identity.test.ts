/** Sign-in with an identity of an OpenID Connect issuer. */
import { expect, test } from 'vitest';
import { composeForTest, createTenant, type TestContext } from '../../test/support/test-context.ts';
import { createUser } from './operator-accounts.ts';
import { signInWithIdentity, type Admission, type Identity } from './identity.ts';
import { inviteUser, listUsers, updateUser } from './users.ts';
import { authenticateSession } from './sessions.ts';
import { goodPassword } from '../../test/support/visitor.ts';

const issuer = 'https://id.example.com';
const invitedOnly: Admission = { defaultRole: null, emailDomains: [] };
const from = { address: null, requestId: null };

const identityOf = (subject: string, change: Partial<Identity> = {}): Identity => ({
  issuer,
  subject,
  email: `${subject}@example.com`,
  isEmailVerified: true,
  name: subject.toUpperCase(),
  ...change,
});

async function setUp(options: { owner?: boolean } = {}) {
  const context = await composeForTest();
  const { actor, organizationId } = await createTenant(context);
  const owner = {
    email: 'olga@example.com',
    name: 'Olga',
    role: 'owner',
    password: goodPassword,
    actor,
  } as const;
  if (options.owner !== false) await createUser(context, owner);
  const invite = (email: string) =>
    inviteUser(context, {
      email,
      role: 'member',
      actor,
      isOwner: false,
      origin: 'https://docs.example.com',
    });
  const allUsers = async () => (await listUsers(context, { organizationId })).data;
  return { context, actor, invite, allUsers };
}

async function signInWith(context: TestContext, identity: Identity, admission = invitedOnly) {
  const ended = await signInWithIdentity(context, { identity, admission, from });
  if ('refused' in ended) return ended.refused;
  return (await authenticateSession(context, ended.token))?.user;
}

test('an invited user signs in, and later by the subject alone with any email', async () => {
  const { context, invite } = await setUp();
  await invite('ada@example.com');
  const expected = { email: 'ada@example.com', name: 'ADA', role: 'member' };
  expect(await signInWith(context, identityOf('ada'))).toMatchObject(expected);
  const renamed = identityOf('ada', { email: 'byron@example.com', isEmailVerified: false });
  expect(await signInWith(context, renamed)).toMatchObject(expected);
});

test('a user with a password can sign in with an identity', async () => {
  const { context, allUsers } = await setUp();
  expect(await signInWith(context, identityOf('olga'))).toMatchObject({ name: 'Olga', role: 'owner' });
  expect(await allUsers()).toMatchObject([{ signsInWith: 'oidc', status: 'active' }]);
});

test('an email that belongs to another identity is refused', async () => {
  const { context } = await setUp();
  await signInWith(context, identityOf('olga'));
  expect(await signInWith(context, identityOf('eve', { email: 'olga@example.com' }))).toBe('not_invited');
  const otherIssuer = identityOf('olga', { issuer: 'https://other.example.com' });
  expect(await signInWith(context, otherIssuer)).toBe('not_invited');
});

test.each([
  ['ben@example.com', { defaultRole: 'viewer', emailDomains: [] }, 'viewer'],
  ['ben@example.com', { defaultRole: 'admin', emailDomains: ['example.com'] }, 'admin'],
  ['Ben@Example.COM', { defaultRole: 'admin', emailDomains: ['example.com'] }, 'admin'],
  ['ben@sub.example.com', { defaultRole: 'viewer', emailDomains: ['example.com'] }, 'not_invited'],
  ['ben@example.com@evil.example', { defaultRole: 'viewer', emailDomains: ['example.com'] }, 'not_invited'],
  ['ben@example.com', invitedOnly, 'not_invited'],
] as [string, Admission, string][])(
  '%s without an invitation gets with %j: %s',
  async (email, admission, ending) => {
    const { context } = await setUp();
    const ended = await signInWith(context, identityOf('ben', { email }), admission);
    expect(typeof ended === 'string' ? ended : ended?.role).toBe(ending);
  },
);

test('an identity without a verified email is refused', async () => {
  const { context, invite } = await setUp();
  await invite('ada@example.com');
  for (const change of [{ isEmailVerified: false }, { email: undefined }]) {
    expect(await signInWith(context, identityOf('ada', change))).toBe('email_unverified');
  }
});

test('an identity is refused before there is an owner', async () => {
  const { context } = await setUp({ owner: false });
  const admission: Admission = { defaultRole: 'viewer', emailDomains: [] };
  expect(await signInWith(context, identityOf('ada'), admission)).toBe('setup_needed');
});

test('a disabled user is refused', async () => {
  const { context, actor, invite } = await setUp();
  const { person } = await invite('ada@example.com');
  await signInWith(context, identityOf('ada'));
  await updateUser(context, { userId: person.id, change: { disabled: true }, actor, isOwner: true });
  expect(await signInWith(context, identityOf('ada'))).toBe('disabled');
});
