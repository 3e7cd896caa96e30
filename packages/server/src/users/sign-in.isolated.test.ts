/** Neither the error nor the work of a failed sign-in reveals whether an email is known. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { composeForTest, createTenant, type TestContext } from '../../test/support/test-context.ts';
import { newId } from '../ids.ts';
import type * as Password from './password.ts';
import { signIn } from './sign-in.ts';
import { goodPassword } from '../../test/support/visitor.ts';

const counted = vi.hoisted(() => ({ hashes: [] as string[] }));
vi.mock('./password.ts', async (original) => {
  const password = await original<typeof Password>();
  const isPassword: typeof password.isPassword = (...given) => {
    counted.hashes.push((given[2] ?? 'scrypt:32768:8:1').split(':', 4).join(':'));
    return password.isPassword(...given);
  };
  return { ...password, isPassword };
});

let context: TestContext;

beforeEach(async () => {
  context = await composeForTest();
});
afterEach(() => {
  counted.hashes = [];
});

async function addUser(email: string, more: { password?: null; disabled?: true } = {}): Promise<void> {
  const { hashPassword } = await import('./password.ts');
  const { organizationId } = await createTenant(context);
  const password = more.password === null ? null : await hashPassword(context.secrets, goodPassword);
  const at = context.clock.now().toISOString();
  await context.database
    .insertInto('people')
    .values({
      id: newId('pe'),
      organization_id: organizationId,
      email,
      name: 'Ada',
      role: 'member',
      password,
      created_at: at,
      disabled_at: more.disabled ? at : null,
    })
    .execute();
}

/** The parameters of each hash that a failed attempt computes. */
async function workOf(email: string): Promise<string[]> {
  counted.hashes = [];
  const from = { address: '203.0.113.7', requestId: null };
  await expect(signIn(context, { email, password: 'a wrong password', from })).rejects.toMatchObject({
    code: 'sign_in_failed',
  });
  return counted.hashes;
}

describe('a failed sign-in', () => {
  test('computes the same hashes for a known email, an unknown one, one without a password and a disabled one', async () => {
    await addUser('ada@example.com');
    await addUser('invited@example.com', { password: null });
    await addUser('disabled@example.com', { disabled: true });
    const work = await workOf('ada@example.com');
    expect(work).toHaveLength(1);
    for (const email of ['unknown@example.com', 'invited@example.com', 'disabled@example.com'])
      expect(await workOf(email), email).toEqual(work);
  });

  test('computes the same hashes when one email belongs to two organizations', async () => {
    await addUser('ada@example.com');
    await addUser('ada@example.com');
    await addUser('once@example.com');
    const work = await workOf('ada@example.com');
    expect(work).toHaveLength(2);
    expect(await workOf('once@example.com')).toEqual(work);
    expect(await workOf('unknown@example.com')).toEqual(work);
  });
});
