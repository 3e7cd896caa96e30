/** Passwords: long ones are good, common ones are not, and what is kept tells nothing. */
import { describe, expect, test } from 'vitest';
import { hashPassword, isPassword, requireGoodPassword } from './password.ts';

const secrets = { keyPepper: Buffer.alloc(32, 1), pepperId: '01234567', otherPeppers: [] };

describe('a password', () => {
  test.each(['twelve chars', 'a lighthouse keeper', '灯台守は船を数えます、毎晩', '0918273645pq'])(
    'may be %s',
    (password) => {
      expect(() => requireGoodPassword(password, 'password', 'ada@example.com')).not.toThrow();
    },
  );

  test.each([
    ['elevenchars', 'at least 12'],
    // Twelve letters as they are typed, six once they are what they look like.
    ['ﬁ'.repeat(5), 'at least 12'],
    ['abababababab', 'too few characters'],
    ['password1234', 'first that are tried'],
    ['Pass-Word-2026', 'first that are tried'],
    ['correct horse battery staple', 'first that are tried'],
    ['Ada.Byron@example.com', 'email address'],
  ])('may not be %s', (password, reason) => {
    expect(() => requireGoodPassword(password, 'next', 'ada.byron@example.com')).toThrow(reason);
  });
});

describe('what is kept', () => {
  test('fits the password, however its characters were typed, and no other', async () => {
    const kept = await hashPassword(secrets, 'Köpenhamn med ångbåt');
    expect(await isPassword(secrets, 'Köpenhamn med ångbåt'.normalize('NFD'), kept)).toBe(true);
    expect(await isPassword(secrets, 'Kopenhamn med ångbåt', kept)).toBe(false);
  });

  test('is another one each time, and worth nothing without the secret of the installation', async () => {
    const [first, second] = await Promise.all([
      hashPassword(secrets, 'a lighthouse keeper'),
      hashPassword(secrets, 'a lighthouse keeper'),
    ]);
    expect(first).not.toBe(second);
    expect(
      await isPassword({ ...secrets, keyPepper: Buffer.alloc(32, 2) }, 'a lighthouse keeper', first),
    ).toBe(false);
  });

  test('names its cost, so that one of another cost still fits', async () => {
    expect(await hashPassword(secrets, 'a lighthouse keeper')).toMatch(
      /^scrypt:32768:8:1:[\w-]{22}:[\w-]{43}:01234567$/,
    );
    const cheap = 'scrypt:1024:8:1:c2FsdHNhbHRzYWx0c2FsdA:';
    expect(await isPassword(secrets, 'a lighthouse keeper', cheap + 'A'.repeat(43))).toBe(false);
  });

  test('nothing fits nobody', async () => {
    expect(await isPassword(secrets, '', null)).toBe(false);
    expect(await isPassword(secrets, 'a lighthouse keeper', undefined)).toBe(false);
  });
});

test('more than a few at a time wait, and more than many are sent away', async () => {
  const asked = Array.from({ length: 60 }, () => isPassword(secrets, 'a lighthouse keeper', cheapHash));
  const ended = await Promise.allSettled(asked);
  const refused = ended.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(60 - 52);
  expect(refused[0]).toMatchObject({ reason: { code: 'overloaded', headers: { 'retry-after': '5' } } });
  expect(await isPassword(secrets, 'a lighthouse keeper', cheapHash)).toBe(false);
});

const cheapHash = `scrypt:1024:8:1:c2FsdHNhbHRzYWx0c2FsdA:${'A'.repeat(43)}`;
