/** The owner account of ADMIN_EMAIL and ADMIN_PASSWORD. */
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
  return { context, email, firstUser: present(context.config.firstUser) };
}

test('the configured user is an owner who can sign in, and no setup is needed', async () => {
  const { context, email, firstUser } = await named();
  await createNamedOwner(context, firstUser);
  expect(await isSetupNeeded(context)).toBe(false);
  expect(await openSetup(context)).toBeUndefined();
  expect(await signIn(context, { email, password: goodPassword, from })).toMatch(/^[\w-]{43}$/);
});

test('the configured user is created once and not changed by a later start', async () => {
  const { context, email, firstUser } = await named();
  await createNamedOwner(context, firstUser);
  await createNamedOwner(context, { email, password: 'forty two herrings on a rope' });
  await createNamedOwner(context, { email: 'eve@example.com', password: goodPassword });
  expect(await signIn(context, { email, password: goodPassword, from })).toBeDefined();
  expect(await context.database.selectFrom('people').select(['email', 'role']).execute()).toEqual([
    { email, role: 'owner' },
  ]);
});

test('the configured user must have a good password', async () => {
  const { context, email } = await named();
  await expect(createNamedOwner(context, { email, password: 'password1234' })).rejects.toThrow(
    'This password is too common',
  );
});
