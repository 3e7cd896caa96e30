/** The first person whom the operator names in the settings. */
import { expect, test } from 'vitest';
import { composeForTest, createTenant, present } from '../../test/support/test-context.ts';
import { createNamedOwner, isSetupNeeded, openSetup } from './setup.ts';
import { signIn } from './sign-in.ts';
import { goodPassword } from '../../test/support/visitor.ts';

const from = { address: null, requestId: null };

async function named() {
  const email = 'ada@example.com';
  const context = await composeForTest({ ADMIN_EMAIL: email, ADMIN_PASSWORD: goodPassword });
  await createTenant(context);
  return { context, email, firstPerson: present(context.config.firstPerson) };
}

test('is an owner and can sign in; nobody else is asked for', async () => {
  const { context, email, firstPerson } = await named();
  await createNamedOwner(context, firstPerson);
  expect(await isSetupNeeded(context)).toBe(false);
  expect(await openSetup(context)).toBeUndefined();
  expect(await signIn(context, { email, password: goodPassword, from })).toMatch(/^[\w-]{43}$/);
});

test('is made once: a later start changes neither the password nor anything else', async () => {
  const { context, email, firstPerson } = await named();
  await createNamedOwner(context, firstPerson);
  await createNamedOwner(context, { email, password: 'forty two herrings on a rope' });
  await createNamedOwner(context, { email: 'eve@example.com', password: goodPassword });
  expect(await signIn(context, { email, password: goodPassword, from })).toBeDefined();
  expect(await context.database.selectFrom('people').select(['email', 'role']).execute()).toEqual([
    { email, role: 'owner' },
  ]);
});

test('must have a good password', async () => {
  const { context, email } = await named();
  await expect(createNamedOwner(context, { email, password: 'password1234' })).rejects.toThrow(
    'first that are tried',
  );
});
