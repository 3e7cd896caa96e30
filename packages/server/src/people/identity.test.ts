/** Who comes in when an issuer vouches for them, and as whom. */
import { expect, test } from 'vitest';
import { composeForTest, createTenant, type TestContext } from '../../test/support/test-context.ts';
import { createPerson } from './by-hand.ts';
import { signInWithIdentity, type Admission, type Identity } from './identity.ts';
import { invitePerson, listPeople, updatePerson } from './people.ts';
import { authenticateSession } from './sessions.ts';
import { goodPassword } from '../../test/support/visitor.ts';

const issuer = 'https://id.example.com';
const nobodyElse: Admission = { defaultRole: null, emailDomains: [] };
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
  if (options.owner !== false) await createPerson(context, owner);
  const invite = (email: string) =>
    invitePerson(context, {
      email,
      role: 'member',
      actor,
      isOwner: false,
      origin: 'https://docs.example.com',
    });
  const everybody = async () => (await listPeople(context, { organizationId })).data;
  return { context, actor, invite, everybody };
}

async function come(context: TestContext, identity: Identity, admission = nobodyElse) {
  const ended = await signInWithIdentity(context, { identity, admission, from });
  if ('refused' in ended) return ended.refused;
  return (await authenticateSession(context, ended.token))?.person;
}

test('whoever was invited, and later by the subject alone, whatever the email is then', async () => {
  const { context, invite } = await setUp();
  await invite('ada@example.com');
  const person = { email: 'ada@example.com', name: 'ADA', role: 'member' };
  expect(await come(context, identityOf('ada'))).toMatchObject(person);
  const renamed = identityOf('ada', { email: 'byron@example.com', isEmailVerified: false });
  expect(await come(context, renamed)).toMatchObject(person);
});

test('whoever has a password here, and keeps it', async () => {
  const { context, everybody } = await setUp();
  expect(await come(context, identityOf('olga'))).toMatchObject({ name: 'Olga', role: 'owner' });
  expect(await everybody()).toMatchObject([{ signsInWith: 'oidc', status: 'active' }]);
});

test('nobody by an email that belongs to another identity already', async () => {
  const { context } = await setUp();
  await come(context, identityOf('olga'));
  expect(await come(context, identityOf('eve', { email: 'olga@example.com' }))).toBe('not_invited');
  const elsewhere = identityOf('olga', { issuer: 'https://other.example.com' });
  expect(await come(context, elsewhere)).toBe('not_invited');
});

test.each([
  ['ben@example.com', { defaultRole: 'viewer', emailDomains: [] }, 'viewer'],
  ['ben@example.com', { defaultRole: 'admin', emailDomains: ['example.com'] }, 'admin'],
  ['Ben@Example.COM', { defaultRole: 'admin', emailDomains: ['example.com'] }, 'admin'],
  ['ben@sub.example.com', { defaultRole: 'viewer', emailDomains: ['example.com'] }, 'not_invited'],
  ['ben@example.com@evil.example', { defaultRole: 'viewer', emailDomains: ['example.com'] }, 'not_invited'],
  ['ben@example.com', nobodyElse, 'not_invited'],
] as [string, Admission, string][])(
  '%s without an invitation, by %j: %s',
  async (email, admission, ending) => {
    const { context } = await setUp();
    const ended = await come(context, identityOf('ben', { email }), admission);
    expect(typeof ended === 'string' ? ended : ended?.role).toBe(ending);
  },
);

test('nobody whose email the issuer has not verified, or does not tell', async () => {
  const { context, invite } = await setUp();
  await invite('ada@example.com');
  for (const change of [{ isEmailVerified: false }, { email: undefined }]) {
    expect(await come(context, identityOf('ada', change))).toBe('email_unverified');
  }
});

test('nobody before there is an owner', async () => {
  const { context } = await setUp({ owner: false });
  const admission: Admission = { defaultRole: 'viewer', emailDomains: [] };
  expect(await come(context, identityOf('ada'), admission)).toBe('setup_needed');
});

test('nobody who is disabled', async () => {
  const { context, actor, invite } = await setUp();
  const { person } = await invite('ada@example.com');
  await come(context, identityOf('ada'));
  await updatePerson(context, { personId: person.id, change: { disabled: true }, actor, isOwner: true });
  expect(await come(context, identityOf('ada'))).toBe('disabled');
});
